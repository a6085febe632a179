use super::*;
use crate::capture::Observed;
use crate::capture::{Address, Module, Package};
use crate::cause::Cause;
use crate::diagnosis::{Confidence, Diagnosis, Finding, Judgement};
use crate::inspection::InspectionKind;
use crate::remedy::Risk;
use crate::remedy::{Pip, Place};
use crate::report::{Death, Report, Run};
use crate::sample;
use crate::survey::{Interpreter, PackageTool, Survey};

const TRITON: &str = "/home/ada/venv/lib/python3.11/site-packages/triton/_C/libtriton.so";

fn package(name: &str) -> Package {
    Package {
        name: name.to_owned(),
        version: "3.7.1".to_owned(),
    }
}

/// A death of one cause, with one library loaded.
fn death(cause: Cause) -> Death {
    let mut death = Death::new(&sample::capture(vec![sample::thread(1, Vec::new())], &[]));
    death.modules = Some(vec![Module {
        name: "libtriton.so".to_owned(),
        // The process had the link to its folder of packages resolved.
        path: TRITON.replace("/home/ada/venv", "/data/envs/7"),
        start: Address(0x1000),
        end: Address(0x2000),
        bias: Address(0),
        build_id: None,
        package: Some(package("Triton")),
    }]);
    let against = Evidence::opposes(Weight::Weak, FactRef::Ending, "Something speaks against it");
    death.diagnosis = Diagnosis {
        findings: vec![Finding {
            rule: "LIB001".to_owned(),
            name: "library-clash".to_owned(),
            cause,
            confidence: Confidence::Likely,
            headline: "Two libraries met".to_owned(),
            evidence: vec![
                Evidence::supports(Weight::Strong, FactRef::Culprit, "It died there"),
                against,
            ],
            remedies: Vec::new(),
            unseen: Vec::new(),
        }],
        ruled_out: Vec::new(),
        hazards: Vec::new(),
    };
    death
}

fn hazard(severity: Severity, cause: Cause) -> Hazard {
    let mut hazard = Hazard::new(severity, cause, "triton 3.7.1 brings LLVM again");
    hazard.rule = "LNK004".to_owned();
    hazard.package(package("triton")).file(TRITON)
}

fn inspection(findings: Vec<Hazard>) -> Inspection {
    Inspection {
        kind: InspectionKind::Environment,
        subject: "/home/ada/venv/bin/python".to_owned(),
        overview: Vec::new(),
        looked_at: Vec::new(),
        lacks: None,
        forecasts: Vec::new(),
        findings,
        checks: Vec::new(),
        gaps: Vec::new(),
        place: None,
    }
}

fn joined(death: Death, hazard: Hazard) -> Report {
    joined_with(death, inspection(vec![hazard]))
}

fn joined_with(death: Death, inspection: Inspection) -> Report {
    let judgements = [Judgement(death.diagnosis.clone())];
    let mut report = Report::of_deaths(Run::default(), vec![death]);
    report.add_environment(inspection, &judgements, |_| true);
    report
}

#[test]
fn a_hazard_of_the_same_cause_is_weak_evidence_and_changes_no_confidence() {
    let report = joined(
        death(Cause::LibraryClash),
        hazard(Severity::CanCrash, Cause::LibraryClash),
    );
    let finding = &report.deaths[0].diagnosis.findings[0];
    assert_eq!(finding.confidence, Confidence::Likely);
    let stances: Vec<_> = finding
        .evidence
        .iter()
        .map(|it| (it.stance, it.weight))
        .collect();
    assert_eq!(
        stances,
        [
            (Stance::For, Weight::Strong),
            (Stance::For, Weight::Weak),
            (Stance::Against, Weight::Weak)
        ]
    );
    let rule = "LNK004".to_owned();
    assert_eq!(finding.evidence[1].fact, FactRef::Hazard { rule });
    assert_eq!(report.inspections.len(), 1);
}

#[test]
fn what_to_do_about_the_hazard_is_what_to_do_first_about_the_death() {
    let mut dead = death(Cause::LibraryClash);
    let general = Remedy::new("Update something");
    dead.diagnosis.findings[0].remedies.push(general.clone());
    let fitting = Remedy::new("Remove triton");
    let hazard = hazard(Severity::CanCrash, Cause::LibraryClash).remedy(fitting.clone());
    let report = joined(dead, hazard);
    let finding = &report.deaths[0].diagnosis.findings[0];
    assert_eq!(finding.remedies, [fitting, general]);
}

#[test]
fn remedies_stay_ordered_by_risk_and_the_hazards_comes_first_among_equals() {
    let changing = |action: &str| Remedy::new(action).risk(Risk::Environment);
    let mut dead = death(Cause::LibraryClash);
    dead.diagnosis.findings[0].remedies = vec![Remedy::new("Look"), changing("Update")];
    let hazard = hazard(Severity::CanCrash, Cause::LibraryClash).remedy(changing("Remove triton"));
    let report = joined(dead, hazard);
    let remedies = &report.deaths[0].diagnosis.findings[0].remedies;
    let actions: Vec<_> = remedies.iter().map(|it| it.action.as_str()).collect();
    assert_eq!(actions, ["Look", "Remove triton", "Update"]);
}

