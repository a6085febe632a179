use super::*;
use crate::capture::Observed;
use crate::fixtures;

fn findings(id: &str) -> Vec<Hazard> {
    let survey: Survey = serde_json::from_value(fixtures::load_value(id)).unwrap();
    inspect(&survey).findings
}

/// The only finding.
fn finding(id: &str) -> Hazard {
    let mut findings = findings(id);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    findings.remove(0)
}

fn says(hazard: &Hazard, word: &str) -> bool {
    hazard.grounds.iter().any(|it| it.claim.contains(word))
}

#[test]
fn a_package_that_pythonpath_brings_in_is_mended_by_running_without_it() {
    let hazard = finding("surveys/wrong-python-by-pythonpath");
    let first = &hazard.remedies[0];
    let command = first.command.as_ref().unwrap().to_string();
    assert!(command.starts_with("env -u PYTHONPATH /home/ada/venv/bin/python"));
    assert!(
        first
            .action
            .contains("takes numpy 1.26.3 from /home/ada/venv")
    );
    assert!(says(&hazard, "PYTHONPATH"));
}

#[test]
fn a_library_that_is_no_good_and_comes_by_the_library_path_is_no_fault_of_the_package() {
    for id in [
        "surveys/opencv-with-a-damaged-libz-first",
        "surveys/opencv-with-a-stub-of-libz-first",
    ] {
        let hazard = finding(id);
        let command = hazard.remedies[0].command.as_ref().unwrap().to_string();
        assert!(command.starts_with("env -u LD_LIBRARY_PATH "), "{command}");
        assert_eq!(hazard.remedies.len(), 1, "{id}");
        assert!(says(&hazard, "LD_LIBRARY_PATH makes"), "{id}");
    }
}

#[test]
fn a_package_that_lost_its_core_or_its_entry_will_fail() {
    let lost = finding("surveys/broken-install-native-core");
    assert_eq!(lost.severity, Severity::WillFail);
    assert_eq!(
        lost.headline,
        "1 of the 90 files of h5py 3.10.0 is missing: h5py/_errors.cpython-311-x86_64-linux-gnu.so"
    );
    let one = finding("surveys/broken-install-one-module");
    assert_eq!(one.severity, Severity::CanCrash);
    let empty = finding("surveys/emptied-entry");
    assert_eq!(empty.severity, Severity::WillFail);
    assert_eq!(empty.headline, "h5py/__init__.py of h5py 3.10.0 is empty");
}

#[test]
fn one_trouble_is_told_once() {
    for (id, rule) in [
        ("surveys/near/emptied-files-module", "truncated-library"),
        (
            "surveys/near/broken-install-library-that-is-told",
            "missing-library",
        ),
        ("surveys/packages-for-arm", "foreign-architecture"),
    ] {
        assert_eq!(finding(id).name, rule, "{id}");
    }
}

#[test]
fn a_file_of_garbage_or_of_a_few_bytes_is_told_as_the_loader_meets_it() {
    let garbage = finding("surveys/framework-of-garbage");
    assert_eq!(
        garbage.headline,
        "libtensorflow_framework.so.2 of tensorflow-cpu 2.15.1 is damaged"
    );
    let short = finding("surveys/framework-of-four-bytes");
    assert!(says(&short, "4 bytes") && says(&short, "file too short"));
    assert!(!says(&short, "SIGBUS"));
}

#[test]
fn a_stack_too_small_for_python_is_told_without_tensorflow() {
    let hazard = finding("surveys/stack-of-64k-without-tensorflow");
    assert_eq!(hazard.severity, Severity::WillFail);
}

#[test]
fn a_finding_is_as_grave_as_what_was_seen() {
    let expected = [
        ("surveys/stack-of-96k-tensorflow-2.21", Severity::WillFail),
        ("surveys/stack-of-128k-tensorflow-2.21", Severity::CanCrash),
        ("surveys/stack-of-128k-tensorflow-2.15", Severity::CanCrash),
        (
            "surveys/address-space-1300m-tensorflow-2.21",
            Severity::WillFail,
        ),
        (
            "surveys/address-space-1300m-tensorflow-2.15",
            Severity::CanCrash,
        ),
        ("surveys/data-290m-tensorflow-2.21", Severity::WillFail),
        ("surveys/known-conflict-pkg-resources", Severity::WillFail),
        (
            "surveys/known-conflict-pkg-resources-without-setuptools",
            Severity::WillFail,
        ),
        ("surveys/requirement-unmet-jaxlib", Severity::WillFail),
        ("surveys/two-records", Severity::WorthKnowing),
        ("surveys/two-records-written-over", Severity::CanCrash),
        ("surveys/one-package-twice-opencv", Severity::CanCrash),
        (
            "surveys/one-package-twice-opencv-same-version",
            Severity::WorthKnowing,
        ),
        ("surveys/paddle-beside-tensorflow-2.21", Severity::CanCrash),
    ];
    for (id, severity) in expected {
        let found = findings(id);
        assert_eq!(found[0].severity, severity, "{id}: {found:#?}");
    }
}

#[test]
fn files_that_a_third_package_wrote_are_not_counted_against_the_other_two() {
    let found = findings("surveys/one-package-twice-opencv-thrice");
    assert_eq!(found.len(), 3, "{found:#?}");
    for hazard in &found {
        let is_by_contrib = hazard.headline.contains("contrib");
        assert_eq!(says(hazard, "the other wrote them"), is_by_contrib);
        assert_eq!(hazard.severity, Severity::WorthKnowing);
    }
}

#[test]
fn two_packages_that_share_a_folder_by_accident_are_not_to_be_uninstalled() {
    let hazard = finding("surveys/one-package-twice-utils");
    assert_eq!(hazard.remedies[0].command, None);
    assert!(
        hazard.remedies[0]
            .action
            .contains("environments of their own")
    );
}

#[test]
fn packages_of_which_only_native_files_were_compared_are_not_said_to_be_whole() {
    let mut survey: Survey =
        serde_json::from_value(fixtures::load_value("surveys/broken-install-one-module")).unwrap();
    let gap = survey
        .gaps
        .add("files", "the process had not loaded it", None);
    for distribution in &mut survey.distributions {
        if let Observed::Known(list) = &mut distribution.files {
            list.native_only = Some(gap);
        }
    }
    let inspection = inspect(&survey);
    assert_eq!(inspection.findings, []);
    let names = [
        "broken-install",
        "emptied-files",
        "mixed-versions",
        "one-package-twice",
        "two-records",
    ];
    for name in names {
        let check = inspection.checks.iter().find(|it| it.name == name);
        let blind = check.unwrap().blind.join("\n");
        assert!(
            blind.ends_with("the process had not loaded it"),
            "{name}: {blind}"
        );
    }
}
