//! The forms of a report, and surveys that are saved and judged again.

use crashlens_core::book;
use std::fs;

use serde_json::Value;

use super::{Environment, report};
use crate::{crashlens, output, stderr, stdout};

#[test]
fn json_is_a_report_without_deaths() {
    let environment = Environment::broken();
    let report = report(&environment.output(&["--format", "json"]));
    assert_eq!(report.schema, "crashlens.report/1");
    assert!(report.deaths.is_empty());
    let [inspection] = report.inspections.as_slice() else {
        panic!("{} inspections", report.inspections.len());
    };
    assert_eq!(inspection.subject, environment.python());
    let finding = inspection.findings.first().unwrap();
    assert_eq!(finding.packages[0].name, "brittle");
    assert!(!finding.remedies.is_empty() && !finding.refuted_by.is_empty());
    assert_eq!(
        inspection.checks.len(),
        book::of(book::Kind::Hazard).count()
    );
}

#[test]
fn sarif_has_every_rule_with_its_page_and_every_result_with_a_place() {
    let log: Value = serde_json::from_str(&stdout(
        &Environment::broken().output(&["--format", "sarif"]),
    ))
    .unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), book::of(book::Kind::Hazard).count());
    for rule in rules {
        let page = rule["help"]["markdown"].as_str().unwrap();
        assert!(page.contains("## What it finds"), "{rule}");
    }
    let results = run["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert_eq!(result["level"], "error");
        let place = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert!(place.as_str().unwrap().starts_with("file:///"), "{place}");
    }
}

/// Reads the document as a CI server does, with a parser that refuses what is not well-formed.
const READ_XML: &str = "
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
for case in root.iter('testcase'):
    failures = [it.get('message') for it in case.findall('failure')]
    print(root.tag, case.get('classname'), case.get('name'), failures)
";

#[test]
fn junit_is_read_by_a_parser_of_xml_and_has_a_case_for_each_check() {
    let environment = Environment::broken();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("junit.xml");
    let path = path.to_str().unwrap();
    let cases = |fail_on: &str| {
        let args = ["--format", "junit", "--output", path, "--fail-on", fail_on];
        let status = environment.output(&args).status.code();
        let read = std::process::Command::new("python3")
            .args(["-c", READ_XML, path])
            .output()
            .unwrap();
        assert!(read.status.success(), "{}", stderr(&read));
        (status, stdout(&read))
    };
    let (status, failing) = cases("will-fail");
    assert_eq!(status, Some(1));
    assert!(
        failing.starts_with("testsuites crashlens.env "),
        "{failing}"
    );
    assert!(failing.contains("brittle"), "{failing}");
    let report = report(&environment.output(&["--format", "json"]));
    let checks = report.inspections[0].checks.iter();
    let looked = checks.filter(|it| !it.is_idle()).count();
    assert_eq!(failing.lines().count(), looked);
    let (status, never) = cases("never");
    assert_eq!(status, Some(0));
    assert!(!never.contains("brittle"), "{never}");
}

#[test]
fn a_check_as_a_page_is_read_back() {
    let environment = Environment::broken();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("check.html");
    let path = path.to_str().unwrap();
    environment.output(&["--format", "html", "--output", path]);
    let page = fs::read_to_string(path).unwrap();
    assert!(page.contains("1 will fail") && page.contains("brittle"));
    let read = output(&["diagnose", path]);
    assert_eq!(read.status.code(), Some(0), "{}", stderr(&read));
    let told = |text: String| {
        text.lines()
            .skip_while(|it| !it.contains("will fail"))
            .count()
    };
    assert_eq!(told(stdout(&read)), told(stdout(&environment.output(&[]))));
}

#[test]
fn markdown_does_not_tell_where_the_user_lives() {
    let environment = Environment::broken();
    let text = stdout(&environment.output(&["--format", "md"]));
    assert!(
        text.starts_with("### crashlens check: 1 will fail"),
        "{text}"
    );
    assert!(text.contains("~/venv/bin/python -m pip install"), "{text}");
    let home = environment.folder.path().display().to_string();
    assert!(!text.contains(&home), "{text}");
}

#[test]
fn a_named_file_gets_the_report_and_standard_output_nothing() {
    let environment = Environment::broken();
    let file = environment.path("report.sarif");
    let output = environment.output(&["--format", "sarif", "--output", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert!(fs::read_to_string(file).unwrap().contains("PKG001"));
    let output = environment.output(&["--output", "no/such/folder/report"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot write the report"));
}

#[test]
fn a_saved_survey_gives_the_same_report_elsewhere() {
    let environment = Environment::broken();
    let file = environment.path("survey.json");
    let saved = file.to_str().unwrap();
    let mut live = environment.check(&["--format", "json", "--save", saved]);
    let live = live
        .env(
            "CUDA_SECRET_TOKEN",
            "hf_abcdefghijklmnopqrstuvwxyz0123456789",
        )
        .env("DATABASE_PASSWORD", "geheim-und-lang")
        .output()
        .unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains("hf_abcdef") && !text.contains("geheim"));
    fs::remove_dir_all(environment.path("venv")).unwrap();
    let again = output(&["check", "--from", saved, "--format", "json"]);
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(report(&again), report(&live));
}

#[test]
fn a_file_that_is_no_survey_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let objects = format!("{{\"distributions\":[{}{{}}]}}", "{},".repeat(400_000));
    let newer = r#"{"schema":"crashlens.survey/9","crashlens":"9.0","survey":{}}"#;
    for (name, text) in [
        ("empty", ""),
        ("words", "not a survey"),
        ("list", "[]"),
        ("empty", "{}"),
        ("unknown", r#"{"pythons":[]}"#),
        ("nested", &nested),
        ("objects", &objects),
        ("newer", newer),
        (
            "half",
            r#"{"schema":"crashlens.survey/1","survey":{"python""#,
        ),
    ] {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        let output = crashlens(&["check", "--from"]).arg(&file).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(output.stdout.is_empty(), "{name}");
        assert!(
            stderr(&output).starts_with("crashlens: cannot read "),
            "{name}"
        );
    }
}
