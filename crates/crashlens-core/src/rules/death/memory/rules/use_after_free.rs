//! Code used memory that had been given back.

use crate::book::{Judge, Rule};
use crate::capture::{AccessKind, Place, Signal};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::facts::fault::Fill;
use crate::rule::{Remedy, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "MEM006",
    name: "use-after-free",
    summary: "The process used memory after it had been released or unmapped.",
    causes: &[Cause::UseAfterFree],
    since: "0.1.0",
    doc: include_str!("use_after_free.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if !facts.died_of(Signal::SEGV) {
        return None;
    }
    let access = facts.access()?;
    let array = facts.stray_array(false);
    let name = array.as_ref().map(|array| array.name);
    let mut suspicion = Suspicion::new(Cause::UseAfterFree, headline(facts, access.kind, name));
    let mut is_seen = false;
    if let Some(Place::Released {
        mapping,
        last_seen_milliseconds,
    }) = facts.place()
    {
        is_seen = true;
        let what = mapping.path.as_deref().unwrap_or("memory");
        let claim = format!(
            "{what} was mapped at {} until {last_seen_milliseconds} ms before the end, or later.",
            access.address
        );
        suspicion = suspicion.supported(Weight::Strong, FactRef::Fault, claim);
    }
    if let Some(array) = array {
        // The array still lives, its elements do not: only memory that was taken away looks so.
        let weight = if is_seen {
            Weight::Decisive
        } else {
            Weight::Strong
        };
        let claim = format!(
            "Array `{}` is in use, and no memory is left where its elements were.",
            array.name
        );
        suspicion = suspicion.supported(weight, array.fact, claim);
        is_seen = true;
    }
    let fill = facts.fill().filter(|_| facts.bad_argument().is_none());
    if let Some(Fill::Freed(byte)) = fill {
        is_seen = true;
        let claim = format!(
            "The pointer was made of the byte {byte:#04x}, with which the allocator fills memory that is given back."
        );
        suspicion = suspicion.supported(Weight::Strong, FactRef::Fault, claim);
    }
    let may_be = facts.nearest_mapping().is_some() && access.index.is_none();
    if !is_seen && may_be && access.address.0 >> 32 != 0 {
        is_seen = true;
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

fn advise(facts: &Facts<'_>, suspicion: Suspicion) -> Suspicion {
    let file = match facts.place() {
        Some(Place::Released { mapping, .. }) => mapping.path.as_deref(),
        _ => None,
    };
    let owner = match file {
        Some(path) if path.starts_with("/dev/shm/") => "the SharedMemory object open",
        Some(_) => "the mapped file open",
        None => "the owner of the memory (SharedMemory, mmap, ctypes buffer) alive",
    };
    suspicion
        .remedy(Remedy::new(format!(
            "Keep {owner} as long as arrays look into it."
        )))
        .remedy(Remedy::new(
            "Or copy the array before the memory goes: array = numpy.array(view, copy=True).",
        ))
}
