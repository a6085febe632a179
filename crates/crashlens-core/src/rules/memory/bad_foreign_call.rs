//! Python called a C function with a wrong pointer or signature.

use crate::capture::{ForeignArgument, ForeignCall, MessageKind, Place, Signal};
use crate::cause::Cause;
use crate::culprit::{is_interpreter, is_machinery_frame, plain_name};
use crate::evidence::{FactRef, Weight};
use crate::facts::{BadArgument, Facts};
use crate::rule::{Remedy, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "MEM012",
    name: "bad-foreign-call",
    causes: &[Cause::BadForeignCall],
    since: "0.1.0",
    doc: include_str!("bad_foreign_call.md"),
    judge,
};

/// Deeper below the call than this the function does its own work, and may have its own faults.
const DIRECTLY: usize = 6;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let call = facts.foreign_call();
    if let Some(call) = call.filter(|_| facts.fatal_message(MessageKind::CLibrary).is_some()) {
        let claim = "The allocator complained: what the call did to the heap is the matter.";
        return Some(
            Suspicion::new(
                Cause::BadForeignCall,
                headline(call, "was called with a wrong pointer"),
            )
            .supported(
                Weight::Weak,
                FactRef::ForeignCall,
                format!("It ended in a call of {} from Python.", name(call)),
            )
            .opposed(Weight::Decisive, FactRef::ForeignCall, claim),
        );
    }
    let is_fault = facts.died_of(Signal::SEGV) || facts.died_of(Signal::BUS);
    if !is_fault || facts.signal_was_sent() || matches!(facts.place(), Some(Place::StackOverflow)) {
        return None;
    }
    let suspicion = match call {
        Some(call) => by_argument(facts, call).or_else(|| by_function(facts, call)),
        None => without_call(facts),
    }?;
    Some(weaken(facts, suspicion).remedy(Remedy::new(
        "Declare the function before it is called, and ctypes checks and converts: lib.f.argtypes = [...]; lib.f.restype = ....",
    )))
}

fn by_argument(facts: &Facts<'_>, call: &ForeignCall) -> Option<Suspicion> {
    let BadArgument {
        number,
        argument,
        depth,
    } = facts.bad_argument()?;
    let weight = if depth <= DIRECTLY {
        Weight::Decisive
    } else {
        Weight::Strong
    };
    let told = told(argument);
    let headline = headline(
        call,
        &format!("got a pointer that leads nowhere: argument {number} is {told}"),
    );
    let claim = format!(
        "Argument {number} of {} is {told}, and the failed access went there.",
        name(call)
    );
    let mut suspicion = Suspicion::new(Cause::BadForeignCall, headline).supported(
        weight,
        FactRef::ForeignCall,
        claim,
    );
    let is_int = argument
        .value
        .as_ref()
        .is_some_and(|value| value.type_name == "int");
    let is_cut = argument.truncated
        || (is_int
            && argument
                .pointer
                .is_some_and(|it| it.0 != 0 && (it.0 >> 32 == 0 || it.0 >> 31 == 0x1_ffff_ffff)));
    if is_cut {
        suspicion = suspicion
            .supported(Weight::Weak, FactRef::ForeignCall, "It has 32 bits only: ctypes cuts results and numbers to a C int unless their types are declared.")
            .remedy(Remedy::new("Set restype = ctypes.c_void_p on the function that returned the pointer, and argtypes on the one that takes it."));
    }
    let line = facts
        .user_line()
        .map_or_else(String::new, |line| format!(" in `{line}`"));
    Some(suspicion.remedy(Remedy::new(format!(
        "Pass memory that exists as argument {number} of {}{line}; it is {told}.",
        name(call)
    ))))
}

