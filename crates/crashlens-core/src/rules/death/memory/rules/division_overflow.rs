//! A division whose result has no room: the most negative integer by -1.

use crate::book::{Judge, Rule};
use crate::capture::Signal;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "MEM014",
    name: "division-overflow",
    summary: "The result of an integer division does not fit its type, such as the smallest integer divided by -1.",
    causes: &[Cause::BadInputValue],
    since: "0.1.0",
    doc: include_str!("division_overflow.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if !facts.died_of(Signal::FPE) || facts.signal_was_sent() {
        return None;
    }
    let division = facts.fault()?.division.as_ref()?;
    let value = division.value.filter(|value| *value != 0)?;
    let (actor, bits) = (facts.actor(), division.bits);
    let headline = if value == -1 {
        format!(
            "{actor} divided the most negative integer by -1, which has no result in {bits} bits"
        )
    } else {
        format!("{actor} divided by {value}, and the result has no room in {bits} bits")
    };
    let claim = format!(
        "The instruction divided by {} ({value}), and the processor refused it.",
        division.divisor
    );
    let line = facts.in_user_line();
    let action = format!(
        "Keep the smallest integer of the type (-2147483648 for int32) away from a divisor of -1{line}."
    );
    Some(
        Suspicion::new(Cause::BadInputValue, headline)
            .supported(Weight::Strong, FactRef::Fault, claim)
            .remedy(Remedy::new(action))
            .remedy(Remedy::new(
                "Use a wider type, or negate instead of dividing by -1.",
            )),
    )
}
