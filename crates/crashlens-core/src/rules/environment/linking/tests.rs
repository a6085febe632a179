//! What findings say, where their words were wrong once.

use crate::fixtures;
use crate::hazard::Hazard;
use crate::inspection::inspect;
use crate::survey::Survey;

/// The first finding of a rule in a survey.
fn first(rule: &str, id: &str) -> Hazard {
    let survey: Survey = serde_json::from_value(fixtures::load_value(id)).unwrap();
    let found = inspect(&survey).findings;
    found
        .into_iter()
        .find(|it| it.name == rule)
        .unwrap_or_else(|| panic!("{id}"))
}

fn commands(hazard: &Hazard) -> Vec<String> {
    let remedies = hazard.remedies.iter();
    remedies
        .filter_map(|it| it.command.as_ref())
        .map(ToString::to_string)
        .collect()
}

#[test]
fn a_newer_libstdcxx_is_offered_for_its_own_versions_alone() {
    let rule = "library-too-old";
    let of_cxx = first(rule, "surveys/old-libstdcxx-first");
    let is_conda = |command: &String| command.contains("libstdcxx");
    assert!(commands(&of_cxx).iter().any(is_conda));
    let of_openssl = first(rule, "surveys/openssl-too-old");
    assert!(!commands(&of_openssl).iter().any(is_conda));
    let action = &of_openssl.remedies[0].action;
    assert!(action.contains("libcrypto.so.3"), "{action}");
}

#[test]
fn where_less_than_half_of_a_package_lacks_a_library_a_part_of_it_is_spoken_of() {
    let rule = "missing-library";
    let part = first(rule, "surveys/scipy-without-libstdcxx").headline;
    assert!(part.starts_with("A part of scipy 1.17.1"), "{part}");
    let whole = first(rule, "surveys/opencv-without-gl").headline;
    assert!(whole.starts_with("opencv"), "{whole}");
}

#[test]
fn a_torchvision_of_another_torch_is_told_by_what_import_opens() {
    let found = first("undefined-symbols", "surveys/torchvision-of-another-torch");
    assert!(found.headline.contains("another PyTorch than torch 2.15.0"));
}

#[test]
fn what_numpy_two_does_to_a_package_is_said_as_it_was_seen() {
    use crate::hazard::Severity::{CanCrash, WillFail};
    let rule = "numpy-one-modules";
    for (id, severity, end) in [
        ("h5py-of-numpy-one", WillFail, "it fails at import"),
        (
            "onnxruntime-of-numpy-one",
            WillFail,
            "dies at its first use",
        ),
        (
            "rdkit-of-numpy-one",
            CanCrash,
            "it can be imported, and what exchanges arrays",
        ),
        (
            "unknown-package-of-numpy-one",
            WillFail,
            "fails or misbehaves",
        ),
    ] {
        let found = first(rule, &format!("surveys/{id}"));
        assert_eq!(found.severity, severity, "{id}");
        assert!(found.headline.contains(end), "{id}: {}", found.headline);
    }
}

#[test]
fn pip_is_not_asked_for_a_package_of_the_system() {
    let rule = "numpy-one-modules";
    let found = first(rule, "surveys/h5py-of-the-system-under-numpy-2");
    let commands = commands(&found);
    assert!(
        commands.iter().all(|it| !it.contains("h5py")),
        "{commands:?}"
    );
    assert!(found.remedies[0].action.contains("of the system"));
}

#[test]
fn modules_of_two_tensorflows_in_one_folder_are_told_with_a_way_to_one() {
    let rule = "undefined-symbols";
    let found = first(rule, "surveys/tensorflows-mixed");
    assert!(found.headline.contains("do not belong together"));
    let commands = commands(&found);
    assert!(
        commands[0].ends_with("install 'tensorflow==2.21.0'"),
        "{commands:?}"
    );
    assert!(commands[0].contains("uninstall -y tensorflow tensorflow_cpu"));
}
