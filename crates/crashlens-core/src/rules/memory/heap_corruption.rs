//! The allocator's records were damaged. Whoever notices is a bystander.

use crate::capture::{MessageKind, Place, Signal};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "MEM004",
    name: "heap-corruption",
    causes: &[Cause::HeapCorruption],
    since: "0.1.0",
    doc: include_str!("heap_corruption.md"),
    judge,
};

/// Signs of an allocator that complains, and whether they tell the block that was damaged.
const COMPLAINTS: [(&str, bool); 5] = [
    ("allocator-complaint", false),
    ("malloc-assertion", false),
    ("python-debug-allocator", true),
    ("address-sanitizer-bad-free", true),
    ("windows-heap-corruption", false),
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let mut suspicion = Suspicion::new(Cause::HeapCorruption, headline(facts));
    let words = complaint(facts);
    if let Some((weight, fact, text)) = &words {
        suspicion = suspicion.supported(
            *weight,
            fact.clone(),
            format!("The allocator said `{text}`."),
        );
    }
    let sight = facts
        .in_allocator()
        .filter(|_| !facts.signal_was_sent() || words.is_some());
    let overflowed = matches!(facts.place(), Some(Place::StackOverflow));
    let sight = sight.filter(|_| {
        !overflowed && (words.is_some() || facts.signal().is_some_and(Signal::is_fault))
    });
    if let Some(sight) = &sight {
        let weight = if facts.is_text() {
            Weight::Weak
        } else {
            Weight::Strong
        };
        let claim = format!(
            "It ended inside the allocator, in `{}`, which trusts records that stand beside the data.",
            sight.function()
        );
        suspicion = suspicion.supported(weight, sight.fact.clone(), claim);
    }
    if words.is_none() && sight.is_none() {
        return None;
    }
    if let Some(bad) = facts.bad_argument().filter(|_| words.is_none()) {
        let claim = format!(
            "The allocator was called from Python with a bad pointer (argument {}).",
            bad.number
        );
        suspicion = suspicion.opposed(Weight::Strong, FactRef::ForeignCall, claim);
    }
    Some(advise(facts, suspicion))
}

/// What an allocator said last, unless something else was said after it.
fn complaint(facts: &Facts<'_>) -> Option<(Weight, FactRef, String)> {
    let found = COMPLAINTS
        .iter()
        .find_map(|(id, names_block)| Some((facts.sign(id)?, *names_block)));
    if let Some((sight, names_block)) = found {
        // Text may be cut and mixed: there the words prove damage, and not what died of it.
        let weight = match (facts.is_text(), names_block) {
            (true, false) => Weight::Weak,
            (true, true) => Weight::Strong,
            (false, _) if facts.died_of(Signal::ABRT) => Weight::Decisive,
            (false, _) => Weight::Strong,
        };
        return Some((weight, sight.fact.clone(), sight.text.trim().to_owned()));
    }
    // Read from the memory of the C library, where standard error is not known.
    let (fact, message) = facts.fatal_message(MessageKind::CLibrary)?;
    let is_read = message.line.is_none() && facts.in_allocator().is_some();
    is_read.then(|| (Weight::Decisive, fact, message.text.clone()))
}

fn headline(facts: &Facts<'_>) -> String {
    if let Some(function) = facts
        .foreign_call()
        .and_then(|call| call.function.as_deref())
    {
        let is_release = matches!(function, "free" | "cfree" | "realloc" | "__libc_free");
        if is_release && facts.depth_below_foreign_call().is_some() {
            return format!(
                "Python code called `{function}` with a pointer that the allocator does not know (freed twice, or never its own)"
            );
        }
    }
    match &facts.culprit().op {
        Some(op) => format!(
            "The heap was damaged before the end; op `{op}` was running when it was noticed"
        ),
        None => "The heap was damaged earlier, and whoever used it next died of it".to_owned(),
    }
}

fn advise(facts: &Facts<'_>, mut suspicion: Suspicion) -> Suspicion {
    let is_free = facts
        .foreign_call()
        .is_some_and(|call| call.function.as_deref() == Some("free"));
    if is_free {
        let line = facts.user_line().unwrap_or_default();
        suspicion = suspicion.remedy(Remedy::new(format!(
            "Free each pointer once, and only what malloc gave (`{line}`)."
        )));
    }
    if let Some(op) = &facts.culprit().op {
        suspicion = suspicion.remedy(Remedy::new(format!("Check what `{op}` was given against its documentation: sizes, index ranges, lengths of sequences.")));
    }
    suspicion
        .remedy(
            Remedy::new("Run again with the allocator's checks on: it then stops nearer to the code that did the damage.")
                .command("MALLOC_CHECK_=3 MALLOC_PERTURB_=165 GLIBC_TUNABLES=glibc.malloc.check=3 crashlens run -- python your_script.py"),
        )
        .remedy(
            Remedy::new("Run again with Python's own checks of its blocks.")
                .command("PYTHONMALLOC=debug crashlens run -- python -X dev your_script.py"),
        )
        .remedy(Remedy::new("Suspect what wrote into buffers before: ctypes calls, custom ops, extensions of your own; not the function on top."))
}
