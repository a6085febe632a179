use super::*;
use crate::capture::{Package, Signal};
use crate::diagnosis::Diagnosis;
use crate::facts::Facts;
use crate::fixtures;
use crate::report::Death;

fn version(text: &str) -> pep440_rs::Version {
    text.parse().unwrap()
}

#[test]
fn every_entry_of_the_table_is_usable() {
    let mut seen = Vec::new();
    for issue in &KnownIssues::built_in().issues {
        assert!(!seen.contains(&issue.id), "{} stands twice", issue.id);
        seen.push(issue.id.clone());
        assert!(!issue.ops.is_empty(), "{} names no op", issue.id);
        for op in &issue.ops {
            assert!(
                crate::frameworks::is_registered_op(op),
                "{}: no op {op}",
                issue.id
            );
        }
        let cve = issue.cve.as_deref().unwrap_or("CVE-");
        assert!(cve.starts_with("CVE-"), "{}", issue.id);
        let is_observed = issue.id.starts_with("observed-");
        assert_eq!(is_observed, issue.observed.is_some(), "{}", issue.id);
    }
    assert!(seen.len() > 250);
}

#[test]
fn a_release_line_has_its_own_fix() {
    let affected = Affected::by_lines(vec![version("2.6.0"), version("2.4.2"), version("2.3.3")]);
    let fix = |text: &str| {
        let version = version(text);
        let fix = affected
            .fix(&version)
            .filter(|_| affected.includes(&version));
        fix.map(ToString::to_string)
    };
    assert_eq!(fix("2.3.1").as_deref(), Some("2.3.3"));
    assert_eq!(fix("2.3.4"), None);
    assert_eq!(fix("2.4.1").as_deref(), Some("2.4.2"));
    assert_eq!(fix("2.5.1").as_deref(), Some("2.6.0"));
    assert_eq!(fix("1.15.0").as_deref(), Some("2.3.3"));
    assert_eq!(fix("2.6.0"), None);
    assert!(Affected::by_lines(Vec::new()).includes(&version("2.21.0")));
}

fn diagnosis(id: &str, issues: &KnownIssues) -> Diagnosis {
    Death::judged_by(&fixtures::load(id), issues).diagnosis
}

/// Commands of the remedies of the first finding.
fn commands(diagnosis: &Diagnosis) -> Vec<String> {
    let remedies = diagnosis
        .findings
        .iter()
        .take(1)
        .flat_map(|it| &it.remedies);
    remedies
        .filter_map(|it| it.command.as_ref())
        .map(ToString::to_string)
        .collect()
}

/// Claims of the first finding that rest on known defects.
fn claims(diagnosis: &Diagnosis) -> Vec<&str> {
    let evidence = diagnosis
        .findings
        .iter()
        .take(1)
        .flat_map(|it| &it.evidence);
    evidence
        .filter(|it| matches!(it.fact, crate::evidence::FactRef::KnownIssue { .. }))
        .map(|it| it.claim.as_str())
        .collect()
}

#[test]
fn the_remedy_names_the_first_fixed_version() {
    let found = diagnosis(
        "captures/sobolsample-nonscalar-2.8.0",
        KnownIssues::built_in(),
    );
    assert_eq!(commands(&found), ["pip install 'tensorflow-cpu==2.8.4'"]);
    assert!(
        claims(&found)[0].starts_with("CVE-2022-35935"),
        "{:?}",
        claims(&found)
    );
}

#[test]
fn an_op_that_no_release_fixes_has_no_version_to_install() {
    let found = diagnosis("captures/irfft2d-overflow-2.15.1", KnownIssues::built_in());
    assert_eq!(commands(&found), [""; 0]);
    assert!(
        claims(&found)[0].contains("No release"),
        "{:?}",
        claims(&found)
    );
}

