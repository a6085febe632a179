//! TensorFlow: kernels by their classes, ops by their generated Python functions, and the registered definitions.

mod op;
pub mod operations;
mod registered;

use super::Framework;

pub(super) const FRAMEWORK: Framework = Framework {
    kernel: op::kernel,
    op: op::name,
    is_op: registered::is_registered_op,
};
