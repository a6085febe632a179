//! Every recorded death is judged, and compared with the causes that count as right for it.
//!
//! The answers are committed as `fixtures/captures/confusion.txt`. A row may become better at any time; with
//! `CRASHLENS_UPDATE` set in the environment, the file is written anew.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{Confidence, diagnose};
use crate::cause::Cause;
use crate::facts::Facts;
use crate::fixtures;
use crate::known_issues::KnownIssues;

const HEADING: &str = "capture                                 expected               first                  confidence  verdict";

/// One recorded death: what is right, and what was said.
struct Judged {
    capture: String,
    accept: Vec<String>,
    first: Cause,
    confidence: Confidence,
    is_named_later: bool,
}

/// How good an answer is, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Grade {
    WrongCertain,
    Wrong,
    Later,
    Open,
    Right,
}

impl Grade {
    fn word(self) -> &'static str {
        match self {
            Self::WrongCertain => "WRONG-CERTAIN",
            Self::Wrong => "WRONG",
            Self::Later => "LATER",
            Self::Open => "OPEN",
            Self::Right => "right",
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        let all = [
            Self::WrongCertain,
            Self::Wrong,
            Self::Later,
            Self::Open,
            Self::Right,
        ];
        all.into_iter().find(|grade| grade.word() == word)
    }
}

impl Judged {
    fn new(capture: &str, accept: &str) -> Self {
        let facts = fixtures::load(&format!("captures/{capture}"));
        let diagnosis = diagnose(&Facts::new(&facts, KnownIssues::built_in()));
        let accept: Vec<_> = accept.split(' ').map(str::to_owned).collect();
        let is_right = |cause: Cause| accept.iter().any(|word| word == cause.word());
        let first = diagnosis.findings.first();
        Self {
            capture: capture.to_owned(),
            first: first.map_or(Cause::InsufficientEvidence, |finding| finding.cause),
            confidence: first.map_or(Confidence::Possible, |finding| finding.confidence),
            is_named_later: diagnosis
                .findings
                .iter()
                .any(|finding| is_right(finding.cause)),
            accept,
        }
    }

    fn grade(&self) -> Grade {
        if self.accept.iter().any(|word| word == self.first.word()) {
            Grade::Right
        } else if self.first == Cause::InsufficientEvidence {
            Grade::Open
        } else if self.confidence == Confidence::Certain {
            Grade::WrongCertain
        } else if self.is_named_later {
            Grade::Later
        } else {
            Grade::Wrong
        }
    }

    fn row(&self) -> String {
        let confidence = serde_json::to_value(self.confidence).unwrap();
        format!(
            "{:<40}{:<23}{:<23}{:<12}{}",
            self.capture,
            self.accept[0],
            self.first.word(),
            confidence.as_str().unwrap(),
            self.grade().word()
        )
    }
}

fn path() -> PathBuf {
    fixtures::folder().join("captures/confusion.txt")
}

fn all() -> Vec<Judged> {
    let labels = std::fs::read_to_string(fixtures::folder().join("captures/labels.csv")).unwrap();
    let labels = labels.lines().skip(1);
    labels
        .map(|line| {
            let (capture, accept) = line.split_once(',').unwrap();
            Judged::new(capture, accept)
        })
        .collect()
}

/// The rows, what was mistaken for what, and the sum.
fn table(judged: &[Judged]) -> String {
    let mut matrix: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    let mut lines = vec![HEADING.to_owned()];
    for one in judged {
        let named = matrix.entry(&one.accept[0]).or_default();
        *named.entry(one.first.word()).or_default() += 1;
        lines.push(one.row());
    }
    lines.push("\nexpected               named first, and how often".to_owned());
    for (expected, named) in matrix {
        let named: Vec<_> = named
            .into_iter()
            .map(|(first, count)| format!("{first} {count}"))
            .collect();
        lines.push(format!("{expected:<23}{}", named.join(", ")));
    }
    let count = |grade: Grade| judged.iter().filter(|one| one.grade() == grade).count();
    lines.push(format!(
        "\n{} captures: the right cause first in {}, later in {}, left open in {}, wrong in {}, wrong and certain in {}\n",
        judged.len(),
        count(Grade::Right),
        count(Grade::Later),
        count(Grade::Open),
        count(Grade::Wrong),
        count(Grade::WrongCertain)
    ));
    lines.join("\n")
}

fn committed() -> BTreeMap<String, Grade> {
    let text = std::fs::read_to_string(path()).unwrap_or_default();
    text.lines()
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((
                words.next()?.to_owned(),
                Grade::of_word(words.next_back()?)?,
            ))
        })
        .collect()
}

#[test]
fn recorded_deaths_are_explained_at_least_as_well_as_before() {
    let judged = all();
    if std::env::var_os("CRASHLENS_UPDATE").is_some() {
        std::fs::write(path(), table(&judged)).unwrap();
    }
    let before = committed();
    let mut worse = Vec::new();
    for one in &judged {
        let grade = one.grade();
        let is_worse = before
            .get(&one.capture)
            .is_some_and(|before| grade < *before);
        if is_worse || grade == Grade::WrongCertain {
            worse.push(one.row());
        }
    }
    assert!(
        worse.is_empty(),
        "worse than in {}, or wrong and certain:\n{}\n\nall of them:\n{}",
        path().display(),
        worse.join("\n"),
        table(&judged)
    );
}

#[test]
fn every_recorded_death_has_a_label_and_every_label_a_recorded_death() {
    let labels = std::fs::read_to_string(fixtures::folder().join("captures/labels.csv")).unwrap();
    let labelled: Vec<_> = labels
        .lines()
        .skip(1)
        .filter_map(|line| Some(format!("captures/{}", line.split_once(',')?.0)))
        .collect();
    assert_eq!(labelled, fixtures::all_in("captures"));
    for word in labels
        .lines()
        .skip(1)
        .flat_map(|line| line.split([',', ' ']).skip(1))
    {
        assert!(
            Cause::ALL.iter().any(|cause| cause.word() == word),
            "{word} is no cause"
        );
    }
}
