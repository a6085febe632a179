use crate::capture::Observed;
use crate::survey::{Distribution, Interpreter, Survey};

fn python(version: &str) -> Interpreter {
    Interpreter {
        version: version.to_owned(),
        sites: vec!["/site-packages".to_owned()],
        ..Interpreter::default()
    }
}

fn installed(name: &str, version: &str, requires: &[&str]) -> Distribution {
    Distribution {
        name: name.to_owned(),
        version: version.to_owned(),
        metadata: format!("/site-packages/{name}-{version}.dist-info"),
        requires: requires.iter().map(|&line| line.to_owned()).collect(),
        ..Distribution::default()
    }
}

fn unmet(requires: &[&str], others: &[(&str, &str)]) -> Vec<String> {
    let asking = installed("asking", "1.0", requires);
    let others = others
        .iter()
        .map(|(name, version)| installed(name, version, &[]));
    let survey = Survey {
        python: Observed::Known(python("3.11.7")),
        distributions: others.chain([asking.clone()]).collect(),
        ..Survey::default()
    };
    let unmet = survey.unmet(&asking);
    unmet.into_iter().map(|it| it.name).collect()
}

#[test]
fn a_requirement_is_met_by_any_spelling_of_the_name_and_by_local_versions() {
    let requires = ["typing_extensions>=4", "Torch (==2.3.0)"];
    let others = [("typing-extensions", "4.16.0"), ("torch", "2.3.0+cu121")];
    assert!(unmet(&requires, &others).is_empty());
}

#[test]
fn a_version_outside_of_the_limits_is_not_enough() {
    let others = [("numpy", "2.0.2")];
    assert_eq!(unmet(&["numpy (<2.0.0,>=1.23.5)"], &others), ["numpy"]);
}

#[test]
fn a_module_without_metadata_is_taken_for_any_version() {
    let asking = installed("asking", "1.0", &["NumPy>=3", "scikit_learn", "torch"]);
    let survey = Survey {
        python: Observed::Known(python("3.11.7")),
        distributions: vec![asking.clone()],
        loose_modules: ["numpy", "sklearn"].map(str::to_owned).to_vec(),
        ..Survey::default()
    };
    let names: Vec<_> = survey
        .unmet(&asking)
        .into_iter()
        .map(|it| it.name)
        .collect();
    assert_eq!(names, ["torch"]);
}

#[test]
fn a_version_that_nobody_can_read_is_taken_for_enough() {
    let others = [("odd", "release-candidate")];
    assert!(unmet(&["odd>=3"], &others).is_empty());
}

#[test]
fn what_an_extra_asks_for_is_asked_of_nobody() {
    let requires = ["pytest ; extra == 'tests'", "numpy ; python_version < '3'"];
    assert!(unmet(&requires, &[]).is_empty());
}

#[test]
fn lines_that_are_no_requirements_are_passed_over() {
    let nested = format!(
        "a ; {}python_version < '3'{}",
        "(".repeat(90_000),
        ")".repeat(90_000)
    );
    let shallow = format!(
        "a ; {}python_version < '3'{}",
        "(".repeat(40),
        ")".repeat(40)
    );
    let long = format!("a{} ; python_version > '3'", ">=1,".repeat(5000));
    let lines = [
        "", "===", "a b c", "\u{0}", "é>=1", "a >=", &nested, &shallow, &long,
    ];
    assert!(unmet(&lines, &[]).is_empty());
}

#[test]
fn a_python_whose_last_number_is_unknown_is_refused_only_if_none_would_do() {
    assert!(python("3.8").is_refused_by(">=3.9"));
    assert!(!python("3.8").is_refused_by(">=3.8.1"));
    assert!(python("3.8.0").is_refused_by(">=3.8.1"));
    assert!(!python("3.8.0").is_refused_by("garbage"));
    assert!(!python("").is_refused_by(">=3"));
}
