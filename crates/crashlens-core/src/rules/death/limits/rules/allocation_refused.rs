//! Memory was asked for and refused: the program said so, or did not look and used the null pointer it got.

use crate::book::{Judge, Rule};
use crate::capture::{Resource, ResourceUse};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, bytes};
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::limits::memory::{scarcity, with_growth, with_remedies};
use crate::rules::death::limits::refusal::Refusal;

pub(super) static RULE: Rule = Rule {
    id: "LIM003",
    name: "allocation-refused",
    summary: "The process asked for memory, the system refused, and the program did not survive it.",
    causes: &[Cause::OutOfMemory],
    since: "0.1.0",
    doc: include_str!("allocation_refused.md"),
    judge: Judge::Death(judge),
};

/// With so much left, no ordinary request is refused.
const PLENTY: u64 = 4 << 30;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let refusal = Refusal::of(facts)?;
    let tight = refusal.tight_limit(facts);
    let scarce = scarcity(facts);
    let is_short = tight.is_some() || scarce.is_some();
    // Anybody may use a null pointer long after memory was refused for something else.
    if !refusal.is_said && !is_short {
        return None;
    }
    let weight = if is_short || facts.is_text() {
        refusal.weight
    } else {
        Weight::Weak
    };
    let headline = tight.map_or_else(
        || "There was not enough memory for what it asked for".to_owned(),
        |entry| {
            format!(
                "Memory was refused: {} allows {}, and {} were in use",
                entry.set_by,
                bytes(entry.limit.unwrap_or_default()),
                bytes(entry.used.unwrap_or_default())
            )
        },
    );
    let mut suspicion =
        Suspicion::new(Cause::OutOfMemory, headline).supported(weight, refusal.fact, refusal.claim);
    if let Some(entry) = tight {
        suspicion = with_limit(entry, suspicion);
    } else if let Some((fact, claim)) = scarce {
        suspicion = suspicion.supported(Weight::Strong, fact, claim);
    } else if let Some(available) = plenty(facts) {
        let claim = format!(
            "{} of memory could be had and no limit of the process was near: the size asked for must have been absurd.",
            bytes(available)
        );
        suspicion = suspicion.opposed(Weight::Strong, FactRef::Ending, claim);
    }
    Some(with_growth(facts, with_remedies(facts, suspicion)))
}

/// What the machine could still give, where it is much.
fn plenty(facts: &Facts<'_>) -> Option<u64> {
    let available = facts.capture().host.memory_available.known().copied();
    available.filter(|available| *available >= PLENTY)
}

fn with_limit(entry: &ResourceUse, suspicion: Suspicion) -> Suspicion {
    let (used, limit) = (entry.used.unwrap_or(0), entry.limit.unwrap_or(0));
    let claim = format!(
        "{} is {limit} bytes, and {used} of them were in use.",
        entry.set_by
    );
    let fact = FactRef::Resource {
        resource: entry.resource,
    };
    let flag = if entry.resource == Resource::Data {
        "-d"
    } else {
        "-v"
    };
    let action = format!(
        "Raise {}, which is {limit} bytes ({}).",
        entry.set_by,
        bytes(limit)
    );
    suspicion
        .supported(Weight::Strong, fact, claim)
        .remedy(Remedy::new(action).command(format!("ulimit {flag} unlimited")))
}
