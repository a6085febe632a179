//! Killed by SIGKILL, and nobody says by whom: for memory, where something else speaks for it.

use crate::book::{Judge, Rule};
use crate::capture::{EndingKind, Signal};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, excerpt};
use crate::rule::Suspicion;
use crate::rules::death::limits::memory::{scarcity, with_growth, with_remedies};

pub(super) static RULE: Rule = Rule {
    id: "LIM002",
    name: "killed-unrecorded",
    summary: "The process was killed by SIGKILL without a record of why; lack of memory is a possible reason.",
    causes: &[Cause::OutOfMemory],
    since: "0.1.0",
    doc: include_str!("killed_unrecorded.md"),
    judge: Judge::Death(judge),
};

/// What is seen in text around kills for memory, and why it counts.
const FITTING: [(&str, &str); 3] = [
    (
        "memory-in-demand",
        "Memory was in demand before it was killed",
    ),
    (
        "confined-place",
        "It ran where memory is limited from outside",
    ),
    (
        "framework-at-work",
        "It was in the midst of work that takes more and more memory, and said nothing of an error",
    ),
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let is_recorded = facts.capture().ending.kind == EndingKind::OomKill;
    if is_recorded || !facts.died_of(Signal::KILL) {
        return None;
    }
    let headline = "It was killed (SIGKILL), probably by the kernel because memory ran out";
    let claim = "The kernel kills so for memory; people and job schedulers kill so too.";
    let suspicion = Suspicion::new(Cause::OutOfMemory, headline).supported(
        Weight::Weak,
        FactRef::Ending,
        claim,
    );
    let suspicion = if facts.is_text() {
        judge_text(facts, suspicion)
    } else {
        judge_process(facts, suspicion)
    };
    Some(with_growth(facts, with_remedies(facts, suspicion)))
}

fn judge_text(facts: &Facts<'_>, mut suspicion: Suspicion) -> Suspicion {
    let mut fitting = FITTING.iter();
    if let Some((sight, why)) = fitting.find_map(|(id, why)| Some((facts.sign(id)?, why))) {
        let claim = format!("{why}: \"{}\".", excerpt(sight.text));
        suspicion = suspicion.supported(Weight::Strong, sight.fact.clone(), claim);
    }
    if let Some(sight) = facts.sign("container-not-killed-for-memory") {
        let claim = "The container's first process is not marked as killed for memory.";
        suspicion = suspicion.opposed(Weight::Weak, sight.fact.clone(), claim);
    }
    if let Some((fact, text)) = facts.ordered_end() {
        let claim = format!("Somebody ordered its end: \"{}\".", excerpt(text));
        suspicion = suspicion.opposed(Weight::Decisive, fact, claim);
    }
    match facts.last_words() {
        Some((fact, message)) => {
            let claim = format!("It said why it gave up: \"{}\".", excerpt(&message.text));
            suspicion.opposed(Weight::Strong, fact, claim)
        }
        None => suspicion,
    }
}

fn judge_process(facts: &Facts<'_>, mut suspicion: Suspicion) -> Suspicion {
    if let Some((fact, claim)) = scarcity(facts) {
        suspicion = suspicion.supported(Weight::Strong, fact, claim);
    }
    if let Some(sender) = facts.sender() {
        let claim = format!("Process {sender} sent the signal, not the kernel.");
        suspicion = suspicion.opposed(Weight::Decisive, FactRef::Ending, claim);
    }
    if let Some(entry) = facts.processor_time_used_up() {
        let claim = "Its processor time was used up, for which the kernel kills as well.";
        let fact = FactRef::Resource {
            resource: entry.resource,
        };
        suspicion = suspicion.opposed(Weight::Decisive, fact, claim);
    }
    let oom = facts.capture().circumstances.oom.known();
    if oom.is_some_and(|oom| oom.group_kills == Some(0) || oom.named_in_log == Some(false)) {
        let claim = "The kernel has no record of a kill for memory at that time.";
        suspicion = suspicion.opposed(Weight::Decisive, FactRef::Oom, claim);
    }
    suspicion
}
