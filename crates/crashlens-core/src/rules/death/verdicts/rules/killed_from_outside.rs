//! Somebody else ended the process: what is told is who, not why.

use crate::book::{Judge, Rule};
use crate::capture::{EndingKind, Signal};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, excerpt};
use crate::rule::{Remedy, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "VER002",
    name: "killed-from-outside",
    summary: "Another process ended this one with a signal.",
    causes: &[Cause::InsufficientEvidence],
    since: "0.1.0",
    doc: include_str!("killed_from_outside.md"),
    judge: Judge::Death(judge),
};

/// Signals by which a process is asked or made to end, and by whom mostly.
const ENDING: [(i32, &str); 6] = [
    (1, "as a terminal does that is closed"),
    (2, "as Ctrl-C does"),
    (3, "as Ctrl-\\ does"),
    (9, "which no process can resist"),
    (14, "as a timer of its own does that nobody waits for"),
    (15, "as `kill`, `timeout` and job schedulers do"),
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if facts.capture().ending.kind == EndingKind::OomKill {
        return None;
    }
    by_order(facts)
        .or_else(|| by_sender(facts))
        .or_else(|| by_signal(facts))
        .map(|suspicion| with_remedies(facts, suspicion))
}

fn new(headline: String) -> Suspicion {
    Suspicion::new(Cause::InsufficientEvidence, headline)
}

/// Somebody wrote that the end was ordered.
fn by_order(facts: &Facts<'_>) -> Option<Suspicion> {
    // Schedulers end what is left of a job after one of its processes has died of something else.
    let is_fault = facts
        .signal()
        .is_some_and(|signal| signal.is_fault() || signal == Signal::ABRT);
    let (fact, text) = facts
        .ordered_end()
        .filter(|_| facts.is_text() && !is_fault)?;
    let words = excerpt(text);
    let claim = format!("The end was ordered: \"{words}\".");
    let headline = "It was ended by order of a person or a scheduler, not by a fault of its own";
    Some(new(headline.to_owned()).supported(Weight::Strong, fact, claim))
}

/// The kernel knows which process sent the signal.
fn by_sender(facts: &Facts<'_>) -> Option<Suspicion> {
    let sender = facts.sender()?;
    let signal = facts.signal()?.name();
    let who = if sender == facts.capture().process.parent_pid {
        format!("Its parent (process {sender})")
    } else if sender == 0 {
        "A process outside of its container".to_owned()
    } else {
        format!("Process {sender}")
    };
    let headline = format!("{who} sent it {signal}: it did not fail by itself");
    let claim = format!("{signal} came from process {sender}, not from an instruction or a limit.");
    Some(new(headline).supported(Weight::Strong, FactRef::Ending, claim))
}

/// The signal alone tells that nothing in the process failed.
fn by_signal(facts: &Facts<'_>) -> Option<Suspicion> {
    let signal = facts.signal()?;
    let (_, manner) = ENDING.iter().find(|(number, _)| *number == signal.0)?;
    let name = signal.name();
    let headline = if signal == Signal::KILL && kernel_kept_out(facts) {
        // A process may send it to itself, which nothing shows.
        "It was killed (SIGKILL), by whom is not known; the kernel has no record of a kill for memory"
            .to_owned()
    } else if signal == Signal::KILL {
        "It was killed (SIGKILL), and by whom is not known".to_owned()
    } else {
        format!("It was ended from outside by {name}, {manner}")
    };
    let claim = format!("{name} is sent, {manner}; no instruction brings it about.");
    Some(new(headline).supported(Weight::Strong, FactRef::Ending, claim))
}

/// Whether the kernel would know of a kill for memory, and does not.
fn kernel_kept_out(facts: &Facts<'_>) -> bool {
    let oom = facts.capture().circumstances.oom.known();
    oom.is_some_and(|oom| oom.group_kills == Some(0) || oom.named_in_log == Some(false))
}

fn with_remedies(facts: &Facts<'_>, suspicion: Suspicion) -> Suspicion {
    let look =
        "Look at whoever watches over it: a scheduler, a container, a CI job, `timeout`, a person.";
    let look = Remedy::new(look);
    let may_be_memory = facts.died_of(Signal::KILL) && !kernel_kept_out(facts);
    let look = if may_be_memory {
        look.command("sudo dmesg -T | grep -i -E 'oom|killed process'")
    } else {
        look
    };
    suspicion.remedy(look).remedy(Remedy::new(
        "If a time limit ended it (`timeout`, `--time`, a CI job's limit), raise that, or save and go on in another run.",
    ))
}
