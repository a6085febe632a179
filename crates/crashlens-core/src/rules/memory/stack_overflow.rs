//! Calls were nested so deep, or local variables so large, that the thread's stack was full.

use crate::capture::{Place, Signal, StackUse};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Risk, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "MEM007",
    name: "stack-overflow",
    causes: &[Cause::StackOverflow],
    since: "0.1.0",
    doc: include_str!("stack_overflow.md"),
    judge,
};

/// What Python allows by itself.
const USUAL_RECURSION_LIMIT: u64 = 1000;
/// Frames of which a function that calls itself may well have as many.
const DEEP: usize = 1000;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if matches!(facts.place(), Some(Place::StackOverflow)) {
        let stack = facts.fault()?.stack.clone().unwrap_or_default();
        let claim = "The address is where the thread's stack would have to grow, and it may not.";
        let suspicion = Suspicion::new(Cause::StackOverflow, headline(facts, &stack)).supported(
            Weight::Decisive,
            FactRef::Fault,
            claim,
        );
        return Some(advise(facts, &stack, size_claim(&stack, suspicion)));
    }
    let nothing = StackUse::default();
    if let Some(sight) = facts.sign("stack-overflow-words") {
        let headline = "Calls were nested so deep that the stack was full";
        let claim = format!("It said `{}`.", sight.text.trim());
        let suspicion = Suspicion::new(Cause::StackOverflow, headline).supported(
            Weight::Decisive,
            sight.fact.clone(),
            claim,
        );
        return Some(advise(facts, &nothing, suspicion));
    }
    if !facts.is_text()
        || facts
            .signal()
            .is_some_and(|signal| signal != Signal::SEGV && signal != Signal::BUS)
    {
        return None;
    }
    let deep = facts.deep_recursion(DEEP)?;
    let headline = format!("`{}` called itself until the stack was full", deep.function);
    let claim = format!(
        "The stack is at least {} frames deep, and `{}` repeats in it.",
        deep.depth, deep.function
    );
    let suspicion =
        Suspicion::new(Cause::StackOverflow, headline).supported(Weight::Strong, deep.fact, claim);
    Some(advise(facts, &nothing, suspicion))
}

fn headline(facts: &Facts<'_>, stack: &StackUse) -> String {
    let size = stack.limit.or(stack.size).map_or_else(
        || "the stack".to_owned(),
        |size| format!("the stack of {}", bytes(size)),
    );
    let depth = stack
        .depth
        .map_or_else(String::new, |depth| format!(", about {depth} calls deep"));
    let first = stack
        .cycle
        .first()
        .and_then(|first| first.split([' ', '(']).next());
    match (first, stack.cycle.len()) {
        (Some(function), 1) => format!("`{function}` called itself until {size} was full{depth}"),
        (Some(function), others) => format!(
            "`{function}` and {} more functions called each other until {size} was full{depth}",
            others - 1
        ),
        (None, _) => format!(
            "{} needed more room than {size} has, in large local variables",
            facts.actor()
        ),
    }
}

fn size_claim(stack: &StackUse, mut suspicion: Suspicion) -> Suspicion {
    if !stack.cycle.is_empty() {
        let cycle: Vec<&str> = stack.cycle.iter().take(4).map(String::as_str).collect();
        let claim = format!(
            "These frames were seen to repeat {} times: {}.",
            stack.repeats,
            cycle.join(" <- ")
        );
        suspicion = suspicion.supported(Weight::Strong, FactRef::Fault, claim);
    }
    let python = stack.python_frames.zip(stack.recursion_limit);
    if let Some((frames, limit)) = python.filter(|(_, limit)| *limit > USUAL_RECURSION_LIMIT) {
        let claim = format!(
            "The recursion limit had been raised to {limit}; {frames} Python frames were on the stack."
        );
        suspicion = suspicion.supported(Weight::Weak, FactRef::Fault, claim);
    }
    suspicion
}

fn advise(facts: &Facts<'_>, stack: &StackUse, mut suspicion: Suspicion) -> Suspicion {
    if stack
        .recursion_limit
        .is_some_and(|limit| limit > USUAL_RECURSION_LIMIT)
    {
        let action = "Leave sys.setrecursionlimit alone: with the usual limit of 1000 this is a RecursionError with a traceback.";
        suspicion = suspicion.remedy(Remedy::new(action));
    }
    let line = facts
        .user_line()
        .map_or_else(String::new, |line| format!(" that starts at `{line}`"));
    suspicion = suspicion.remedy(Remedy::new(format!(
        "End the recursion or chain{line} earlier, or make a loop of it."
    )));
    if let (None, Some(size)) = (stack.limit, stack.size) {
        let action = format!(
            "Give threads a larger stack than {} before they start: threading.stack_size(64 * 1024 * 1024).",
            bytes(size)
        );
        return suspicion.remedy(Remedy::new(action));
    }
    let now = stack
        .limit
        .map_or_else(String::new, |limit| format!(" It is {} now.", bytes(limit)));
    suspicion.remedy(
        Remedy::new(format!(
            "Allow the first thread a larger stack; endless recursion fills that too.{now}"
        ))
        .command("ulimit -s 65536; python your_script.py")
        .risk(Risk::Environment),
    )
}

fn bytes(count: u64) -> String {
    match count {
        0..0x10_0000 => format!("{} KB", count >> 10),
        _ => format!("{} MB", count >> 20),
    }
}
