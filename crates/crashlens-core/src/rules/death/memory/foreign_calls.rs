//! What is said of calls from Python into C.

use crate::capture::ForeignCall;
use crate::culprit::usual_name;

/// What helps against most wrong calls.
pub(super) const DECLARE: &str = "Declare the function first, and ctypes checks what it is given: set its `argtypes` (one type for each argument) and its `restype`.";

/// The function, as code.
pub(super) fn name(call: &ForeignCall) -> String {
    call.function.as_deref().map_or_else(
        || "A function".to_owned(),
        |name| format!("`{}`", usual_name(name)),
    )
}
