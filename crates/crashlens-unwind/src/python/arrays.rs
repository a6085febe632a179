//! Arrays and tensors: shape, element type, and where the elements are.

use crashlens_core::Array;

use super::values::{Object, ValueReader};

/// The array that `object` is; `None` if it is none.
pub(crate) fn read(_values: &ValueReader<'_>, _object: &Object) -> Option<Array> {
    None
}
