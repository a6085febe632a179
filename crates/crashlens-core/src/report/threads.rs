//! Threads in the report's form: the crashed one first, idle ones in the same place as one entry.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::capture::{Address, Frame, StackEnd, Thread, ThreadRole};

/// One thread, and those that were idle in the very same place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
        let mut folded: Vec<Self> = Vec::new();
        let mut first_of_kind = HashMap::new();
        for thread in threads {
            if is_idle(thread) {
                let places: Vec<Place<'_>> = thread.frames.iter().map(Place::of).collect();
                let kind = (base_name(&thread.name), thread.role, thread.end, places);
                let first = *first_of_kind.entry(kind).or_insert(folded.len());
                if let Some(known) = folded.get_mut(first) {
                    known.also.push(thread.id);
                    continue;
                }
            }
            folded.push(Self::from(thread));
        }
        let mut threads = folded;
        threads.sort_by_key(|thread| (!thread.crashed, !thread.waits_for_crashed));
        threads
    }
}

/// Whether a thread is of no interest by itself.
fn is_idle(thread: &Thread) -> bool {
    !thread.crashed && !thread.waits_for_crashed && thread.holds_gil != Some(true)
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
#[derive(PartialEq, Eq, Hash)]
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
