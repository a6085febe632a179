//! Code used an object or buffer that was not there.

use crate::book::{Judge, Rule};
use crate::capture::{AccessKind, CppException, ExceptionState, Place, Signal};
use crate::cause::Cause;
use crate::culprit::is_interpreter;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Argument, Facts, Oddity};
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::memory::objects::{in_destructor, is_first_hand};

pub(super) static RULE: Rule = Rule {
    id: "MEM001",
    name: "null-pointer",
    summary: "The process read, wrote or called through a null pointer.",
    causes: &[Cause::NullPointer],
    since: "0.1.0",
    doc: include_str!("null_pointer.md"),
    judge: Judge::Death(judge),
};

/// Pointers from here on are not 0 plus the place of a field.
const FIRST_PAGES: u64 = 0x10000;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let access = facts.access().filter(|_| facts.died_of(Signal::SEGV))?;
    let base = access.base.as_ref().map(|base| base.value.0);
    // Either register may hold the pointer: an index that is an address itself is none.
    let index = access.index.as_ref().map(|index| index.value.0 >> 40);
    let offset = match facts.place()? {
        Place::NullPage { offset } => *offset,
        // Too far from 0 for a field, and yet the pointer was 0: an element of a buffer that is not there.
        Place::Unmapped { .. } if base == Some(0) && index == Some(0) => access.address.0,
        _ => return None,
    };
    let verb = access.kind.done();
    let claim = match offset {
        0 => format!("The instruction {verb} address 0."),
        _ => format!("The instruction {verb} {offset:#x} bytes into an object at address 0."),
    };
    let is_null = access.kind == AccessKind::Execute || base.is_none_or(|base| base == 0);
    let weight = if is_null && is_first_hand(facts) {
        Weight::Decisive
    } else {
        Weight::Strong
    };
    let mut empty = facts.suspicious_arguments();
    empty.retain(|argument| argument.oddity == Oddity::Empty);
    let suspicion = Suspicion::new(Cause::NullPointer, headline(facts, access.kind, &empty));
    let suspicion = suspicion.supported(weight, FactRef::Fault, claim);
    let suspicion = weaken(facts, suspicion, base.filter(|base| *base >= FIRST_PAGES));
    Some(advise(facts, suspicion, empty))
}

fn headline(facts: &Facts<'_>, kind: AccessKind, empty: &[Argument<'_>]) -> String {
    let actor = facts.actor();
    match (kind, empty.iter().find(|argument| argument.of_op)) {
        (AccessKind::Execute, _) => {
            format!("{actor} called a function that is not there (address 0)")
        }
        (_, Some(empty)) => {
            let what = &empty.what;
            format!("{actor} used an object or buffer that is not there, and {what}")
        }
        _ => format!("{actor} used an object or buffer that is not there (null pointer)"),
    }
}

fn weaken(facts: &Facts<'_>, mut suspicion: Suspicion, garbage: Option<u64>) -> Suspicion {
    if let Some(base) = garbage {
        let claim = format!("The pointer was {base:#x}, not 0: with the offset it wrapped around.");
        suspicion = suspicion.opposed(Weight::Decisive, FactRef::Fault, claim);
    }
    if let Some(sight) = facts.in_allocator() {
        let name = sight.function();
        let claim = format!("It was the allocator (`{name}`), whose own records are damaged.");
        suspicion = suspicion.opposed(Weight::Decisive, sight.fact, claim);
    }
    if let Some((fact, claim)) = in_destructor(facts) {
        suspicion = suspicion.opposed(Weight::Strong, fact, claim);
    }
    if let Some(exception) = facts.capture().testimony.exception.known() {
        let weight = weight_of_exception(facts, exception);
        let claim = format!(
            "The C++ exception `{}` had been thrown before.",
            exception.type_name
        );
        suspicion = suspicion.opposed(weight, FactRef::Exception, claim);
    }
    if facts.memory_was_refused() {
        let claim = "The last call that failed was refused memory (ENOMEM): the buffer may be missing for that.";
        suspicion = suspicion.opposed(Weight::Strong, FactRef::Ending, claim);
    }
    suspicion
}

/// Python's functions at a thread state that is null: the exception left code that had given up the GIL.
fn weight_of_exception(facts: &Facts<'_>, exception: &CppException) -> Weight {
    let top = facts.frames_at_fault().next();
    match (top, exception.state) {
        (Some(top), _) if is_interpreter(top.frame) => Weight::Decisive,
        (_, ExceptionState::Uncaught) => Weight::Strong,
        (_, ExceptionState::Caught | ExceptionState::Unknown) => Weight::Weak,
    }
}

fn advise(facts: &Facts<'_>, mut suspicion: Suspicion, empty: Vec<Argument<'_>>) -> Suspicion {
    for argument in empty {
        let claim = format!(
            "{}: without elements it has no buffer, and its data pointer is 0.",
            argument.what
        );
        suspicion = suspicion.supported(Weight::Weak, argument.fact, claim);
        let action = format!(
            "Check the size of `{}` before the call: it must not be empty.",
            argument.name
        );
        suspicion = suspicion.remedy(Remedy::new(action));
    }
    let line = facts.in_user_line();
    let action =
        format!("Look at what was passed{line}: `None`, empty, closed or not yet built objects.");
    suspicion.remedy(Remedy::new(action))
}
