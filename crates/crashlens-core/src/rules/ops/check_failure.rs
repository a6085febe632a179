//! A library found a condition broken that it relies on, and gave up.

use super::call;
use super::meanings::{CHECKS, Meaning, shortened};
use crate::capture::{CaptureSource, Message, MessageKind, Signal};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, NativeSight};
use crate::rule::{Remedy, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "OPS001",
    name: "check-failure",
    causes: &[Cause::CheckFailure],
    since: "0.1.0",
    doc: include_str!("check_failure.md"),
    judge,
};

/// Parts of names of functions that are only called to write a fatal message and end the process.
const ENDINGS: [&str; 9] = [
    "LogMessageFatal",
    "LogMessage::Fail(",
    "LogMessage::Die(",
    "CheckFailer",
    "__assert_fail",
    "__glibcxx_assert_fail",
    "report_fatal_error",
    "LogMessageQuietlyFatal",
    "c10::detail::torchInternalAssertFail",
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let said = facts.fatal_message(MessageKind::CheckFailure);
    let ending = ending_function(facts);
    let (weight, fact, words) = match (&said, &ending) {
        (Some((fact, message)), _) => (
            proof(facts, message, ending.as_ref()),
            fact.clone(),
            Some(message.text.as_str()),
        ),
        (None, Some(sight)) => (Weight::Decisive, sight.fact.clone(), None),
        (None, None) => return None,
    };
    let function = facts.culprit().function.as_deref();
    let meaning = words
        .and_then(|words| CHECKS.meaning(words))
        .or_else(|| CHECKS.of_function(function?));
    let is_victim = meaning.as_ref().is_some_and(|it| it.victim);
    let headline = headline(facts, words, meaning.as_ref());
    let claim = words.map_or_else(
        || {
            "The crashed thread is in a function that is only called when a check has failed."
                .to_owned()
        },
        |words| format!("The last words were `{}`.", first_line(words)),
    );
    let weight = if is_victim { Weight::Weak } else { weight };
    let suspicion = Suspicion::new(Cause::CheckFailure, headline).supported(weight, fact, claim);
    let suspicion = with_doubts(suspicion, facts, said.as_ref().map(|(fact, _)| fact));
    Some(with_remedies(suspicion, facts, meaning.as_ref()))
}

/// How far the message proves that its check ended this process: others may share the stream.
fn proof(facts: &Facts<'_>, message: &Message, ending: Option<&NativeSight<'_>>) -> Weight {
    let is_text = facts.capture().source == CaptureSource::Text;
    let crashed = facts.crashed().map(|thread| thread.id);
    let is_own = ending.is_some() || (message.thread.is_some() && message.thread == crashed);
    let has_frames = facts.native_frames().next().is_some();
    if is_text || is_own || !has_frames {
        Weight::Decisive
    } else {
        Weight::Strong
    }
}

/// The function of the crashed thread that is only called to give up.
fn ending_function<'a>(facts: &Facts<'a>) -> Option<NativeSight<'a>> {
    let aborted = facts.signal().is_none_or(|signal| signal == Signal::ABRT);
    facts.frame_calling(&ENDINGS).filter(|_| aborted)
}

fn with_doubts(mut suspicion: Suspicion, facts: &Facts<'_>, said: Option<&FactRef>) -> Suspicion {
    if let Some((last, message)) = facts
        .last_words()
        .filter(|(last, _)| said.is_some_and(|it| it != last))
    {
        let claim = format!("Later it said `{}`.", first_line(&message.text));
        suspicion = suspicion.opposed(Weight::Strong, last, claim);
    }
    match facts.signal() {
        Some(Signal::ABRT) => suspicion.supported(
            Weight::Weak,
            FactRef::Ending,
            "It ended by SIGABRT, as after a failed check.",
        ),
        Some(other) => {
            let claim = format!(
                "It ended by {}, and a failed check ends a process by SIGABRT.",
                other.name()
            );
            let is_text = facts.capture().source == CaptureSource::Text;
            let weight = if is_text {
                Weight::Weak
            } else {
                Weight::Decisive
            };
            suspicion.opposed(weight, FactRef::Ending, claim)
        }
        None => suspicion,
    }
}

fn with_remedies(suspicion: Suspicion, facts: &Facts<'_>, meaning: Option<&Meaning>) -> Suspicion {
    let suspicion = call::with_arguments(suspicion, facts);
    let mut suspicion = call::advise(
        suspicion,
        facts,
        meaning.and_then(|it| it.advice.as_deref()),
    );
    if call::is_custom_op(facts) {
        suspicion = suspicion.remedy(Remedy::new(
            "In the kernel, test the inputs with OP_REQUIRES first: it raises a Python exception instead.",
        ));
    }
    if facts.capture().source == CaptureSource::Text && facts.culprit().python.is_none() {
        suspicion = suspicion.remedy(
            Remedy::new("Run it under crashlens to see which line and which op called the check.")
                .command("crashlens run -- python your_script.py"),
        );
    }
    suspicion
}

fn headline(facts: &Facts<'_>, words: Option<&str>, meaning: Option<&Meaning>) -> String {
    let subject = call::sentence(&call::subject(facts));
    match (meaning, words) {
        (Some(meaning), _) => format!("{subject} gave up: {}", meaning.means),
        (None, Some(words)) => format!("{subject} gave up: `{}`", shortened(condition(words))),
        (None, None) => format!("{subject} gave up because a check of its own failed"),
    }
}

/// The message without the place in the source.
fn condition(words: &str) -> &str {
    let line = words.lines().next().unwrap_or_default();
    line.split_once("] ").map_or(line, |(_, rest)| rest).trim()
}

fn first_line(words: &str) -> String {
    let line = words.lines().next().unwrap_or_default();
    let cut = line
        .get(..line.floor_char_boundary(200))
        .unwrap_or_default();
    cut.trim().to_owned()
}
