//! No more threads or processes could be started.

use crate::book::{Judge, Rule};
use crate::capture::{Resource, ResourceUse};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, Sighting, excerpt};
use crate::rule::Suspicion;
use crate::rules::death::limits::fewer_threads::with_remedies;

pub(super) static RULE: Rule = Rule {
    id: "LIM007",
    name: "thread-limit",
    summary: "The system refused to start another thread or process because a limit was reached.",
    causes: &[Cause::ThreadLimit],
    since: "0.1.0",
    doc: include_str!("thread_limit.md"),
    judge: Judge::Death(judge),
};

/// Bytes that a thread's stack takes of the address space by default.
const STACK: u64 = 8 << 20;
/// Words about it, those that name the reason first.
const WORDS: [&str; 3] = [
    "thread-refused",
    "openblas-regions-used-up",
    "process-refused",
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let said = WORDS.iter().find_map(|id| facts.sign(id));
    let thrown = refused_exception(facts);
    let full = facts
        .limits_of(Resource::Threads)
        .find(|entry| is_used_up(entry) || entry.met.is_some_and(|met| met > 0));
    let headline = match full.and_then(|entry| entry.used.zip(entry.limit)) {
        Some((used, limit)) => {
            format!("No more threads could be started: {used} of {limit} were there")
        }
        None => "No more threads or processes could be started".to_owned(),
    };
    let mut suspicion = Suspicion::new(Cause::ThreadLimit, headline);
    if let Some(sight) = said {
        suspicion =
            suspicion.supported(weight_of(facts, sight), sight.fact.clone(), claim_of(sight));
    } else if let Some(claim) = thrown {
        suspicion = suspicion.supported(Weight::Strong, FactRef::Exception, claim);
    } else {
        return None;
    }
    if let Some(entry) = full {
        let (used, limit) = (entry.used.unwrap_or(0), entry.limit.unwrap_or(0));
        let claim = format!(
            "{} allows {limit} threads, and there were {used}.",
            entry.set_by
        );
        suspicion = suspicion.supported(Weight::Strong, resource(entry), claim);
    }
    if let Some(entry) = facts
        .limits_of(Resource::AddressSpace)
        .find(|it| has_no_room_for_stack(it))
    {
        let claim =
            "The address space had no room for another stack: threads were not what was missing.";
        suspicion = suspicion.opposed(Weight::Strong, resource(entry), claim);
    }
    Some(with_remedies(facts, suspicion, full))
}

fn resource(entry: &ResourceUse) -> FactRef {
    FactRef::Resource {
        resource: entry.resource,
    }
}

fn claim_of(sight: &Sighting<'_>) -> String {
    format!("A thread was refused: \"{}\".", excerpt(sight.text))
}

/// What a library cannot do without proves it; what Python raises may have been caught.
fn weight_of(facts: &Facts<'_>, sight: &Sighting<'_>) -> Weight {
    let later = facts.said_after(sight);
    if later.is_some_and(|(_, it)| {
        !sight
            .text
            .contains(it.text.lines().next().unwrap_or_default())
    }) {
        return Weight::Weak;
    }
    // OpenBLAS goes on and dies of something else; others give up by themselves, or it was another process.
    let goes_on = sight.text.contains("blas_thread_init");
    let is_survivable =
        ["can't start new thread", "fork", "what():"].map(|word| sight.text.contains(word));
    match (facts.may_have_said_it(), is_survivable.contains(&true)) {
        (true, false) => Weight::Decisive,
        (false, _) if !goes_on => Weight::Weak,
        _ => Weight::Strong,
    }
}

/// `std::thread` throws a `system_error` of EAGAIN.
fn refused_exception(facts: &Facts<'_>) -> Option<String> {
    let exception = facts.capture().testimony.exception.known()?;
    let what = exception.what.as_deref().unwrap_or_default();
    (exception.type_name.contains("system_error")
        && what.contains("Resource temporarily unavailable"))
    .then(|| format!("A C++ thread could not be started: \"{what}\"."))
}

fn is_used_up(entry: &ResourceUse) -> bool {
    entry
        .used
        .zip(entry.limit)
        .is_some_and(|(used, limit)| used >= limit.saturating_sub(1))
}

fn has_no_room_for_stack(entry: &ResourceUse) -> bool {
    let left = entry.used.zip(entry.limit);
    left.is_some_and(|(used, limit)| limit.saturating_sub(used) < STACK * 2)
}
