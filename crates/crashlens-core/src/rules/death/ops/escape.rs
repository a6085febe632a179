//! The ways in which an exception that nobody catches ends a process.

use super::call;
use super::thrown::{TRANSLATION, Thrown};
use crate::capture::{ExceptionState, Observed, Place, Signal};
use crate::culprit::is_machinery_frame;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;

/// Parts of names of functions that run only while the C++ runtime gives up.
pub(super) const GIVING_UP: [&str; 4] = [
    "std::terminate",
    "__verbose_terminate_handler",
    "__clang_call_terminate",
    "__cxa_call_terminate",
];

/// Evidence for an exception that escaped.
pub(super) type Support = Vec<(Weight, FactRef, String)>;

/// pybind11 makes Python exceptions of C++ exceptions; without the interpreter's lock there is no thread state to put
/// them into, and the interpreter reads a field of a null pointer.
pub(super) fn translated_without_lock(
    facts: &Facts<'_>,
    thrown: Option<&Thrown<'_>>,
) -> Option<Support> {
    let top = facts.top().filter(|_| facts.died_of(Signal::SEGV))?;
    let sets_error = ["PyErr_", "_PyErr_"]
        .iter()
        .any(|it| top.function().starts_with(it));
    if !sets_error
        || !is_near_null(facts)
        || facts.capture().testimony.foreign_call.known().is_some()
    {
        return None;
    }
    let claim = format!(
        "`{}` was called without a thread state, so without the interpreter's lock.",
        call::short(top.function())
    );
    let mut support = vec![(Weight::Weak, top.fact, claim)];
    let translator = facts.frame_calling(&TRANSLATION);
    let binding = facts.frame_calling(&["pybind11::"]);
    if let Some(sight) = &translator {
        let claim = "pybind11 was turning a C++ exception into a Python one.".to_owned();
        support.push((Weight::Decisive, sight.fact.clone(), claim));
    }
    if let Some(thrown) = thrown.filter(|it| it.fact == FactRef::Exception) {
        let is_proof = binding.is_some() || translator.is_some();
        let weight = if is_proof {
            Weight::Decisive
        } else {
            Weight::Strong
        };
        support.push((weight, FactRef::Exception, thrown.claim()));
    } else if let (Some(sight), None) = (binding, translator) {
        let claim = "pybind11 had called it, as it does to translate a C++ exception.".to_owned();
        support.push((Weight::Strong, sight.fact, claim));
    }
    // The interpreter's own code without its lock has other reasons, too.
    (support.len() > 1).then_some(support)
}

/// The C++ runtime found no handler.
pub(super) fn nobody_caught(facts: &Facts<'_>, thrown: Option<&Thrown<'_>>) -> Option<Support> {
    if facts.signal().is_some_and(|signal| signal != Signal::ABRT) {
        return None;
    }
    let giving_up = facts.frame_calling(&GIVING_UP);
    let is_last = |fact: &FactRef| facts.last_words().is_none_or(|(last, _)| last == *fact);
    let Some(thrown) = thrown else {
        // Memory could not tell of an exception, and no words tell another reason.
        let is_open = matches!(facts.capture().testimony.exception, Observed::Unknown(_));
        let is_said = facts.last_words().is_some();
        let sight = giving_up.filter(|_| is_open && !is_said)?;
        let claim = "The crashed thread is where the C++ runtime gives up.".to_owned();
        return Some(vec![(Weight::Strong, sight.fact, claim)]);
    };
    let weight = match (&thrown.fact, thrown.state) {
        (FactRef::Exception, Some(ExceptionState::Uncaught)) => Weight::Decisive,
        (FactRef::Exception, _) => giving_up.as_ref().map(|_| Weight::Strong)?,
        (FactRef::Message { .. }, _) if is_seen_elsewhere(facts) => return None,
        (said, _) if is_last(said) && thrown.is_of_a_dead_lock() => Weight::Weak,
        (said, _) if is_last(said) => Weight::Decisive,
        _ => return None,
    };
    let mut support = vec![(weight, thrown.fact.clone(), thrown.claim())];
    if let Some(sight) = giving_up {
        let claim = "The crashed thread is where the C++ runtime gives up.".to_owned();
        support.push((Weight::Weak, sight.fact, claim));
    }
    Some(support)
}

/// Whether the stack shows that something else than the C++ runtime ended the process: the words are a child's then,
/// which shares the stream. Where the caller of `abort` has no name it may be the runtime, linked into a library.
fn is_seen_elsewhere(facts: &Facts<'_>) -> bool {
    let mut callers = facts
        .native_frames()
        .skip_while(|sight| is_machinery_frame(sight.frame));
    let is_named = callers
        .next()
        .is_some_and(|caller| !caller.function().is_empty());
    !facts.is_text() && is_named && facts.frame_calling(&GIVING_UP).is_none()
}

/// The short name of a function, where it is no part of the C++ runtime or of a thread pool, which throw on behalf of
/// others.
pub(super) fn own_code(function: &str) -> Option<String> {
    const OF_OTHERS: [&str; 8] = [
        "std::",
        "__",
        "operator new",
        "Eigen::",
        "tsl::",
        "tensorflow::Shard",
        "tensorflow::thread",
        "start_thread",
    ];
    // A function object: its type names the code.
    let wrapped = function.strip_prefix("std::_Function_handler<");
    let function = wrapped
        .and_then(|it| Some(it.split_once("), ")?.1))
        .unwrap_or(function);
    let is_own = !OF_OTHERS.iter().any(|part| function.starts_with(part));
    is_own
        .then(|| call::short(function))
        .filter(|name| !name.is_empty())
}

fn is_near_null(facts: &Facts<'_>) -> bool {
    let capture = facts.capture();
    let place = capture
        .testimony
        .fault
        .known()
        .and_then(|it| it.place.as_ref());
    // Behind SI_KERNEL stands an address that the kernel does not tell: its 0 is none.
    let is_told = capture.ending.code.as_deref() != Some("SI_KERNEL");
    let by_address = capture
        .ending
        .address
        .is_some_and(|address| is_told && address.0 < 4096);
    matches!(place, Some(Place::NullPage { .. })) || by_address
}
