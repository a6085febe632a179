//! Logs as they come: cut anywhere, coloured, with prefixes, mixed. Less of a text must never make anything proven that
//! the whole does not bear out.

use proptest::prelude::*;

use super::read;
use super::scored::{Log, logs};
use crate::cause::Depth;
use crate::diagnosis::{Confidence, Finding};
use crate::graded::{findings, first};

/// What is wrong with the answer to a part of a log. Without the rest of the text a mechanism may be all there is to
/// tell, and the whole must bear it out; an origin that is not the right one is never certain.
fn wrong_and_certain(log: &Log, whole: &[Finding], text: &str) -> Option<String> {
    let finding = first(&read(text.as_bytes()).unwrap());
    let is_borne_out = finding.cause.depth() == Depth::Mechanism
        && whole.iter().any(|other| other.cause == finding.cause);
    let is_wrong =
        finding.confidence == Confidence::Certain && !log.accepts(finding.cause) && !is_borne_out;
    is_wrong.then(|| format!("log {}: {} is certain of\n{text}\n", log.id, finding.cause))
}

#[test]
fn a_log_that_is_cut_at_any_line_makes_nothing_wrong_certain() {
    let mut wrong = Vec::new();
    for log in logs() {
        let whole = findings(&read(log.text.as_bytes()).unwrap());
        let lines: Vec<&str> = log.text.lines().collect();
        for length in 1..=lines.len() {
            let (begin, end) = lines.split_at(length);
            wrong.extend(wrong_and_certain(&log, &whole, &begin.join("\n")));
            wrong.extend(wrong_and_certain(&log, &whole, &end.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A way in which lines are changed on their way to a person, that changes nothing of what they say.
const DISGUISES: [fn(&str) -> String; 6] = [
    |line| format!("[1,2]<stderr>:{line}"),
    |line| format!("\x1b[31m{line}\x1b[0m"),
    |line| format!("trainer-1  | {line}"),
    |line| format!("2024-01-02T03:04:05.123456789Z stderr F {line}"),
    |line| format!(" 10%|#   |\r 20%|##  |\r{line}\r"),
    |line| format!("> {line}"),
];

#[test]
fn colours_and_prefixes_change_no_answer() {
    for log in logs() {
        let plain = first(&read(log.text.as_bytes()).unwrap());
        for (number, disguise) in DISGUISES.iter().enumerate() {
            let disguised = |line: &str| {
                if line.trim().is_empty() {
                    line.to_owned()
                } else {
                    disguise(line)
                }
            };
            let lines: Vec<String> = log.text.lines().map(disguised).collect();
            let found = first(&read(lines.join("\n").as_bytes()).unwrap());
            assert_eq!(
                (found.cause, found.confidence),
                (plain.cause, plain.confidence),
                "log {} in disguise {number}",
                log.id
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..4096)) {
        let capture = read(bytes.as_slice()).unwrap();
        first(&capture);
    }

    #[test]
    fn parts_of_logs_in_any_mixture_are_read(parts in proptest::collection::vec((0_usize..134, 0_usize..40, 0_usize..200), 1..40)) {
        let logs = logs();
        let mut text = String::new();
        for (log, line, cut) in parts {
            let line = logs[log % logs.len()].text.lines().nth(line).unwrap_or_default();
            text.push_str(line.get(..line.floor_char_boundary(cut)).unwrap_or_default());
            text.push(if cut % 7 == 0 { '\r' } else { '\n' });
        }
        first(&read(text.as_bytes()).unwrap());
    }
}
