//! Answers held against what is right, and against the answers that are committed.
//!
//! A row may become better at any time; with `CRASHLENS_UPDATE` set in the environment, the file is written anew.

use std::collections::BTreeMap;
use std::path::Path;

use crate::capture::CrashCapture;
use crate::cause::Cause;
use crate::diagnosis::{Confidence, Finding, diagnose};
use crate::facts::Facts;
use crate::known_issues::KnownIssues;

/// What is named of a capture by the built-in tables.
pub(crate) fn findings(capture: &CrashCapture) -> Vec<Finding> {
    diagnose(&Facts::new(capture, KnownIssues::built_in())).findings
}

/// What is named first.
pub(crate) fn first(capture: &CrashCapture) -> Finding {
    let mut findings = findings(capture).into_iter();
    findings.next().expect("there is always an answer")
}

/// One death: what is right, and what was said.
pub(crate) struct Answer {
    pub(crate) id: String,
    /// Words of causes that count as right, the best first.
    pub(crate) accept: Vec<String>,
    pub(crate) findings: Vec<Finding>,
}

/// How good an answer is, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Grade {
    WrongCertain,
    Wrong,
    Later,
    Open,
    Right,
}

const GRADES: [(Grade, &str); 5] = [
    (Grade::WrongCertain, "WRONG-CERTAIN"),
    (Grade::Wrong, "WRONG"),
    (Grade::Later, "LATER"),
    (Grade::Open, "OPEN"),
    (Grade::Right, "right"),
];

impl Answer {
    pub(crate) fn new(id: &str, accept: &str, capture: &CrashCapture) -> Self {
        Self {
            id: id.to_owned(),
            accept: accept.split(' ').map(str::to_owned).collect(),
            findings: findings(capture),
        }
    }

    pub(crate) fn first(&self) -> &Finding {
        self.findings.first().expect("there is always an answer")
    }

    pub(crate) fn accepts(&self, cause: Cause) -> bool {
        self.accept.iter().any(|word| word == cause.word())
    }

    pub(crate) fn grade(&self) -> Grade {
        let first = self.first();
        if self.accepts(first.cause) {
            Grade::Right
        } else if first.cause == Cause::InsufficientEvidence {
            Grade::Open
        } else if first.confidence == Confidence::Certain {
            Grade::WrongCertain
        } else if self.findings.iter().any(|it| self.accepts(it.cause)) {
            Grade::Later
        } else {
            Grade::Wrong
        }
    }

    fn row(&self) -> String {
        let first = self.first();
        let confidence = serde_json::to_value(first.confidence).unwrap();
        let grade = GRADES.iter().find(|(it, _)| *it == self.grade()).unwrap();
        format!(
            "{:<40}{:<23}{:<23}{:<12}{:<24}{}",
            self.id,
            self.accept[0],
            first.cause.word(),
            confidence.as_str().unwrap(),
            first.name,
            grade.1
        )
    }
}

/// The rows, what was mistaken for what, and the sum.
fn table(answers: &[Answer]) -> String {
    let mut lines = vec![
        "death                                   expected               first                  confidence  rule                    verdict".to_owned(),
    ];
    lines.extend(answers.iter().map(Answer::row));
    let mut matrix: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for answer in answers {
        let named = matrix.entry(&answer.accept[0]).or_default();
        *named.entry(answer.first().cause.word()).or_default() += 1;
    }
    lines.push("\nexpected               named first, and how often".to_owned());
    for (expected, named) in matrix {
        let named = named
            .iter()
            .map(|(first, count)| format!("{first} {count}"));
        let named: Vec<_> = named.collect();
        lines.push(format!("{expected:<23}{}", named.join(", ")));
    }
    let count = |grade: Grade| answers.iter().filter(|it| it.grade() == grade).count();
    let untold = |it: &&Answer| it.accepts(Cause::InsufficientEvidence);
    let kept = answers
        .iter()
        .filter(untold)
        .filter(|it| it.grade() == Grade::Right);
    lines.push(format!(
        "\n{} deaths: the right answer first in {}, of these {} of {} that tell too little; later in {}, left open in {}, wrong in {}, wrong and certain in {}\n",
        answers.len(),
        count(Grade::Right),
        kept.count(),
        answers.iter().filter(untold).count(),
        count(Grade::Later),
        count(Grade::Open),
        count(Grade::Wrong),
        count(Grade::WrongCertain)
    ));
    lines.join("\n")
}

/// Fails where an answer is worse than the one that is committed at `path`, or wrong and certain.
pub(crate) fn hold(answers: &[Answer], path: &Path) {
    if std::env::var_os("CRASHLENS_UPDATE").is_some() {
        std::fs::write(path, table(answers)).unwrap();
    }
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let rows = text.lines().skip(1).take_while(|line| !line.is_empty());
    let before: BTreeMap<&str, Grade> = rows
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (id, last) = (words.next()?, words.next_back()?);
            Some((id, GRADES.iter().find(|(_, word)| *word == last)?.0))
        })
        .collect();
    let is_worse = |it: &&Answer| {
        let grade = it.grade();
        let before = before.get(it.id.as_str());
        grade == Grade::WrongCertain || before.is_some_and(|before| grade < *before)
    };
    let worse: Vec<String> = answers.iter().filter(is_worse).map(Answer::row).collect();
    assert!(
        worse.is_empty(),
        "worse than in {}, or wrong and certain:\n{}\nCRASHLENS_UPDATE=1 writes the file anew: now it would be\n{}",
        path.display(),
        worse.join("\n"),
        table(answers)
    );
}
