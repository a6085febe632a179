//! Questions about stacks that repeat themselves.

use std::sync::LazyLock;

use regex::Regex;

use super::Facts;
use crate::capture::{CaptureSource, Frame};
use crate::embedded;
use crate::evidence::FactRef;

/// As many frames as faulthandler prints of a thread.
const MOST_OF_FAULTHANDLER: usize = 100;
/// Functions that call each other in turn, at most.
const LONGEST_CYCLE: usize = 12;

/// Frames of which a few that repeat are enough.
const BOTTOMLESS: usize = 10_000;
/// Names that debuggers show for whatever they cannot name, and for the interpreter's way to let go of anything.
const HELPERS: [&str; 6] = [
    "??",
    "Py_DECREF",
    "Py_XDECREF",
    "_Py_DECREF",
    "_Py_XDECREF",
    "_Py_Dealloc",
];

/// A function that is on the stack again and again.
#[derive(Debug, Clone)]
pub struct Recursion {
    /// Its name.
    pub function: String,
    /// Frames that there are at least.
    pub depth: usize,
    /// Where that is to be seen.
    pub fact: FactRef,
}

impl Facts<'_> {
    /// The function that fills a stack of at least `deep` frames, or all that faulthandler shows of one.
    pub fn deep_recursion(&self, deep: usize) -> Option<Recursion> {
        self.numbered_frames(deep)
            .or_else(|| self.repeated_frames())
    }

    /// A debugger's numbers of frames, of which the middle is left out often.
    fn numbered_frames(&self, deep: usize) -> Option<Recursion> {
        static NUMBERED: LazyLock<Regex> = LazyLock::new(|| {
            embedded::regex(r"^#(?<number>\d{1,7})\s+(?:0x[0-9a-f]+ in )?(?<function>[^\s(]+)")
        });
        let frames: Vec<(FactRef, usize, &str)> = self
            .lines()
            .filter_map(|(fact, text)| {
                let found = NUMBERED.captures(text.trim_start())?;
                let number = found.name("number")?.as_str().parse().ok()?;
                Some((fact, number, found.name("function")?.as_str()))
            })
            .collect();
        let count = |function: &str| frames.iter().filter(|it| it.2 == function).count();
        let named = frames
            .iter()
            .filter(|(_, number, function)| *number >= deep && !HELPERS.contains(function));
        let (fact, _, function) = named.max_by_key(|it| count(it.2))?;
        let depth = frames.iter().map(|it| it.1).max()?;
        // So deep no program calls without recursion, however little of it was pasted.
        let enough = if depth >= BOTTOMLESS { 2 } else { 3 };
        (count(function) >= enough).then(|| Recursion {
            function: (*function).to_owned(),
            depth,
            fact: fact.clone(),
        })
    }

    /// Frames as they were read: of the innermost function there are more than a cycle of calls explains otherwise.
    fn repeated_frames(&self) -> Option<Recursion> {
        let thread = self.crashed()?;
        let names: Vec<&str> = thread
            .frames
            .iter()
            .map(|frame| match frame {
                Frame::Native(frame) => frame.function.as_deref().unwrap_or_default(),
                Frame::Python(frame) => frame.function.as_str(),
            })
            .collect();
        let is_text = self.capture().source == CaptureSource::Text;
        if !is_text || names.len() < MOST_OF_FAULTHANDLER {
            return None;
        }
        let innermost = names.iter().take(LONGEST_CYCLE).enumerate();
        let (index, name) = innermost
            .filter(|(_, name)| !name.is_empty() && **name != "<module>")
            .max_by_key(|(index, name)| {
                let count = names.iter().filter(|it| it == name).count();
                (count, std::cmp::Reverse(*index))
            })?;
        let count = names.iter().filter(|it| *it == name).count();
        (count >= names.len() / LONGEST_CYCLE && count > MOST_OF_FAULTHANDLER / LONGEST_CYCLE).then(
            || Recursion {
                function: (*name).to_owned(),
                depth: names.len(),
                fact: FactRef::Frame {
                    thread: thread.id,
                    index,
                },
            },
        )
    }
}
