//! What `crashlens run` makes of the environment when a process has died in it.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Output;

use crashlens_core::Report;

use crate::check::Environment;
use crate::{crashlens, stderr};

const DIES: &str = "import os; os.kill(os.getpid(), 11)";

fn run(environment: &Environment, options: &[&str], source: &str) -> Output {
    let python = environment.python();
    let mut args = vec!["run", "--no-save"];
    args.extend(options);
    args.extend(["--", &python, "-c", source]);
    let mut command = crashlens(&args);
    environment.alone(&mut command);
    command.output().unwrap()
}

fn report(output: &Output) -> Report {
    let text = stderr(output);
    serde_json::from_str(text.get(text.find('{').unwrap()..).unwrap()).unwrap()
}

#[test]
fn what_does_not_bear_on_a_death_is_one_line_behind_it() {
    let environment = Environment::lacking();
    let output = run(&environment, &[], DIES);
    assert_eq!(output.status.signal(), Some(11));
    let text = stderr(&output);
    let (death, after) = text.split_once("Found in the environment\n").unwrap();
    assert!(death.contains("died of SIGSEGV"), "{text}");
    let line = format!("`crashlens check --python {}` finds", environment.python());
    let after = after.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(after.contains(&line), "{text}");
    assert!(!text.contains("needy"), "{text}");
}

#[test]
fn the_report_has_what_was_found_beside_the_death() {
    let environment = Environment::lacking();
    let report = report(&run(&environment, &["--format", "json"], DIES));
    assert_eq!(report.deaths.len(), 1);
    let inspection = report.inspections.first().unwrap();
    assert_eq!(inspection.subject, environment.python());
    assert_eq!(inspection.findings[0].packages[0].name, "needy");
}

#[test]
fn files_of_packages_that_were_not_loaded_are_left_to_a_check() {
    let environment = Environment::broken();
    let report = report(&run(&environment, &["--format", "json"], DIES));
    let inspection = report.inspections.first().unwrap();
    assert!(inspection.findings.is_empty());
    assert!(
        !inspection.gaps.is_empty(),
        "it says that it did not compare them"
    );
}

#[test]
fn an_ordinary_end_and_no_check_look_at_nothing() {
    let environment = Environment::broken();
    let ended = report(&run(&environment, &["--format", "json"], "pass"));
    assert!(ended.inspections.is_empty());
    let unchecked = run(&environment, &["--format", "json", "--no-check"], DIES);
    assert!(report(&unchecked).inspections.is_empty());
    let text = stderr(&run(&environment, &["--no-check"], DIES));
    assert!(!text.contains("Found in the environment"), "{text}");
    assert!(!environment.path("cache").exists());
}
