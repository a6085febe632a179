//! What users are told beside the report: on standard error, so that the report stays what its form asks for.

use std::io::Write as _;

use crate::harmless;

/// One line. Names of files are in it, which may hold what moves a terminal's cursor, or a line's end.
pub(super) fn tell(line: &str) {
    // Where standard error is gone there is nobody left to tell.
    let _ = writeln!(std::io::stderr().lock(), "{}", harmless::escaped(line));
}
