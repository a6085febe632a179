//! Every log that people pasted is judged, and compared with the causes that count as right for it.
//!
//! The answers are committed as `fixtures/logs/score.txt`. A row may become better at any time; with `CRASHLENS_UPDATE`
//! set in the environment, the file is written anew.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::capture::CrashCapture;
use crate::cause::Cause;
use crate::diagnosis::{Confidence, Finding, diagnose};
use crate::facts::Facts;
use crate::fixtures;
use crate::known_issues::KnownIssues;

/// A log and the causes that are right for it.
pub(super) struct Log {
    pub(super) id: String,
    pub(super) text: String,
    accept: Vec<String>,
}

pub(super) fn logs() -> Vec<Log> {
    let labels = std::fs::read_to_string(fixtures::folder().join("logs/labels.csv")).unwrap();
    let log = |line: &str| {
        let mut fields = line.split(',');
        let id = fields.next()?.to_owned();
        let accept = fields.nth(1)?.split(' ').map(str::to_owned).collect();
        let path = fixtures::folder().join(format!("logs/{id}.txt"));
        let text = std::fs::read_to_string(path).ok()?;
        Some(Log { id, text, accept })
    };
    labels
        .lines()
        .skip(1)
        .map(|line| log(line).unwrap())
        .collect()
}

/// What is named of a text.
pub(super) fn all(capture: &CrashCapture) -> Vec<Finding> {
    diagnose(&Facts::new(capture, KnownIssues::built_in())).findings
}

/// What is named first.
pub(super) fn first(capture: &CrashCapture) -> Finding {
    let mut findings = all(capture).into_iter();
    findings.next().expect("there is always an answer")
}

impl Log {
    pub(super) fn accepts(&self, cause: Cause) -> bool {
        self.accept.iter().any(|word| word == cause.word())
    }

    fn judge(&self) -> Judged<'_> {
        let capture = super::read(self.text.as_bytes()).unwrap();
        Judged {
            log: self,
            first: first(&capture),
        }
    }
}

struct Judged<'a> {
    log: &'a Log,
    first: Finding,
}

/// How good an answer is, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Grade {
    WrongCertain,
    Wrong,
    Open,
    Right,
}

const GRADES: [(Grade, &str); 4] = [
    (Grade::WrongCertain, "WRONG-CERTAIN"),
    (Grade::Wrong, "WRONG"),
    (Grade::Open, "OPEN"),
    (Grade::Right, "right"),
];

impl Judged<'_> {
    fn grade(&self) -> Grade {
        let cause = self.first.cause;
        if self.log.accepts(cause) {
            Grade::Right
        } else if cause == Cause::InsufficientEvidence {
            Grade::Open
        } else if self.first.confidence == Confidence::Certain {
            Grade::WrongCertain
        } else {
            Grade::Wrong
        }
    }

    fn row(&self) -> String {
        let word = GRADES
            .iter()
            .find(|(grade, _)| *grade == self.grade())
            .unwrap()
            .1;
        let confidence = serde_json::to_value(self.first.confidence).unwrap();
        format!(
            "{:<6}{:<23}{:<23}{:<12}{:<28}{word}",
            self.log.id,
            self.log.accept[0],
            self.first.cause.word(),
            confidence.as_str().unwrap(),
            self.first.name,
        )
    }
}

fn path() -> PathBuf {
    fixtures::folder().join("logs/score.txt")
}

fn table(judged: &[Judged<'_>]) -> String {
    let mut lines = vec![
        "log   expected               first                  confidence  rule                        verdict".to_owned(),
    ];
    lines.extend(judged.iter().map(Judged::row));
    let count = |grade: Grade| judged.iter().filter(|one| one.grade() == grade).count();
    let open = judged
        .iter()
        .filter(|one| one.log.accepts(Cause::InsufficientEvidence));
    let (open, kept_open) = open.fold((0, 0), |(all, right), one| {
        (all + 1, right + usize::from(one.grade() == Grade::Right))
    });
    lines.push(format!(
        "\n{} logs: the right answer first in {}, of these {kept_open} of {open} that tell too little; left open in {}, wrong in {}, wrong and certain in {}\n",
        judged.len(),
        count(Grade::Right),
        count(Grade::Open),
        count(Grade::Wrong),
        count(Grade::WrongCertain),
    ));
    lines.join("\n")
}

fn committed() -> BTreeMap<String, Grade> {
    let text = std::fs::read_to_string(path()).unwrap_or_default();
    let rows = text.lines().skip(1).take_while(|line| !line.is_empty());
    rows.filter_map(|line| {
        let mut words = line.split_whitespace();
        let log = words.next()?.to_owned();
        let last = words.next_back()?;
        Some((log, GRADES.iter().find(|(_, word)| *word == last)?.0))
    })
    .collect()
}

#[test]
fn pasted_logs_are_explained_at_least_as_well_as_before() {
    let logs = logs();
    let judged: Vec<Judged<'_>> = logs.iter().map(Log::judge).collect();
    if std::env::var_os("CRASHLENS_UPDATE").is_some() {
        std::fs::write(path(), table(&judged)).unwrap();
    }
    let before = committed();
    let worse = judged.iter().filter(|one| {
        let before = before.get(&one.log.id);
        before.is_some_and(|before| one.grade() < *before)
    });
    let worse: Vec<String> = worse.map(Judged::row).collect();
    assert!(
        worse.is_empty(),
        "worse than in {}:\n{}\nCRASHLENS_UPDATE=1 writes the file anew: now it would be\n{}",
        path().display(),
        worse.join("\n"),
        table(&judged)
    );
}
