//! Threads in the report's form: the crashed one first, idle ones in the same place as one entry.

use serde::{Deserialize, Serialize};

use crate::capture::{Address, Frame, StackEnd, Thread, ThreadRole};

/// One thread, and those that were idle in the very same place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct ThreadReport {
    /// Kernel thread id.
    pub id: u32,
    /// Name as the kernel has it.
    pub name: String,
    /// What the thread is for.
    pub role: ThreadRole,
    /// Whether it took the fatal signal.
    pub crashed: bool,
    /// Whether it held Python's global interpreter lock; null when that could not be read.
    pub holds_gil: Option<bool>,
    /// Whether it was blocked waiting for what the crashed thread was doing.
    pub waits_for_crashed: bool,
    /// Frames, innermost first, Python frames in their native places.
    pub frames: Vec<Frame>,
    /// Why the stack is as short as it is.
    pub end: StackEnd,
    /// Ids of threads with the same stack and the same name but for a number at its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<u32>,
}

impl ThreadReport {
    /// All of `threads`: the crashed first, then those that waited for it, then the others in their order.
    pub(super) fn fold(threads: &[Thread]) -> Vec<Self> {
        let mut folded: Vec<(Self, Vec<Place<'_>>)> = Vec::new();
        for thread in threads {
            let places: Vec<Place<'_>> = thread.frames.iter().map(Place::of).collect();
            let twin = folded
                .iter_mut()
                .find(|(known, known_places)| known.is_twin(thread) && *known_places == places);
            match twin {
                Some((known, _)) => known.also.push(thread.id),
                None => folded.push((Self::from(thread), places)),
            }
        }
        let mut threads: Vec<Self> = folded.into_iter().map(|(thread, _)| thread).collect();
        threads.sort_by_key(|thread| (!thread.crashed, !thread.waits_for_crashed));
        threads
    }

    /// Whether `other` is of the same kind and neither is of interest by itself; the stacks are compared elsewhere.
    fn is_twin(&self, other: &Thread) -> bool {
        let is_idle =
            |crashed: bool, waits: bool, gil: Option<bool>| !crashed && !waits && gil != Some(true);
        is_idle(self.crashed, self.waits_for_crashed, self.holds_gil)
            && is_idle(other.crashed, other.waits_for_crashed, other.holds_gil)
            && (self.role, self.end) == (other.role, other.end)
            && base_name(&self.name) == base_name(&other.name)
    }
}

impl From<&Thread> for ThreadReport {
    fn from(thread: &Thread) -> Self {
        Self {
            id: thread.id,
            name: thread.name.clone(),
            role: thread.role,
            crashed: thread.crashed,
            holds_gil: thread.holds_gil,
            waits_for_crashed: thread.waits_for_crashed,
            frames: thread.frames.clone(),
            end: thread.end,
            also: Vec::new(),
        }
    }
}

/// `tf_Compute` of `tf_Compute/12`.
fn base_name(name: &str) -> &str {
    name.trim_end_matches(|last: char| last.is_ascii_digit())
}

/// What makes two frames the same place, in any run: not the address, which a shared stack does not have to share.
#[derive(PartialEq, Eq)]
enum Place<'a> {
    Named(Option<&'a str>, &'a str),
    Offset(Option<&'a str>, Option<Address>),
    Python(&'a str, Option<u32>, &'a str),
}

impl<'a> Place<'a> {
    fn of(frame: &'a Frame) -> Self {
        match frame {
            Frame::Native(native) => match &native.function {
                Some(function) => Self::Named(native.library.as_deref(), function),
                None => Self::Offset(native.library.as_deref(), native.module_offset),
            },
            Frame::Python(python) => Self::Python(&python.file, python.line, &python.function),
        }
    }
}
