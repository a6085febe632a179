//! The program stopped itself with an instruction that compilers put where it must not get to.

use crate::book::{Judge, Rule};
use crate::capture::Signal;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::memory::is_trap;

pub(super) static RULE: Rule = Rule {
    id: "MEM017",
    name: "trap-instruction",
    summary: "The program executed `ud2`, an instruction that compilers place where execution must never arrive.",
    causes: &[Cause::IllegalInstruction],
    since: "0.1.0",
    doc: include_str!("trap_instruction.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if !facts.died_of(Signal::ILL) || facts.signal_was_sent() {
        return None;
    }
    let instruction = facts
        .fault()?
        .instruction
        .as_ref()
        .filter(|it| is_trap(it))?;
    let (actor, text) = (facts.actor(), &instruction.text);
    let headline = format!(
        "{actor} stopped itself with a trap instruction (`{text}`): no processor feature is missing"
    );
    let claim = format!(
        "The instruction is `{text}`, which no processor runs: compilers put it where a program must not get to."
    );
    let action = format!(
        "Find the check in {actor} that failed: __builtin_trap, an unreachable branch, or a sanitizer's trap."
    );
    Some(
        Suspicion::new(Cause::IllegalInstruction, headline)
            .supported(Weight::Strong, FactRef::Fault, claim)
            .remedy(Remedy::new(action)),
    )
}
