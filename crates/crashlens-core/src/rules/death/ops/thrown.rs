//! The C++ exception of a death, from memory or from the words of the C++ runtime.

use std::sync::LazyLock;

use regex::Regex;

use super::meanings::shortened;
use crate::capture::{ExceptionState, MessageKind};
use crate::evidence::FactRef;
use crate::facts::Facts;

/// Functions of pybind11 that do nothing but turn C++ exceptions into Python ones.
pub(super) const TRANSLATION: [&str; 2] = [
    "pybind11::detail::translate_exception",
    "apply_exception_translators",
];

/// Types that are thrown for something else than an error of the code that threw them: the C library ends a thread
/// with one, pybind11 carries Python exceptions, and an assembler refuses the processor.
const OF_OTHER_CAUSES: [&str; 3] = ["__forced_unwind", "error_already_set", "Xbyak::Error"];

/// An exception.
#[derive(Debug)]
pub(super) struct Thrown<'a> {
    /// Its type.
    pub(super) type_name: &'a str,
    /// Its words.
    pub(super) what: Option<&'a str>,
    /// How far it had come, where memory tells.
    pub(super) state: Option<ExceptionState>,
    /// Where that is known from.
    pub(super) fact: FactRef,
}

impl<'a> Thrown<'a> {
    /// The exception of the crashed thread, or the one that the C++ runtime named.
    pub(super) fn of(facts: &'a Facts<'_>) -> Option<Self> {
        Self::in_memory(facts)
            .or_else(|| Self::in_words(facts))
            .filter(|it| is_type(it.type_name))
            .filter(|it| {
                !OF_OTHER_CAUSES
                    .iter()
                    .any(|part| it.type_name.contains(part))
            })
    }

    fn in_memory(facts: &'a Facts<'_>) -> Option<Self> {
        let exception = facts.capture().testimony.exception.known()?;
        let crashed = facts.crashed().map(|thread| thread.id);
        (crashed == Some(exception.thread)).then(|| Self {
            type_name: &exception.type_name,
            what: exception.what.as_deref(),
            state: Some(exception.state),
            fact: FactRef::Exception,
        })
    }

    fn in_words(facts: &'a Facts<'_>) -> Option<Self> {
        static WORDS: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(concat!(
                r"(?s)terminate called after throwing an instance of '(?<gnu>[^']*)'",
                r"(?:.*?what\(\): *(?<what>[^\n]*))?",
                r"|uncaught (?:foreign )?exception of type (?<llvm>[^\n]+?)(?:: (?<said>[^\n]*))?$",
            ))
            .expect("the pattern is fixed")
        });
        let (fact, message) = facts.fatal_message(MessageKind::Terminate)?;
        let words = WORDS.captures(&message.text)?;
        let group = |names: [&str; 2]| {
            names
                .iter()
                .find_map(|name| words.name(name))
                .map(|it| it.as_str())
        };
        Some(Self {
            type_name: group(["gnu", "llvm"])?.trim(),
            what: group(["what", "said"]).map(str::trim),
            state: None,
            fact,
        })
    }

    /// Whether a lock refused because it was not set up, or not any more, or threads because libpthread was not found:
    /// two libraries that share it, or an exit, bring that about, and what was thrown does not tell which.
    pub(super) fn is_of_a_dead_lock(&self) -> bool {
        let what = self.what.unwrap_or_default();
        self.type_name.contains("system_error")
            && (what.contains("mutex lock failed")
                || what.contains("Enable multithreading to use std::thread")
                || what.ends_with("Invalid argument"))
    }

    /// Type and words, as `data/exceptions.toml` has them.
    pub(super) fn words(&self) -> String {
        format!("{}: {}", self.type_name, self.what.unwrap_or_default())
    }

    /// What is known, as a sentence.
    pub(super) fn claim(&self) -> String {
        let what = self
            .what
            .filter(|what| !what.is_empty() && *what != self.type_name);
        let words = what.map_or_else(String::new, |what| format!(": \"{}\"", shortened(what)));
        let manner = match (&self.fact, self.state) {
            (FactRef::Exception, Some(ExceptionState::Uncaught)) => {
                "was thrown, and nothing caught it"
            }
            (FactRef::Exception, _) => "was in flight on the crashed thread",
            _ => "was thrown and not caught, said the C++ runtime",
        };
        format!("`{}` {manner}{words}.", self.type_name)
    }
}

/// Whether it can be the name of a type: after a thread was ended from outside there is none to be named.
fn is_type(name: &str) -> bool {
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts && name.chars().all(|c| !c.is_control())
}
