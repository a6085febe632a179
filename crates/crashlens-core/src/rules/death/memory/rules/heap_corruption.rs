//! The allocator's records were damaged. Whoever notices is a bystander.

use crate::book::{Judge, Rule};
use crate::capture::{MessageKind, Place, Signal};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, excerpt};
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::memory::allocator_checks;

pub(super) static RULE: Rule = Rule {
    id: "MEM008",
    name: "heap-corruption",
    summary: "The memory allocator found its own data corrupted; the code that did it ran earlier.",
    causes: &[Cause::HeapCorruption],
    since: "0.1.0",
    doc: include_str!("heap_corruption.md"),
    judge: Judge::Death(judge),
};

/// Signs of an allocator that complains, and whether they can mean nothing but damage.
const COMPLAINTS: [(&str, bool); 3] = [
    ("allocator-complaint", false),
    ("malloc-assertion", true),
    ("python-debug-allocator", true),
];

/// Functions that give memory back.
const RELEASES: [&str; 4] = ["free", "cfree", "realloc", "__libc_free"];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let words = complaint(facts);
    let is_fault = facts.signal().is_some_and(Signal::is_fault) && !facts.signal_was_sent();
    let overflowed = matches!(facts.place(), Some(Place::StackOverflow));
    let sight = facts
        .in_allocator()
        .filter(|_| words.is_some() || is_fault && !overflowed);
    let mut suspicion = Suspicion::new(Cause::HeapCorruption, headline(facts));
    if words.is_none() && sight.is_none() {
        return None;
    }
    if let Some((weight, fact, text)) = &words {
        let claim = format!("The allocator said `{text}`.");
        suspicion = suspicion.supported(*weight, fact.clone(), claim);
    }
    if let Some(sight) = sight {
        let weight = facts.unless_text(Weight::Strong);
        let claim = format!(
            "It ended in the allocator (`{}`), whose records stand beside the data.",
            sight.function()
        );
        suspicion = suspicion.supported(weight, sight.fact, claim);
    }
    if let Some(bad) = facts.bad_argument().filter(|_| words.is_none()) {
        let number = bad.number;
        let claim = format!("Python called it with a bad pointer (argument {number}).");
        suspicion = suspicion.opposed(Weight::Strong, FactRef::ForeignCall, claim);
    }
    Some(advise(facts, suspicion))
}

/// What an allocator said.
fn complaint(facts: &Facts<'_>) -> Option<(Weight, FactRef, String)> {
    let found = COMPLAINTS
        .iter()
        .find_map(|(id, tells)| Some((facts.sign(id)?, *tells)))
        .or_else(|| Some((facts.windows_sign("windows-heap-corruption")?, false)));
    let Some((sight, tells)) = found else {
        // Read from the memory of the C library, where standard error is not known.
        let (fact, message) = facts.fatal_message(MessageKind::CLibrary)?;
        let is_read = message.line.is_none() && facts.in_allocator().is_some();
        return is_read.then(|| (Weight::Decisive, fact, message.text.clone()));
    };
    // A program may print such words and die of something else; text may be cut and mixed besides.
    let weight = match (facts.is_text(), tells) {
        (true, true) if facts.said_after(sight).is_none() => Weight::Strong,
        (true, _) => Weight::Weak,
        _ if !facts.died_of(Signal::ABRT) => return None,
        (false, _) if facts.in_allocator().is_some() => Weight::Decisive,
        (false, _) => Weight::Strong,
    };
    Some((weight, sight.fact.clone(), excerpt(sight.text).to_owned()))
}

fn headline(facts: &Facts<'_>) -> String {
    let released = released_by_python(facts);
    match (released, &facts.culprit().op) {
        (Some(function), _) => format!(
            "Python code called `{function}` with a pointer that it had freed, or that was never malloc's"
        ),
        (None, Some(op)) => format!(
            "The heap was damaged before the end; op `{op}` was running when that was noticed"
        ),
        (None, None) => {
            "The heap was damaged earlier, and whoever used it next died of it".to_owned()
        }
    }
}

/// The function by which Python itself gave memory back, where it died of that.
fn released_by_python<'a>(facts: &Facts<'a>) -> Option<&'a str> {
    let function = facts.foreign_call()?.function.as_deref()?;
    let is_it = RELEASES.contains(&function) && facts.depth_below_foreign_call().is_some();
    is_it.then_some(function)
}

fn advise(facts: &Facts<'_>, mut suspicion: Suspicion) -> Suspicion {
    if released_by_python(facts).is_some() {
        let line = facts.user_line().unwrap_or_default();
        let action = format!("Free each pointer once, and only what malloc gave: `{line}`.");
        suspicion = suspicion.remedy(Remedy::new(action));
    } else if let Some(op) = &facts.culprit().op {
        let action =
            format!("Check what `{op}` was given: sizes, index ranges, lengths of sequences.");
        suspicion = suspicion.remedy(Remedy::new(action));
    }
    let suspect = "Suspect what wrote into buffers before (ctypes, custom ops, own extensions), not the function on top.";
    suspicion
        .remedy(allocator_checks(facts))
        .remedy(Remedy::new(suspect))
}
