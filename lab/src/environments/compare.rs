//! What was seen against what is expected.

use super::description::{Environment, ExpectedFinding};
use super::observe::{Finding, Outcome};

/// What the program did otherwise than described, each as a sentence.
pub fn outcome(environment: &Environment, outcome: &Outcome) -> Vec<String> {
    let mut faults = Vec::new();
    if !environment.ends.contains(&outcome.ended) {
        faults.push(format!(
            "it ended with {}, not with {}; it said \"{}\"",
            outcome.ended,
            environment.ends.join(" or "),
            outcome.said
        ));
    }
    if !outcome.said_so {
        faults.push(format!(
            "it did not say \"{}\" but \"{}\"",
            environment.says, outcome.said
        ));
    }
    faults
}

/// What the check says otherwise than described, each as a sentence.
pub fn findings(environment: &Environment, findings: &[Finding]) -> Vec<String> {
    let mut faults = Vec::new();
    for expected in &environment.findings {
        if !findings.iter().any(|finding| is_of(finding, expected)) {
            faults.push(format!("not found: {}", told(expected)));
        }
    }
    for finding in findings {
        let is_expected = |expected| is_of(finding, expected);
        if !environment.findings.iter().any(is_expected) {
            faults.push(format!(
                "found as well: {} [{}]: {} ({})",
                finding.rule,
                finding.severity,
                finding.headline,
                finding.commands.join("; ")
            ));
        }
    }
    faults
}

fn is_of(finding: &Finding, expected: &ExpectedFinding) -> bool {
    let has = |list: &[String], test: &dyn Fn(&String) -> bool| list.iter().any(test);
    finding.rule == expected.rule
        && finding.severity == expected.severity
        && finding.headline.contains(&expected.headline)
        && (expected.file.is_empty() || has(&finding.files, &|path| path.ends_with(&expected.file)))
        && (expected.package.is_empty()
            || has(&finding.packages, &|name| *name == expected.package))
        && (expected.fix.is_empty()
            || has(&finding.commands, &|command| {
                command.contains(&expected.fix)
            }))
}

fn told(expected: &ExpectedFinding) -> String {
    let ExpectedFinding {
        rule,
        severity,
        file,
        package,
        fix,
        headline,
    } = expected;
    format!("{rule} [{severity}] file …{file} package {package} fix …{fix}… headline …{headline}…")
}