/// The function, its declaration and where it failed, where no argument is seen to be bad.
fn by_function(facts: &Facts<'_>, call: &ForeignCall) -> Option<Suspicion> {
    let new = |what: &str| Suspicion::new(Cause::BadForeignCall, headline(call, what));
    let depth = facts.depth_below_foreign_call()?;
    let access = facts.access()?;
    if call
        .address
        .is_some_and(|address| address == access.address)
        && depth <= 1
    {
        let claim = format!(
            "Python called {} as a function, and no code is there.",
            access.address
        );
        return Some(new("is no function").supported(
            Weight::Decisive,
            FactRef::ForeignCall,
            claim,
        ));
    }
    if matches!(
        facts.place(),
        Some(Place::PastEnd { .. } | Place::Released { .. })
    ) {
        return None;
    }
    let top = facts.frames_at_fault().next()?;
    let is_api = call
        .function
        .as_deref()
        .is_some_and(|name| name.starts_with("Py") || name.starts_with("_Py"));
    if is_api && is_interpreter(top.frame) && depth <= DIRECTLY {
        let claim = format!(
            "{} is Python's own, and failed at once: ctypes.CDLL calls it without the GIL, or with what is no object.",
            name(call)
        );
        let remedy = Remedy::new(
            "Call Python's C API by ctypes.pythonapi (PyDLL), which keeps the GIL, and declare py_object for objects.",
        );
        return Some(
            new("was called in a way that Python's own functions do not bear")
                .supported(Weight::Strong, FactRef::ForeignCall, claim)
                .remedy(remedy),
        );
    }
    if let Some(number) = call
        .arguments
        .iter()
        .position(|argument| argument.truncated)
    {
        let claim = format!(
            "Argument {} of {} was cut to 32 bits on its way.",
            number + 1,
            name(call)
        );
        return Some(new("got a number that was cut short").supported(
            Weight::Strong,
            FactRef::ForeignCall,
            claim,
        ));
    }
    let in_library = facts
        .frames_at_fault()
        .take(depth)
        .all(|sight| is_machinery_frame(sight.frame));
    let claim = format!(
        "{} is the C library's, was called from Python and failed at once: it did what it was told.",
        name(call)
    );
    in_library.then(|| {
        new("was given arguments that it cannot use").supported(
            Weight::Strong,
            FactRef::ForeignCall,
            claim,
        )
    })
}

/// No call was found: ctypes touched memory itself, or only frames are known.
fn without_call(facts: &Facts<'_>) -> Option<Suspicion> {
    if let Some(sight) = facts.foreign_access() {
        let function = plain_name(sight.function());
        let is_callback = [
            "_CallPythonObject",
            "closure_fcn",
            "general_invoke_callback",
            "cffi_call_python",
        ]
        .contains(&function.as_str());
        let (what, weight) = if is_callback {
            (
                "C code called back a Python function that was already gone",
                Weight::Strong,
            )
        } else {
            (
                "Python read or wrote through a ctypes or cffi pointer that leads nowhere",
                Weight::Decisive,
            )
        };
        let claim = format!(
            "It ended in `{function}` of `{}`, which touches memory only for Python code.",
            sight.library()
        );
        let remedy = if is_callback {
            Remedy::new(
                "Keep a reference to the callback (the CFUNCTYPE object) as long as C may call it.",
            )
        } else {
            Remedy::new(
                "Check where the pointer comes from: an address that was cut to 32 bits, a freed buffer, a number that is no address.",
            )
        };
        let weight = if facts.is_text() {
            Weight::Strong
        } else {
            weight
        };
        return Some(
            Suspicion::new(Cause::BadForeignCall, what)
                .supported(weight, sight.fact, claim)
                .remedy(remedy),
        );
    }
    let (fact, frame) = facts.python_frames().next()?;
    let is_ctypes = frame.file.ends_with("ctypes/__init__.py")
        && matches!(frame.function.as_str(), "string_at" | "wstring_at");
    let headline = format!(
        "Python read memory at an address that leads nowhere (ctypes.{})",
        frame.function
    );
    is_ctypes.then(|| {
        Suspicion::new(Cause::BadForeignCall, headline).supported(
            Weight::Strong,
            fact,
            "The innermost Python frame reads memory by its address.",
        )
    })
}

fn weaken(facts: &Facts<'_>, suspicion: Suspicion) -> Suspicion {
    match facts.place() {
        // The pointer was right once.
        Some(Place::Released { .. }) => suspicion.opposed(
            Weight::Strong,
            FactRef::Fault,
            "Memory was mapped there before: the pointer was right once.",
        ),
        _ if facts.memory_was_refused() => suspicion.opposed(
            Weight::Strong,
            FactRef::Ending,
            "The last call that failed was refused memory (ENOMEM).",
        ),
        _ => suspicion,
    }
}

fn name(call: &ForeignCall) -> String {
    call.function
        .as_deref()
        .map_or_else(|| "the function".to_owned(), |name| format!("`{name}`"))
}

fn headline(call: &ForeignCall, what: &str) -> String {
    format!("{}, called by {}, {what}", name(call), call.api)
}

/// An argument as a person would say it.
fn told(argument: &ForeignArgument) -> String {
    let value = argument.value.as_ref();
    match (
        value.and_then(|value| value.text.as_deref()),
        argument.pointer,
    ) {
        (Some("None"), _) => "None".to_owned(),
        (Some(text), Some(pointer)) if pointer.0 != 0 && text.parse::<i64>().is_ok() => {
            format!("{pointer}")
        }
        (Some(text), _) => text.to_owned(),
        (None, Some(pointer)) => format!("the address {pointer}"),
        (None, None) => "no pointer".to_owned(),
    }
}