#[test]
fn another_way_to_die_is_only_mentioned() {
    let mut capture = fixtures::load("captures/sobolsample-nonscalar-2.8.0");
    let issues = KnownIssues::built_in();
    let facts = Facts::new(&capture, issues);
    let mut finding = crate::diagnosis::diagnose(&facts).findings.remove(0);
    finding.cause = Cause::DivisionByZero;
    let (evidence, remedies) = (finding.evidence.len(), finding.remedies.len());
    issues.attach(&facts, &mut finding);
    assert_eq!(finding.remedies.len(), remedies);
    let added = &finding.evidence[evidence - 1..];
    assert!(
        added.iter().any(|it| it.claim.contains("may be another")),
        "{added:?}"
    );
    // A version with the fix is not blamed at all.
    let modules = capture.modules.known().cloned().unwrap_or_default();
    capture.modules = crate::capture::Observed::Known(
        modules
            .into_iter()
            .map(|mut module| {
                module.package = module.package.map(|it| Package {
                    name: it.name,
                    version: "2.12.1".to_owned(),
                });
                module
            })
            .collect(),
    );
    capture.ending.signal = Some(Signal::ABRT);
    if let crate::capture::Observed::Known(packages) = &mut capture.environment.packages {
        for package in packages {
            package.version = "2.12.1".to_owned();
        }
    }
    let death = Death::judged_by(&capture, issues);
    assert_eq!(claims(&death.diagnosis), [""; 0]);
}

const OSV: &str = r#"{"vulns": [{
    "id": "GHSA-test-0001",
    "aliases": ["CVE-2099-0001"],
    "summary": "`CHECK` failure in IRFFT2D",
    "details": "A huge `fft_length` given to `tf.raw_ops.IRFFT2D` fails a check.",
    "affected": [
        {
            "package": {"name": "TensorFlow", "ecosystem": "PyPI"},
            "ranges": [
                {"type": "GIT", "events": [{"introduced": "0"}, {"fixed": "abcdef"}]},
                {"type": "ECOSYSTEM", "events": [{"introduced": "2.4.0"}, {"fixed": "2.15.9"}, {"introduced": "2.16.0"}, {"fixed": "2.30.0"}]}
            ]
        },
        {"package": {"name": "tensorflow", "ecosystem": "npm"}, "versions": ["2.15.1"]}
    ]
}]}"#;

#[test]
fn advisories_that_are_given_count_like_the_built_in_ones() {
    let issues = KnownIssues::default().with_osv(OSV.as_bytes()).unwrap();
    assert_eq!(issues.len(), 1);
    let found = diagnosis("captures/irfft2d-overflow-2.15.1", &issues);
    assert_eq!(commands(&found), ["pip install 'tensorflow-cpu==2.15.9'"]);
    assert!(
        claims(&found)[0].contains("CVE-2099-0001"),
        "{:?}",
        claims(&found)
    );
    let other = diagnosis("captures/blocklstmgrad-scalar-grad-2.15.1", &issues);
    assert_eq!(claims(&other), [""; 0]);
}

#[test]
fn one_advisory_a_list_and_an_answer_are_read_alike() {
    let answer: serde_json::Value = serde_json::from_str(OSV).unwrap();
    let one = answer["vulns"][0].to_string();
    for text in [one.clone(), format!("[{one}]"), OSV.to_owned()] {
        let issues = KnownIssues::default().with_osv(text.as_bytes()).unwrap();
        assert_eq!(issues.len(), 1, "{text}");
    }
    // An advisory that is built in, too, is there once.
    let known = one.replace("CVE-2099-0001", "CVE-2022-35935");
    let all = KnownIssues::built_in().with_osv(known.as_bytes()).unwrap();
    assert_eq!(all.len(), KnownIssues::built_in().len());
}

#[test]
fn what_is_no_advisory_is_refused_in_words() {
    for text in ["", "[1]", "{}", "\u{0}", "[[[[", r#"{"vulns": 3}"#] {
        let error = KnownIssues::default()
            .with_osv(text.as_bytes())
            .unwrap_err();
        assert!(error.to_string().contains("OSV"), "{error}");
    }
}
