//! Which op of a framework was running, as the framework's own objects in memory name it.
//!
//! One module per framework, as in `crashlens_core::frameworks`, which recognises ops from frames. TensorFlow's kernels are
//! the only objects read today. A second framework (PyTorch is next) is a module beside `tensorflow`: [`look`] asks
//! it where TensorFlow is not loaded, and [`Seen`], which recordings keep, gets a field for what it saw.

mod tensorflow;

use crashlens_core::{RunningOp, Thread};

use crate::testimony::{Answer, Scene};

/// What was seen in memory. The choice is made once frames have names.
pub(crate) type Seen = tensorflow::Kernels;

/// Looks at the stacks of all threads.
pub(crate) fn look(scene: &Scene<'_>) -> Answer<Seen> {
    tensorflow::look(scene)
}

/// The op that the crashed thread ran, or that another thread ran with its help.
pub(crate) fn choose(seen: &Seen, threads: &[Thread]) -> Option<RunningOp> {
    tensorflow::choose(seen, threads)
}
