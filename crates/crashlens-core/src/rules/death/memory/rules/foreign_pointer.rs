//! Python read or wrote through a ctypes or cffi pointer, or C called back what was gone.

use crate::book::{Judge, Rule};
use crate::capture::{Place, Signal};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::fault::short_name;
use crate::facts::foreign::follows_pointer;
use crate::facts::{Facts, NativeSight};
use crate::rule::{Remedy, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "MEM021",
    name: "foreign-pointer",
    summary: "Python code followed an invalid ctypes or cffi pointer, or C called a callback that no longer existed.",
    causes: &[Cause::BadForeignCall],
    since: "0.1.0",
    doc: include_str!("foreign_pointer.md"),
    judge: Judge::Death(judge),
};

/// Functions of ctypes and cffi through which C calls Python.
const CALLBACKS: [&str; 4] = [
    "_CallPythonObject",
    "closure_fcn",
    "general_invoke_callback",
    "cffi_call_python",
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let is_fault = facts.died_of(Signal::SEGV) || facts.died_of(Signal::BUS);
    if !is_fault || facts.signal_was_sent() || facts.foreign_call().is_some() {
        return None;
    }
    if matches!(facts.place(), Some(Place::StackOverflow)) || facts.in_allocator().is_some() {
        return None;
    }
    let suspicion = match facts.foreign_access() {
        Some(sight) => through_pointer(facts, &sight),
        None => by_python_frame(facts)?,
    };
    if matches!(facts.place(), Some(Place::Released { .. })) {
        let claim = "Memory was mapped there before, and given back: the pointer was right once.";
        return Some(suspicion.opposed(Weight::Decisive, FactRef::Fault, claim));
    }
    Some(suspicion)
}

fn through_pointer(facts: &Facts<'_>, sight: &NativeSight<'_>) -> Suspicion {
    let function = short_name(sight.function());
    let claim = format!(
        "It ended in `{function}` of `{}`, which touches memory only on behalf of Python code.",
        sight.library()
    );
    if CALLBACKS.contains(&function.as_str()) {
        let headline = "C code called back a Python function that was already gone";
        let action =
            "Keep a reference to the callback (the CFUNCTYPE object) as long as C may call it.";
        return Suspicion::new(Cause::BadForeignCall, headline)
            .supported(Weight::Strong, sight.fact.clone(), claim)
            .remedy(Remedy::new(action));
    }
    let line = facts
        .user_line()
        .map_or_else(String::new, |line| format!(": `{line}`"));
    let headline = format!("Python used a ctypes or cffi pointer that leads nowhere{line}");
    let weight = weight(facts, &function);
    let action = "Check where the pointer comes from: an address cut to 32 bits, a freed buffer, a number that is none.";
    Suspicion::new(Cause::BadForeignCall, headline)
        .supported(weight, sight.fact.clone(), claim)
        .remedy(Remedy::new(action))
}

/// What ended in a function of ctypes or cffi says of the pointer that Python gave it.
fn weight(facts: &Facts<'_>, function: &str) -> Weight {
    let is_wild = matches!(facts.place(), Some(Place::NonCanonical));
    match (follows_pointer(function), is_wild) {
        (true, false) => facts.unless_text(Weight::Decisive),
        // What has not even the form of an address is as well an object that something wrote over.
        (true, true) if facts.frame_calling(&["Pointer_", "string_at"]).is_some() => {
            facts.unless_text(Weight::Strong)
        }
        _ => Weight::Weak,
    }
}

/// Where only Python frames are known, as faulthandler prints them.
fn by_python_frame(facts: &Facts<'_>) -> Option<Suspicion> {
    let (fact, frame) = facts.python_frames().next().filter(|_| facts.is_text())?;
    let is_ctypes = frame
        .file
        .replace('\\', "/")
        .ends_with("ctypes/__init__.py");
    let is_reading = matches!(frame.function.as_str(), "string_at" | "wstring_at");
    let headline = format!(
        "ctypes.{} read memory at an address that leads nowhere",
        frame.function
    );
    let claim = "The innermost Python frame reads memory by its address.";
    let action = "Check the address: None, 0, cut to 32 bits, or of memory that is freed.";
    (is_ctypes && is_reading).then(|| {
        Suspicion::new(Cause::BadForeignCall, headline)
            .supported(Weight::Strong, fact, claim)
            .remedy(Remedy::new(action))
    })
}
