//! A C++ exception left the code that threw it, and nobody caught it.

use super::call;
use super::meanings::EXCEPTIONS;
use super::thrown::{TRANSLATION, Thrown};
use crate::capture::{ExceptionState, Observed, Place, Signal};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "OPS002",
    name: "escaped-exception",
    causes: &[Cause::EscapedException],
    since: "0.1.0",
    doc: include_str!("escaped_exception.md"),
    judge,
};

/// Parts of names of functions that run only while the C++ runtime gives up.
const GIVING_UP: [&str; 4] = [
    "std::terminate",
    "__verbose_terminate_handler",
    "__clang_call_terminate",
    "__cxa_call_terminate",
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let thrown = Thrown::of(facts);
    let evidence = translated_without_lock(facts, thrown.as_ref())
        .or_else(|| nobody_caught(facts, thrown.as_ref()))?;
    let meaning = thrown
        .as_ref()
        .and_then(|it| EXCEPTIONS.meaning(&it.words()));
    let mut suspicion = Suspicion::new(Cause::EscapedException, headline(facts, thrown.as_ref()));
    for (weight, fact, claim) in evidence {
        suspicion = suspicion.supported(weight, fact, claim);
    }
    if let Some(from) = facts
        .capture()
        .testimony
        .exception
        .known()
        .and_then(|it| it.thrown_from.last())
    {
        let claim = format!("It was thrown in `{}`.", call::short(from));
        suspicion = suspicion.supported(Weight::Weak, FactRef::Exception, claim);
    }
    suspicion = call::with_arguments(suspicion, facts);
    suspicion = call::advise(
        suspicion,
        facts,
        meaning.as_ref().and_then(|it| it.advice.as_deref()),
    );
    if call::is_custom_op(facts) {
        suspicion = suspicion.remedy(Remedy::new(
            "In the kernel, catch the exception and report it with OP_REQUIRES or context->SetStatus.",
        ));
    }
    Some(suspicion)
}

type Support = Vec<(Weight, FactRef, String)>;

/// pybind11 makes Python exceptions of C++ exceptions; without the interpreter's lock there is no thread state to put
/// them into, and the interpreter reads a field of a null pointer.
fn translated_without_lock(facts: &Facts<'_>, thrown: Option<&Thrown<'_>>) -> Option<Support> {
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
fn nobody_caught(facts: &Facts<'_>, thrown: Option<&Thrown<'_>>) -> Option<Support> {
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

fn is_near_null(facts: &Facts<'_>) -> bool {
    let capture = facts.capture();
    let place = capture
        .testimony
        .fault
        .known()
        .and_then(|it| it.place.as_ref());
    let by_address = capture
        .ending
        .address
        .is_some_and(|address| address.0 < 4096);
    matches!(place, Some(Place::NullPage { .. })) || by_address
}

fn headline(facts: &Facts<'_>, thrown: Option<&Thrown<'_>>) -> String {
    let name = thrown.map_or_else(
        || "A C++ exception".to_owned(),
        |it| format!("The C++ exception `{}`", it.type_name),
    );
    let whose = match &facts.culprit().op {
        Some(op) => format!("left the op `{op}` uncaught"),
        None => "was not caught".to_owned(),
    };
    let argument = facts.suspicious_arguments().into_iter().find(|it| it.of_op);
    let meaning = thrown.and_then(|it| EXCEPTIONS.meaning(&it.words()));
    match (argument, meaning) {
        (Some(argument), _) => format!("{name} {whose}: {}", argument.what),
        (None, Some(meaning)) => format!("{name} {whose}: {}", meaning.means),
        (None, None) => format!("{name} {whose}"),
    }
}
