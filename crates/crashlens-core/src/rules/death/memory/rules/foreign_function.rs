//! Python called a C function in a way that it does not bear, whatever its arguments.

use crate::book::{Judge, Rule};
use crate::capture::{Address, ForeignCall, Place, Signal};
use crate::cause::Cause;
use crate::culprit::is_interpreter;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::memory::foreign_calls::{DECLARE, name};

pub(super) static RULE: Rule = Rule {
    id: "MEM020",
    name: "foreign-function",
    summary: "A C function called through ctypes or cffi failed at once, without an argument that is visibly invalid.",
    causes: &[Cause::BadForeignCall],
    since: "0.1.0",
    doc: include_str!("foreign_function.md"),
    judge: Judge::Death(judge),
};

/// Deeper below the call than this the function does its own work.
const DIRECTLY: usize = 4;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let call = facts.foreign_call()?;
    let address = at_fault(facts, call)?;
    facts
        .depth_below_foreign_call()
        .filter(|depth| *depth <= DIRECTLY)?;
    // A damaged heap is noticed in the allocator, whoever called it.
    if facts.bad_argument().is_some() || facts.in_allocator().is_some() {
        return None;
    }
    let (name, api) = (name(call), call.api);
    let (weight, what, claim, action) = if call.address == Some(address) {
        (
            facts.access().map_or(Weight::Strong, |_| Weight::Decisive),
            format!("{api} called {address} as a function, and no function is there"),
            "The address that Python called is the one at fault.".to_owned(),
            "Take the function from a loaded library, and keep callbacks and libraries alive while they are used.",
        )
    } else if is_api(facts, call) {
        (
            Weight::Strong,
            format!("{name}, a function of Python itself, was called by {api} as it must not be"),
            format!(
                "{name} failed at once: CDLL calls it without the GIL, or what it got is no object."
            ),
            "Call it as ctypes.pythonapi.NAME, which keeps the GIL, and declare py_object for objects.",
        )
    } else if let Some(number) = call
        .arguments
        .iter()
        .position(|argument| argument.truncated)
    {
        let number = number + 1;
        (
            Weight::Strong,
            format!("{name} got only the lower half of argument {number} from {api}"),
            format!("Argument {number} of {name} was cut to 32 bits on its way."),
            "Declare the argument's type, such as ctypes.c_void_p or ctypes.c_size_t.",
        )
    } else if facts.only_machinery_below_call() {
        (
            Weight::Strong,
            format!("{name} was called by {api} with arguments that it cannot use"),
            format!("{name} is the C library's, and failed at once: it did what it was told."),
            "Check each argument against the function's manual page: what it points to, and its size.",
        )
    } else {
        return None;
    };
    Some(
        Suspicion::new(Cause::BadForeignCall, what)
            .supported(weight, FactRef::ForeignCall, claim)
            .remedy(Remedy::new(action))
            .remedy(Remedy::new(DECLARE)),
    )
}

/// Where it went wrong: a wild address that was accessed, or bytes that were run and belong to no library.
fn at_fault(facts: &Facts<'_>, call: &ForeignCall) -> Option<Address> {
    if facts.died_of(Signal::ILL) && !facts.signal_was_sent() && !facts.is_code_of_file() {
        let top = facts.frames_at_fault().next()?.frame.address;
        return call.address.filter(|address| *address == top);
    }
    let is_wild = facts.died_of(Signal::SEGV) && is_wild(facts.place()?);
    Some(facts.access().filter(|_| is_wild)?.address)
}

/// Whether the address was no good from the beginning: neither an overrun nor memory that was given back.
fn is_wild(place: &Place) -> bool {
    !matches!(
        place,
        Place::PastEnd { .. }
            | Place::Released { .. }
            | Place::StackOverflow
            | Place::BeyondFile { .. }
            | Place::NoSpace { .. }
    )
}

/// Whether Python's own C API failed.
fn is_api(facts: &Facts<'_>, call: &ForeignCall) -> bool {
    let top = facts.frames_at_fault().next();
    let function = call.function.as_deref().unwrap_or_default();
    (function.starts_with("Py") || function.starts_with("_Py"))
        && top.is_some_and(|top| is_interpreter(top.frame))
}
