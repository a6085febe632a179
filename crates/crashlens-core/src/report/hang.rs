//! A tree of processes that made no progress.

use serde::{Deserialize, Serialize};

use super::Death;
use crate::capture::CrashCapture;

/// A time in which no process of the tree made progress: no processor time to speak of, no file or pipe read or
/// written, no new process or thread. Traffic by sockets is not seen. It may have gone on afterwards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Hang {
    /// For how long there had been no progress.
    pub idle_seconds: f64,
    /// The process whose death was the last that happened in the tree, where it was one.
    pub died_before: Option<u32>,
    /// Every process as it stood, the main one first.
    pub processes: Vec<Death>,
}

impl Hang {
    /// Describes the processes in `captures`.
    pub fn new<'a>(
        idle_seconds: f64,
        died_before: Option<u32>,
        captures: impl IntoIterator<Item = &'a CrashCapture>,
    ) -> Self {
        Self {
            idle_seconds,
            died_before,
            processes: captures.into_iter().map(Death::new).collect(),
        }
    }
}
