//! Calls were nested so deep, or local variables so large, that the thread's stack was full.

use crate::book::{Judge, Rule};
use crate::capture::{Place, StackUse};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::fault::short_name;
use crate::facts::{Facts, bytes};
use crate::remedy::Again;
use crate::rule::{Remedy, Risk, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "MEM011",
    name: "stack-overflow",
    summary: "A thread used up its stack: the fault is just below the end of the stack.",
    causes: &[Cause::StackOverflow],
    since: "0.1.0",
    doc: include_str!("stack_overflow.md"),
    judge: Judge::Death(judge),
};

/// What Python allows by itself.
const USUAL_RECURSION_LIMIT: u64 = 1000;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let fault = facts.fault()?;
    if !matches!(fault.place, Some(Place::StackOverflow)) {
        return None;
    }
    let stack = fault.stack.clone().unwrap_or_default();
    let claim = "The address is where the thread's stack would have to grow, and may not.";
    let mut suspicion = Suspicion::new(Cause::StackOverflow, headline(facts, &stack)).supported(
        Weight::Decisive,
        FactRef::Fault,
        claim,
    );
    if !stack.cycle.is_empty() {
        let cycle: Vec<&str> = stack.cycle.iter().take(3).map(String::as_str).collect();
        let claim = format!(
            "These frames repeat, {} times seen: {}.",
            stack.repeats,
            cycle.join(" <- ")
        );
        suspicion = suspicion.supported(Weight::Strong, FactRef::Fault, claim);
    }
    if let Some(limit) = raised_limit(&stack) {
        let frames = stack.python_frames.unwrap_or_default();
        let claim = format!(
            "The recursion limit had been raised to {limit}; {frames} Python frames were on the stack."
        );
        suspicion = suspicion
            .supported(Weight::Weak, FactRef::Fault, claim)
            .remedy(Remedy::new("Leave sys.setrecursionlimit alone: with the usual 1000 this is a RecursionError with a traceback."));
    }
    Some(advise(facts, &stack, suspicion))
}

fn raised_limit(stack: &StackUse) -> Option<u64> {
    stack
        .recursion_limit
        .filter(|limit| *limit > USUAL_RECURSION_LIMIT)
}

fn headline(facts: &Facts<'_>, stack: &StackUse) -> String {
    let room = stack.limit.or(stack.size).map(bytes);
    let room = room.map_or_else(
        || "the stack".to_owned(),
        |size| format!("the stack of {size}"),
    );
    let seen = stack.repeats.saturating_mul(stack.cycle.len() as u64);
    let depth = stack.depth.unwrap_or_default().max(seen);
    // The user's own function, where the cycle goes through Python.
    let user = stack.cycle.iter().find(|frame| frame.contains(".py:"));
    let Some(function) = user.or(stack.cycle.first()).map(|frame| named(frame)) else {
        return format!(
            "The local variables of {} do not fit into {room}",
            facts.actor()
        );
    };
    let how = match stack.cycle.len() {
        1 => "called itself".to_owned(),
        length => format!("was called again and again, through {} others,", length - 1),
    };
    format!("`{function}` {how} until {room} was full (about {depth} calls)")
}

fn advise(facts: &Facts<'_>, stack: &StackUse, suspicion: Suspicion) -> Suspicion {
    let line = facts.in_user_line();
    let action = if stack.cycle.is_empty() {
        format!(
            "Put the large arrays of {} on the heap (std::vector, new) instead of the stack.",
            facts.actor()
        )
    } else {
        format!("End the recursion or chain{line} earlier, or make a loop of it.")
    };
    let suspicion = suspicion.remedy(Remedy::new(action));
    if let (None, Some(now)) = (stack.limit, stack.size.map(bytes)) {
        let action = format!(
            "Give threads more stack than {now} before they start: threading.stack_size(64 * 1024 * 1024)."
        );
        return suspicion.remedy(Remedy::new(action));
    }
    let now = stack
        .limit
        .map_or_else(String::new, |limit| format!(" than {}", bytes(limit)));
    suspicion.remedy(
        Remedy::new(format!(
            "Allow the first thread more stack{now}; endless recursion fills that, too."
        ))
        .command(Again::new().after_words("ulimit -s 65536;"))
        .risk(Risk::Environment),
    )
}

/// The function of a `function (library)`, without its parameters.
fn named(frame: &str) -> String {
    let function = frame
        .rsplit_once(" (")
        .map_or(frame, |(function, _)| function);
    short_name(function)
}
