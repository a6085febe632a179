//! How far a failed check is proven to have ended the process.

use super::call;
use crate::capture::{CaptureSource, Message, Signal};
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, NativeSight};
use crate::rule::Suspicion;

/// Parts of names of functions that are only called to write a fatal message and end the process.
const ENDINGS: [&str; 11] = [
    "MTLReportFailure",
    "__assert_rtn",
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

/// How far the message proves that its check ended this process: others may share the stream.
pub(super) fn proof(
    facts: &Facts<'_>,
    message: &Message,
    ending: Option<&NativeSight<'_>>,
) -> Weight {
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
pub(super) fn ending_function<'a>(facts: &Facts<'a>) -> Option<NativeSight<'a>> {
    let aborted = facts.signal().is_none_or(|signal| signal == Signal::ABRT);
    facts.frame_calling(&ENDINGS).filter(|_| aborted)
}

/// The suspicion with what speaks against it.
pub(super) fn with_doubts(
    mut suspicion: Suspicion,
    facts: &Facts<'_>,
    said: Option<&FactRef>,
) -> Suspicion {
    let ending = ending_function(facts);
    if let Some((last, message)) = facts
        .last_words()
        .filter(|(last, _)| said.is_some_and(|it| it != last) && ending.is_none())
    {
        let claim = format!("Later it said `{}`.", first_line(&message.text));
        suspicion = suspicion.opposed(Weight::Decisive, last, claim);
    }
    let interpreter = call::ended_by_interpreter(facts);
    if let Some(sight) = interpreter.filter(|_| ending.is_none()) {
        let claim = format!(
            "It was `{}` that ended the process.",
            call::short(sight.function())
        );
        suspicion = suspicion.opposed(Weight::Decisive, sight.fact, claim);
    }
    let is_text = facts.is_text();
    let later = said.and_then(|said| other_end_behind(facts, said).filter(|_| is_text));
    if let Some((fact, words)) = &later {
        let claim = format!("Behind it a line tells of another end, `{words}`.");
        suspicion = suspicion.opposed(Weight::Strong, fact.clone(), claim);
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

/// Words of shells for ends that no failed check brings about.
const OTHER_ENDS: [&str; 4] = [
    "Segmentation fault",
    "Bus error",
    "Floating point exception",
    "Illegal instruction",
];

/// A line behind the message about an end that is not the check's: text may be of two runs.
fn other_end_behind(facts: &Facts<'_>, said: &FactRef) -> Option<(FactRef, &'static str)> {
    let FactRef::Message { index } = said else {
        return None;
    };
    let said = facts.messages().get(*index)?.line?;
    let mut behind = facts.lines().skip(said + 1);
    behind.find_map(|(fact, line)| {
        let words = OTHER_ENDS.iter().find(|words| line.contains(**words))?;
        Some((fact, *words))
    })
}

/// The message without the place in the source.
pub(super) fn condition(words: &str) -> &str {
    let line = words.lines().next().unwrap_or_default();
    line.split_once("] ").map_or(line, |(_, rest)| rest).trim()
}

/// The first line of a message, for a claim.
pub(super) fn first_line(words: &str) -> String {
    let line = words.lines().next().unwrap_or_default();
    let cut = line
        .get(..line.floor_char_boundary(200))
        .unwrap_or_default();
    cut.trim().to_owned()
}

/// Whose check it was, by the file that the message names.
pub(super) fn speaker(words: &str) -> Option<&'static str> {
    const TENSORFLOW: [&str; 5] = ["tensorflow", "tsl/", "xla/", "local_xla", "local_tsl"];
    let (place, _) = words.split_once("] ")?;
    let place = place
        .trim_start_matches("./")
        .trim_start_matches("external/");
    let is_tensorflow =
        TENSORFLOW.iter().any(|it| place.starts_with(it)) || place.contains("\\tensorflow\\");
    is_tensorflow.then_some("TensorFlow")
}

/// Whether the message is about the processor, which is another rule's.
pub(super) fn is_about_processor(words: &str) -> bool {
    words.contains("cpu_feature_guard")
        || words.contains("instructions, but these aren't available")
}