/// What a death and a hazard say to do in an environment that this tool installs into: the hazard wants what the rule
/// wants, for another reason, and the rule wants something else too.
fn remedies_with(tool: PackageTool) -> Vec<String> {
    let install = |what: &str| Remedy::new("Install").command_if(Pip::install([what]));
    let mut dead = death(Cause::LibraryClash);
    dead.diagnosis.findings[0].remedies = vec![install("triton<3.7"), install("torch")];
    let place = Place::of(&Survey {
        python: Observed::Known(Interpreter {
            path: "/home/ada/venv/bin/python".to_owned(),
            tool,
            ..Interpreter::default()
        }),
        ..Survey::default()
    });
    let mut hazard = hazard(Severity::CanCrash, Cause::LibraryClash)
        .remedy(Remedy::new("Go back").command_if(Pip::install(["triton<3.7"])));
    fit(&mut hazard.remedies, &place);
    let mut inspection = inspection(vec![hazard]);
    inspection.place = Some(place);
    let report = joined_with(dead, inspection);
    let remedies = &report.deaths[0].diagnosis.findings[0].remedies;
    let told = remedies.iter().filter_map(|it| it.command.as_ref());
    told.map(ToString::to_string).collect()
}

#[test]
fn one_step_is_said_once_and_for_this_environment() {
    assert_eq!(
        remedies_with(PackageTool::Pip),
        [
            "/home/ada/venv/bin/python -m pip install 'triton<3.7'",
            "/home/ada/venv/bin/python -m pip install torch"
        ]
    );
    assert_eq!(
        remedies_with(PackageTool::Uv),
        [
            "uv pip install --python /home/ada/venv/bin/python 'triton<3.7'",
            "uv pip install --python /home/ada/venv/bin/python torch"
        ]
    );
    assert_eq!(remedies_with(PackageTool::Refused).len(), 3);
}

#[test]
fn an_environment_that_is_looked_at_again_is_not_added_twice() {
    let dead = death(Cause::LibraryClash);
    let judgements = [Judgement(dead.diagnosis.clone())];
    let mut report = Report::of_deaths(Run::default(), vec![dead]);
    for _ in 0..2 {
        let found = hazard(Severity::CanCrash, Cause::LibraryClash);
        report.add_environment(inspection(vec![found]), &judgements, |_| true);
    }
    assert_eq!(report.deaths[0].diagnosis.findings[0].evidence.len(), 3);
    assert_eq!(report.related_to_deaths(1).count(), 1);
}

#[test]
fn a_hazard_of_another_cause_stays_out_of_a_death_that_is_explained() {
    let report = joined(
        death(Cause::LibraryClash),
        hazard(Severity::WillFail, Cause::NumpyAbi),
    );
    assert_eq!(report.deaths[0].diagnosis.findings[0].evidence.len(), 2);
    assert!(report.related_to_deaths(0).next().is_none());
}

#[test]
fn where_nothing_is_explained_whatever_can_crash_and_took_part_is_told() {
    for (severity, is_told) in [
        (Severity::WillFail, true),
        (Severity::CanCrash, true),
        (Severity::WorthKnowing, false),
    ] {
        let report = joined(
            death(Cause::InsufficientEvidence),
            hazard(severity, Cause::LibraryClash),
        );
        let told = report.related_to_deaths(0);
        assert_eq!(told.count(), usize::from(is_told), "{severity:?}");
    }
}

#[test]
fn what_was_not_in_the_process_has_nothing_to_do_with_its_death() {
    let mut absent_file = hazard(Severity::CanCrash, Cause::LibraryClash);
    absent_file.files = vec![TRITON.replace("libtriton", "libproton")];
    let mut absent_package = hazard(Severity::CanCrash, Cause::LibraryClash);
    absent_package.files.clear();
    absent_package.packages = vec![package("jaxlib"), package("triton")];
    for hazard in [absent_file, absent_package] {
        for cause in [Cause::LibraryClash, Cause::InsufficientEvidence] {
            let report = joined(death(cause), hazard.clone());
            assert!(report.related_to_deaths(0).next().is_none());
            assert_eq!(report.deaths[0].diagnosis.findings[0].evidence.len(), 2);
        }
    }
}

#[test]
fn a_package_without_native_files_takes_part_by_its_name_in_any_spelling() {
    let mut by_name = hazard(Severity::CanCrash, Cause::LibraryClash);
    by_name.files = vec!["/dev/shm".to_owned()];
    let report = joined(death(Cause::InsufficientEvidence), by_name);
    assert_eq!(report.related_to_deaths(0).count(), 1);
}

#[test]
fn a_death_in_another_environment_is_left_alone() {
    let dead = death(Cause::LibraryClash);
    let judgements = [Judgement(dead.diagnosis.clone())];
    let mut report = Report::of_deaths(Run::default(), vec![dead]);
    let found = hazard(Severity::CanCrash, Cause::LibraryClash);
    report.add_environment(inspection(vec![found]), &judgements, |_| false);
    assert_eq!(report.deaths[0].diagnosis.findings[0].evidence.len(), 2);
}
