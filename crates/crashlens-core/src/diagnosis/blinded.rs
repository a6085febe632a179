//! What is not known makes nobody surer: every recorded death is judged with one fact after the other taken away.

use crate::capture::{CrashCapture, Observed};
use crate::cause::Cause;
use crate::diagnosis::Confidence;
use crate::fixtures;
use crate::graded::{Answer, Grade};

/// Takes one fact away; false where it was not known anyway.
fn forget<T>(fact: &mut Observed<T>) -> bool {
    let was_known = !matches!(fact, Observed::Unknown(_));
    *fact = Observed::default();
    was_known
}

/// Ways not to have looked.
const BLINDS: [fn(&mut CrashCapture) -> bool; 17] = [
    |capture| forget(&mut capture.testimony.fault),
    |capture| forget(&mut capture.testimony.foreign_call),
    |capture| forget(&mut capture.testimony.exception),
    |capture| forget(&mut capture.testimony.abort_message),
    |capture| forget(&mut capture.testimony.fatal_log),
    |capture| forget(&mut capture.testimony.op),
    |capture| forget(&mut capture.testimony.errno),
    |capture| forget(&mut capture.circumstances.lineage),
    |capture| forget(&mut capture.circumstances.resources),
    |capture| forget(&mut capture.circumstances.timeline),
    |capture| forget(&mut capture.circumstances.kernel_log),
    |capture| forget(&mut capture.circumstances.oom),
    |capture| forget(&mut capture.output.stderr),
    |capture| forget(&mut capture.modules),
    |capture| forget(&mut capture.registers),
    |capture| forget(&mut capture.environment.python),
    |capture| forget(&mut capture.environment.variables),
];

#[test]
fn a_fact_that_could_not_be_seen_leads_to_no_certain_error() {
    let labels = std::fs::read_to_string(fixtures::folder().join("captures/labels.csv")).unwrap();
    let mut wrong = Vec::new();
    for line in labels.lines().skip(1) {
        let (name, accept) = line.split_once(',').unwrap();
        let whole = fixtures::load(&format!("captures/{name}"));
        for (number, blind) in BLINDS.iter().enumerate() {
            let mut capture = whole.clone();
            if !blind(&mut capture) {
                continue;
            }
            let answer = Answer::new(name, accept, &capture);
            if answer.grade() == Grade::WrongCertain {
                let cause = answer.first().cause;
                wrong.push(format!("{name} without fact {number}: {cause}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_standard_error_that_was_not_seen_costs_certainty_only_where_it_may_say_more() {
    let may_say_more = [
        Cause::NullPointer,
        Cause::OutOfBounds,
        Cause::UseAfterFree,
        Cause::HeapCorruption,
    ];
    let labels = std::fs::read_to_string(fixtures::folder().join("captures/labels.csv")).unwrap();
    for line in labels.lines().skip(1) {
        let (name, accept) = line.split_once(',').unwrap();
        let whole = fixtures::load(&format!("captures/{name}"));
        let mut blind = whole.clone();
        if !forget(&mut blind.output.stderr) {
            continue;
        }
        let [seen, unseen] = [whole, blind].map(|capture| {
            let first = Answer::new(name, accept, &capture).first().clone();
            (first.cause, first.confidence)
        });
        let is_lowered = seen.1 == Confidence::Certain && unseen == (seen.0, Confidence::Likely);
        assert!(
            !is_lowered || may_say_more.contains(&seen.0),
            "{name}: {}",
            seen.0
        );
    }
}
