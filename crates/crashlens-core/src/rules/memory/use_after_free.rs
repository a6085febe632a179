//! Code used memory that had been given back.

use crate::capture::{AccessKind, Place, Signal};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "MEM003",
    name: "use-after-free",
    causes: &[Cause::UseAfterFree],
    since: "0.1.0",
    doc: include_str!("use_after_free.md"),
    judge,
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if let Some(sight) = facts.sign("address-sanitizer-use-after-free") {
        let headline = format!(
            "{} used memory that had been freed (AddressSanitizer)",
            facts.actor()
        );
        return Some(
            Suspicion::new(Cause::UseAfterFree, headline)
                .supported(Weight::Decisive, sight.fact.clone(), format!("AddressSanitizer says `{}`.", sight.text.trim()))
                .remedy(Remedy::new("Follow the three stacks that AddressSanitizer prints: the access, the release, and where the memory was made.")),
        );
    }
    if let Some(sight) = facts.sign("pure-virtual-call") {
        return Some(pure_virtual(sight.fact.clone()));
    }
    if !(facts.died_of(Signal::SEGV) || facts.died_of(Signal::BUS)) || facts.signal_was_sent() {
        return None;
    }
    let access = facts.access()?;
    let array = facts.stray_arrays().find(|array| !array.begins_mapped);
    let mut suspicion = Suspicion::new(
        Cause::UseAfterFree,
        headline(facts, access.kind, array.as_ref().map(|it| it.name)),
    );
    let mut is_seen = false;
    if let Some(Place::Released {
        mapping,
        last_seen_milliseconds,
    }) = facts.place()
    {
        is_seen = true;
        let what = mapping
            .path
            .as_deref()
            .map_or_else(String::new, |path| format!(" (`{path}`)"));
        let claim = format!(
            "Memory was mapped at {}{what} {last_seen_milliseconds} ms before the end, and was given back since.",
            access.address
        );
        suspicion = suspicion.supported(Weight::Strong, FactRef::Fault, claim);
    }
    if let Some(array) = &array {
        // The array still lives, its elements do not: only memory that was taken away looks so.
        let weight = if is_seen {
            Weight::Decisive
        } else {
            Weight::Strong
        };
        let claim = format!(
            "Array `{}` is still in use, and no memory is left where its elements were.",
            array.name
        );
        suspicion = suspicion.supported(weight, array.fact.clone(), claim);
        is_seen = true;
    }
    if let (false, Some(Place::Unmapped { .. })) = (is_seen, facts.place()) {
        let is_pointer = access.address.0 >> 32 != 0 && access.index.is_none();
        is_seen = is_pointer && !facts.is_text();
        let claim = format!(
            "Nothing is mapped at {}; memory may have been there before.",
            access.address
        );
        suspicion = suspicion.supported(Weight::Weak, FactRef::Fault, claim);
    }
    is_seen.then(|| advise(facts, suspicion))
}

fn headline(facts: &Facts<'_>, kind: AccessKind, array: Option<&str>) -> String {
    match (array, kind) {
        (Some(array), _) => {
            format!("Array `{array}` was used after its memory had been given back")
        }
        (None, AccessKind::Execute) => {
            "A function was called after its library had been unloaded".to_owned()
        }
        (None, AccessKind::Read | AccessKind::Write) => {
            format!("{} used memory that had been given back", facts.actor())
        }
    }
}

fn pure_virtual(fact: FactRef) -> Suspicion {
    Suspicion::new(Cause::UseAfterFree, "A C++ object was used while or after it was destroyed")
        .supported(Weight::Strong, fact, "The C++ runtime says `pure virtual method called`: the object had no class any more.")
        .remedy(Remedy::new("Stop the threads that use the object before it goes away: close pipelines, sessions and executors yourself."))
}

fn advise(facts: &Facts<'_>, suspicion: Suspicion) -> Suspicion {
    let shared = match facts.place() {
        Some(Place::Released { mapping, .. }) => mapping
            .path
            .as_deref()
            .is_some_and(|path| path.starts_with("/dev/shm/")),
        _ => false,
    };
    let action = if shared {
        "Keep the SharedMemory object open as long as arrays look into it, or copy the array before close()."
    } else {
        "Keep the owner of the memory (SharedMemory, mmap, file, ctypes buffer) alive as long as arrays look into it, or copy the array first."
    };
    suspicion.remedy(Remedy::new(action)).remedy(Remedy::new(
        "Copy it while the memory is there: array = numpy.array(view, copy=True).",
    ))
}
