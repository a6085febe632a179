//! Killed for lack of memory, and somebody who knows of it says so.

use crate::book::{Judge, Rule};
use crate::capture::{EndingKind, Signal};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, bytes, excerpt};
use crate::rule::Suspicion;
use crate::rules::death::limits::memory::{group_limit, with_growth, with_remedies};

pub(super) static RULE: Rule = Rule {
    id: "LIM001",
    name: "out-of-memory",
    summary: "The kernel killed the process because memory ran out in its cgroup or on the machine.",
    causes: &[Cause::OutOfMemory],
    since: "0.1.0",
    doc: include_str!("out_of_memory.md"),
    judge: Judge::Death(judge),
};

/// Words of those who know of the kill.
const RECORDS: [&str; 3] = [
    "kernel-killed-for-memory",
    "scheduler-killed-for-memory",
    "container-killed-for-memory",
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let (weight, fact, claim) = record(facts)?;
    let headline = match group_limit(facts) {
        Some(limit) => format!(
            "It needed more memory than it may have ({}), and the kernel killed it",
            bytes(limit)
        ),
        None => "There was not enough memory, and the kernel killed it".to_owned(),
    };
    let mut suspicion = Suspicion::new(Cause::OutOfMemory, headline).supported(weight, fact, claim);
    let oom = facts.capture().circumstances.oom.known();
    if let Some(group) = oom.and_then(|oom| oom.limited_by.as_deref()) {
        let claim = format!("The limit that was met is that of the control group {group}.");
        suspicion = suspicion.supported(Weight::Weak, FactRef::Oom, claim);
    }
    Some(with_growth(facts, with_remedies(facts, suspicion)))
}

/// Who says that it was killed for memory.
fn record(facts: &Facts<'_>) -> Option<(Weight, FactRef, String)> {
    let capture = facts.capture();
    if capture.ending.kind == EndingKind::OomKill {
        let claim = "The kernel counted a kill for memory when the process was killed (SIGKILL).";
        let is_recorded = capture.circumstances.oom.known().is_some();
        let fact = if is_recorded {
            FactRef::Oom
        } else {
            FactRef::Ending
        };
        return Some((Weight::Decisive, fact, claim.to_owned()));
    }
    if !facts.is_text() && !facts.died_of(Signal::KILL) {
        return None;
    }
    let oom = capture.circumstances.oom.known();
    if oom.is_some_and(|oom| oom.named_in_log == Some(true)) {
        let claim = "The kernel's log names the process as killed for memory.";
        return Some((Weight::Decisive, FactRef::Oom, claim.to_owned()));
    }
    let sight = RECORDS.iter().find_map(|id| facts.sign(id))?;
    // Pasted lines of the kernel may be about somebody else's process, and older than the death.
    let victim = ["name", "task", "reaped_name"]
        .iter()
        .find_map(|group| sight.group(group));
    let is_killed = facts.signal().is_none_or(|signal| signal == Signal::KILL);
    let weight = match victim {
        Some(name) if !is_ours(facts, name) && !is_killed => return None,
        Some(name) if !is_ours(facts, name) || !is_killed => Weight::Weak,
        None if !is_killed => Weight::Strong,
        _ => Weight::Decisive,
    };
    let claim = format!(
        "A kill for memory is on record: \"{}\".",
        excerpt(sight.text)
    );
    Some((weight, sight.fact.clone(), claim))
}

/// Whether a process of that name can be the one that died.
fn is_ours(facts: &Facts<'_>, name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let program = facts.capture().process.executable.known();
    name.contains("python")
        || crate::contexts::jupyter::is_process_name(&name)
        || program.is_some_and(|path| path.to_ascii_lowercase().ends_with(&name))
}
