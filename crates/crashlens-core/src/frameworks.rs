//! Frameworks whose operations a report can name: how an op is recognised in frames, symbols and source lines, and
//! the tables of the ops there are.
//!
//! One module per framework, and its tables in `data/<framework>/`. Callers ask all frameworks in the order of `ALL`;
//! the first that knows something answers.
//!
//! To add one (PyTorch, with its `at::native` kernels and `torch._C` wrappers, is next):
//!
//! 1. `frameworks/<name>.rs` with a `Framework`, and its line in `ALL`;
//! 2. its tables in `data/<name>/`, with the script that collected them;
//! 3. in `crashlens-unwind`, `frameworks/<name>.rs` if the framework's own objects in memory say which op was running.

pub mod tensorflow;

use crate::capture::{RunningOp, Thread};

/// What can be asked about a framework's ops.
struct Framework {
    /// The nearest frame of the crashed thread that is the code of an op.
    kernel: fn(crashed: &Thread) -> Option<&str>,
    /// The registered name of the op that was running.
    op: fn(&Seen<'_>) -> Option<String>,
    /// Whether an op of exactly this name exists.
    is_op: fn(&str) -> bool,
}

/// What an op is recognised from.
pub(crate) struct Seen<'a> {
    /// The framework's own record, read from memory.
    pub(crate) record: Option<&'a RunningOp>,
    pub(crate) crashed: &'a Thread,
    /// A thread that waits for the crashed one.
    pub(crate) waiting: Option<&'a Thread>,
}

const ALL: [Framework; 1] = [tensorflow::FRAMEWORK];

/// The nearest frame of the crashed thread that is the code of an op.
pub(crate) fn kernel(crashed: &Thread) -> Option<&str> {
    ALL.iter().find_map(|framework| (framework.kernel)(crashed))
}

/// The registered name of the op that was running; `None` when nothing says it for sure enough.
pub(crate) fn op(seen: &Seen<'_>) -> Option<String> {
    ALL.iter().find_map(|framework| (framework.op)(seen))
}

/// Whether an op of exactly this name is registered.
pub(crate) fn is_registered_op(name: &str) -> bool {
    ALL.iter().any(|framework| (framework.is_op)(name))
}
