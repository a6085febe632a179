//! Python called a C function with an argument that leads nowhere.

use crate::book::{Judge, Rule};
use crate::capture::{ForeignArgument, MessageKind, Place, Signal};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{BadArgument, Facts};
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::memory::foreign_calls::{DECLARE, name};

pub(super) static RULE: Rule = Rule {
    id: "MEM019",
    name: "bad-foreign-call",
    summary: "An argument of a ctypes or cffi call was an invalid pointer: null, truncated or unmapped.",
    causes: &[Cause::BadForeignCall],
    since: "0.1.0",
    doc: include_str!("bad_foreign_call.md"),
    judge: Judge::Death(judge),
};

/// From here on Linux puts programs, heaps and mappings: a pointer to nothing there may have been right once.
const MAPPED_AREA: u64 = 0x5000_0000_0000;
/// Deeper below the call than this the function does its own work.
const DIRECTLY: usize = 2;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let call = facts.foreign_call()?;
    let (name, api) = (name(call), call.api);
    if facts.fatal_message(MessageKind::CLibrary).is_some() && facts.in_allocator().is_some() {
        let headline = format!("{name} was called by {api} with a wrong pointer");
        let claim = format!("It ended in a call of {name} from Python.");
        let against = "The allocator complained: what was done to the heap is the matter.";
        return Some(
            Suspicion::new(Cause::BadForeignCall, headline)
                .supported(Weight::Weak, FactRef::ForeignCall, claim)
                .opposed(Weight::Decisive, FactRef::ForeignCall, against),
        );
    }
    if !facts.died_of(Signal::SEGV) && !facts.died_of(Signal::BUS) {
        return None;
    }
    let BadArgument {
        number,
        argument,
        depth,
    } = facts.bad_argument()?;
    // A function that does work of its own may miss another pointer than the null that it was given.
    let is_plain = facts.only_machinery_below_call()
        || (depth <= DIRECTLY && argument.pointer.is_none_or(|pointer| pointer.0 != 0));
    let may_be_stale = matches!(
        facts.place(),
        Some(Place::Unmapped { .. } | Place::PastEnd { .. })
    ) && argument.pointer.is_some_and(|it| it.0 >= MAPPED_AREA);
    // Aligned or not, memory is there: the function may ask more than it says.
    let is_misaligned = matches!(facts.place(), Some(Place::Misaligned { .. }));
    let proof = (is_plain && !may_be_stale && !is_misaligned).then_some(Weight::Decisive);
    let told = told(argument, facts.place());
    let headline =
        format!("{name} was called by {api} with a bad pointer: argument {number} is {told}");
    let claim = format!("Argument {number} of {name} is {told}, and the failed access went there.");
    let mut suspicion = Suspicion::new(Cause::BadForeignCall, headline).supported(
        proof.unwrap_or(Weight::Strong),
        FactRef::ForeignCall,
        claim,
    );
    if is_cut(argument) {
        let claim = "It has 32 bits only: ctypes makes a C int of results and numbers whose types are not declared.";
        let action = "Set restype = ctypes.c_void_p on the function that returned the pointer.";
        suspicion = suspicion
            .supported(Weight::Weak, FactRef::ForeignCall, claim)
            .remedy(Remedy::new(action));
    }
    let line = facts.in_user_line();
    let action = format!("Pass memory that fits as argument {number}{line}; it is {told}.");
    let suspicion = suspicion
        .remedy(Remedy::new(action))
        .remedy(Remedy::new(DECLARE));
    Some(weaken(facts, suspicion))
}

fn weaken(facts: &Facts<'_>, suspicion: Suspicion) -> Suspicion {
    if matches!(facts.place(), Some(Place::Released { .. })) {
        let claim =
            "Memory was mapped there before, and was given back since: the pointer was right once.";
        return suspicion.opposed(Weight::Decisive, FactRef::Fault, claim);
    }
    if facts.memory_was_refused() {
        let claim = "The last call that failed was refused memory (ENOMEM): the pointer may be missing for that.";
        return suspicion.opposed(Weight::Strong, FactRef::Ending, claim);
    }
    suspicion
}

/// Whether only the lower half of a pointer arrived.
fn is_cut(argument: &ForeignArgument) -> bool {
    let is_int = argument
        .value
        .as_ref()
        .is_some_and(|value| value.type_name == "int");
    let is_half =
        |pointer: u64| pointer > 0xffff && (pointer >> 32 == 0 || pointer >> 31 == 0x1_ffff_ffff);
    argument.truncated || is_int && argument.pointer.is_some_and(|pointer| is_half(pointer.0))
}

/// An argument as a person would say it.
fn told(argument: &ForeignArgument, place: Option<&Place>) -> String {
    let text = argument
        .value
        .as_ref()
        .and_then(|value| value.text.as_deref());
    let Some(pointer) = argument.pointer.filter(|it| it.0 != 0) else {
        return text.unwrap_or("no pointer").to_owned();
    };
    match place {
        Some(Place::ReadOnly { .. }) => format!("{pointer}, which may only be read"),
        Some(Place::NotExecutable { .. }) => format!("{pointer}, which is no code"),
        Some(Place::Misaligned { alignment, .. }) => {
            format!("{pointer}, which is no multiple of {alignment}")
        }
        _ => format!("{pointer}, where nothing is"),
    }
}
