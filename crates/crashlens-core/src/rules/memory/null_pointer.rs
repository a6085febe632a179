//! Code used an object or buffer that was not there.

use crate::capture::{AccessKind, CppException, ExceptionState, Place, Signal};
use crate::cause::Cause;
use crate::culprit::is_interpreter;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "MEM001",
    name: "null-pointer",
    causes: &[Cause::NullPointer],
    since: "0.1.0",
    doc: include_str!("null_pointer.md"),
    judge,
};

/// The first pages, where a field of an object at address 0 is.
const FIRST_PAGES: u64 = 0x10000;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if facts.signal_was_sent() || !facts.died_of(Signal::SEGV) {
        return None;
    }
    let Some(access) = facts.access() else {
        return from_address_alone(facts);
    };
    let base = access.base.as_ref().map(|base| base.value.0);
    let offset = match facts.place()? {
        Place::NullPage { offset } => *offset,
        // Too far from 0 for a field, and yet the pointer was 0: an element of a buffer that is not there.
        Place::Unmapped { .. } if base == Some(0) && access.index.is_some() => access.address.0,
        _ => return None,
    };
    let verb = match access.kind {
        AccessKind::Read => "read",
        AccessKind::Write => "wrote",
        AccessKind::Execute => "called",
    };
    let at = if offset == 0 {
        format!("The instruction {verb} address 0.")
    } else {
        format!(
            "The instruction {verb} address {offset:#x}: {offset} bytes into an object at address 0."
        )
    };
    let is_null = access.kind == AccessKind::Execute || base.is_none_or(|base| base == 0);
    let weight = if is_null {
        Weight::Decisive
    } else {
        Weight::Strong
    };
    let suspicion = Suspicion::new(Cause::NullPointer, headline(facts, access.kind)).supported(
        weight,
        FactRef::Fault,
        at,
    );
    let suspicion = weaken(facts, suspicion, base);
    Some(advise(facts, suspicion))
}

/// Text gives the address at most, and garbage is small sometimes.
fn from_address_alone(facts: &Facts<'_>) -> Option<Suspicion> {
    let address = facts.capture().ending.address?;
    let is_telling =
        address.0 < FIRST_PAGES && facts.capture().ending.code.as_deref() != Some("SI_KERNEL");
    is_telling.then(|| {
        Suspicion::new(Cause::NullPointer, headline(facts, AccessKind::Read)).supported(
            Weight::Weak,
            FactRef::Ending,
            format!("The fault was at address {address}, where nothing ever is."),
        )
    })
}

fn headline(facts: &Facts<'_>, kind: AccessKind) -> String {
    let actor = facts.actor();
    if kind == AccessKind::Execute {
        return format!("{actor} called a function that is not there (address 0)");
    }
    match facts.empty_inputs().first() {
        Some(empty) => format!(
            "{actor} used the data of an empty tensor: `{}` has the shape {}",
            empty.name, empty.shape
        ),
        None => format!("{actor} used an object or buffer that is not there (null pointer)"),
    }
}

fn weaken(facts: &Facts<'_>, mut suspicion: Suspicion, base: Option<u64>) -> Suspicion {
    if let Some(base) = base.filter(|base| *base >= FIRST_PAGES) {
        let claim =
            format!("The pointer was {base:#x}, not 0: it wrapped around to a small address.");
        suspicion = suspicion.opposed(Weight::Decisive, FactRef::Fault, claim);
    }
    if let Some(sight) = facts.in_allocator() {
        let claim = format!(
            "It happened inside the allocator (`{}`): its records are damaged.",
            sight.function()
        );
        suspicion = suspicion.opposed(Weight::Decisive, sight.fact, claim);
    }
    if let Some(exception) = facts.capture().testimony.exception.known() {
        let weight = weight_of_exception(facts, exception);
        let claim = format!(
            "The C++ exception `{}` was being handled: the null pointer comes from that.",
            exception.type_name
        );
        suspicion = suspicion.opposed(weight, FactRef::Exception, claim);
    }
    if facts.memory_was_refused() {
        let claim = "The last call that failed was refused memory (ENOMEM): the buffer may be missing for that reason.";
        suspicion = suspicion.opposed(Weight::Strong, FactRef::Ending, claim);
    }
    suspicion
}

/// Python's functions for errors at a thread state that is null: the exception left code that had given up the GIL.
fn weight_of_exception(facts: &Facts<'_>, exception: &CppException) -> Weight {
    let top = facts.frames_at_fault().next();
    let is_python = top.is_some_and(|top| is_interpreter(top.frame));
    match (is_python, exception.state) {
        (true, _) => Weight::Decisive,
        (false, ExceptionState::Uncaught) => Weight::Strong,
        (false, ExceptionState::Caught | ExceptionState::Unknown) => Weight::Weak,
    }
}

fn advise(facts: &Facts<'_>, mut suspicion: Suspicion) -> Suspicion {
    for empty in facts.empty_inputs().into_iter().take(3) {
        let claim = format!(
            "`{}` has the shape {}: an empty tensor has no buffer, its data pointer is null.",
            empty.name, empty.shape
        );
        suspicion = suspicion.supported(Weight::Weak, empty.fact, claim);
        let action = format!(
            "Do not pass an empty `{}` (shape {}): check its size before the call.",
            empty.name, empty.shape
        );
        suspicion = suspicion.remedy(Remedy::new(action));
    }
    let line = facts
        .user_line()
        .map_or_else(String::new, |line| format!(" (`{line}`)"));
    let action = format!(
        "Look at what the call{line} was given: missing, closed or unset objects, `None`, empty lists."
    );
    suspicion.remedy(Remedy::new(action))
}
