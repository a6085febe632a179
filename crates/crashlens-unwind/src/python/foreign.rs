//! The call into foreign code, through ctypes or cffi, that the crashed thread was in.

use crashlens_core::ForeignCall;

use super::stacks::StackRead;
use super::values::ValueReader;

/// The call that the thread was in; `None` if it was in none.
pub(crate) fn read(
    _values: &ValueReader<'_>,
    _crashed: &StackRead,
) -> Result<Option<ForeignCall>, String> {
    Err("not looked for yet".to_owned())
}
