//! What the memory of the process tells beyond its stacks: the order of the questions, and how answers are kept.
//!
//! Most of it is text that a program handled, which may hold secrets. Such memory is read through
//! [`Scene::confidential`] and never recorded; the answers are masked, kept as [`Confidences`], and
//! told again in a replay. What needs no such care is read through [`Scene::memory`] and found anew.

use std::collections::BTreeMap;

use crashlens_core::{
    CppException, FaultSite, ForeignCall, Gaps, Observed, Testimony, Thread, Variable,
};
use serde::{Deserialize, Serialize};

use crate::fault;
use crate::frameworks;
use crate::image::Images;
use crate::native::RawStack;
use crate::python::{PythonState, SymbolLookup, foreign};
use crate::symbols::FrameName;
use crate::{ProcessSnapshot, ReadMemory, abort_message, errno, exception, fatal_log};

/// An answer: the thing, that there is none, or why it could not be looked for.
pub(crate) type Answer<T> = Result<Option<T>, String>;

/// Everything that can be asked.
pub(crate) struct Scene<'a> {
    /// Threads in the order of `stacks`, the crashed one first.
    pub(crate) snapshot: &'a ProcessSnapshot,
    /// What is read here can be read again in a replay.
    pub(crate) memory: &'a dyn ReadMemory,
    /// What is read here is not recorded.
    pub(crate) confidential: &'a dyn ReadMemory,
    pub(crate) images: &'a Images,
    pub(crate) stacks: &'a [RawStack],
    pub(crate) python: Option<&'a PythonState>,
    pub(crate) symbols: &'a dyn SymbolLookup,
    /// Whether the values of variables and arguments are to be told.
    pub(crate) locals: bool,
}

/// What was found for each address.
pub(crate) type Names = BTreeMap<u64, Vec<FrameName>>;

/// Variables by thread and frame, frames innermost first as the interpreter lists them.
pub(crate) type Locals = BTreeMap<u32, Vec<Vec<Variable>>>;

/// Answers that are kept instead of the memory they were read from. Secrets are masked in them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Confidences {
    pub(crate) locals: Locals,
    /// Why variables are missing.
    #[serde(default)]
    pub(crate) locals_gap: Option<String>,
    pub(crate) foreign_call: Answer<ForeignCall>,
    pub(crate) exception: Answer<CppException>,
    pub(crate) abort_message: Answer<String>,
    pub(crate) fatal_log: Answer<String>,
    pub(crate) errno: Answer<i32>,
    pub(crate) kernels: Answer<frameworks::Seen>,
}

impl Default for Confidences {
    fn default() -> Self {
        let not_looked = || "the version that made the capture did not look".to_owned();
        Self {
            locals: Locals::new(),
            locals_gap: None,
            foreign_call: Err(not_looked()),
            exception: Err(not_looked()),
            abort_message: Err(not_looked()),
            fatal_log: Err(not_looked()),
            errno: Err(not_looked()),
            kernels: Err(not_looked()),
        }
    }
}

impl Confidences {
    /// Asks the process, until `is_expired` says that it may not be held any longer.
    pub(crate) fn hear(scene: &Scene<'_>, is_expired: &dyn Fn() -> bool) -> Self {
        let python = scene.python;
        Self {
            locals: python.map(PythonState::locals).unwrap_or_default(),
            locals_gap: python.and_then(|python| python.locals_gap.clone()),
            foreign_call: in_time(is_expired, || foreign::read(scene)),
            exception: in_time(is_expired, || exception::find(scene)),
            abort_message: in_time(is_expired, || abort_message::find(scene)),
            fatal_log: in_time(is_expired, || fatal_log::find(scene)),
            errno: errno::find(scene),
            kernels: in_time(is_expired, || frameworks::look(scene)),
        }
    }
}

impl Confidences {
    /// Addresses that are to be named beside those of the frames.
    pub(crate) fn unnamed_addresses(&self) -> Vec<u64> {
        let call = self.foreign_call.iter().flatten().next();
        let unnamed = call.filter(|call| call.function.is_none());
        let address = unnamed.and_then(|call| call.address);
        address.into_iter().map(|address| address.0).collect()
    }

    /// Gives the function of a foreign call its name.
    pub(crate) fn name(&mut self, names: &Names) {
        let Ok(Some(call)) = &mut self.foreign_call else {
            return;
        };
        let address = call.address.filter(|_| call.function.is_none());
        let found = address.and_then(|address| names.get(&address.0));
        // Only a function that begins there is the one that was called.
        let begins = |name: &&FrameName| !name.inlined && name.offset == Some(0);
        if let Some(name) = found.and_then(|found| found.iter().find(begins)) {
            call.function.clone_from(&name.function);
        }
    }
}

/// What `ask` answers. That it found nothing counts only if it could look to the end.
fn in_time<T>(is_expired: &dyn Fn() -> bool, ask: impl FnOnce() -> Answer<T>) -> Answer<T> {
    let late = || Err("reading took longer than the process may be held".to_owned());
    if is_expired() {
        return late();
    }
    match ask() {
        Ok(None) if is_expired() => late(),
        answer => answer,
    }
}

/// Puts the answers into the capture's form; `threads` have their names by now.
pub(crate) fn assemble(
    told: Confidences,
    mut fault: Answer<FaultSite>,
    threads: &[Thread],
    gaps: &mut Gaps,
) -> Testimony {
    if let Ok(Some(site)) = &mut fault {
        fault::name_cycle(site, threads);
    }
    let op = told
        .kernels
        .map(|kernels| kernels.and_then(|kernels| frameworks::choose(&kernels, threads)));
    Testimony {
        fault: observed("the instruction at fault", fault, gaps),
        foreign_call: observed("the foreign call", told.foreign_call, gaps),
        exception: observed(
            "the C++ exception",
            exception::settle(told.exception, threads),
            gaps,
        ),
        abort_message: observed("the C library's last words", told.abort_message, gaps),
        fatal_log: observed("the last line of a logger", told.fatal_log, gaps),
        op: observed("the running TensorFlow op", op, gaps),
        errno: observed("error number of the crashed thread", told.errno, gaps),
    }
}

fn observed<T>(part: &str, answer: Answer<T>, gaps: &mut Gaps) -> Observed<T> {
    match answer {
        Ok(Some(value)) => Observed::Known(value),
        Ok(None) => Observed::Absent,
        Err(reason) => Observed::Unknown(gaps.add(part, reason, None)),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn nothing_found_when_time_ran_out_is_not_absent() {
        let expired = Cell::new(false);
        let is_expired = || expired.get();
        assert_eq!(in_time::<u8>(&is_expired, || Ok(None)), Ok(None));
        let runs_out = |answer| {
            expired.set(true);
            answer
        };
        assert_eq!(in_time(&is_expired, || runs_out(Ok(Some(7)))), Ok(Some(7)));
        expired.set(false);
        assert!(in_time::<u8>(&is_expired, || runs_out(Ok(None))).is_err());
        assert!(in_time(&is_expired, || Ok(Some(7))).is_err());
    }
}
