//! Every log that people pasted is judged, and compared with the causes that count as right for it.
//!
//! The answers are committed as `fixtures/logs/score.txt`.

use crate::cause::Cause;
use crate::fixtures;
use crate::graded::{self, Answer};

/// A log and the causes that are right for it.
pub(super) struct Log {
    pub(super) id: String,
    pub(super) text: String,
    accept: String,
}

pub(super) fn logs() -> Vec<Log> {
    let labels = std::fs::read_to_string(fixtures::folder().join("logs/labels.csv")).unwrap();
    let log = |line: &str| {
        let mut fields = line.split(',');
        let id = fields.next()?.to_owned();
        let accept = fields.nth(1)?.to_owned();
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

impl Log {
    pub(super) fn accepts(&self, cause: Cause) -> bool {
        self.accept.split(' ').any(|word| word == cause.word())
    }
}

#[test]
fn pasted_logs_are_explained_at_least_as_well_as_before() {
    let answers: Vec<Answer> = logs()
        .iter()
        .map(|log| {
            let capture = super::read(log.text.as_bytes()).unwrap();
            Answer::new(&log.id, &log.accept, &capture)
        })
        .collect();
    graded::hold(&answers, &fixtures::folder().join("logs/score.txt"));
}
