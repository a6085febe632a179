//! Windows: its event log, and how text from it is recognised.
//!
//! Its exit codes are in `data/endings.toml`; exceptions that only Windows has are signs called `windows-…`.

use std::sync::LazyLock;

use regex::Regex;

use crate::capture::{Address, Frame};
use crate::embedded;
use crate::pasted::stacks::{Piece, Writer, native};

/// The event log.
static MODULE: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r"Faulting module (name|path): ([^,]+?)(?:, version.*)?\s*$"));

/// Whether a line shows that the text is of Windows.
pub(in crate::pasted) fn is_native(line: &str) -> bool {
    [".dll", ".exe", ":\\", "Windows"]
        .iter()
        .any(|word| line.contains(word))
}

/// The frame that a line of the event log is.
pub(in crate::pasted) fn piece(line: &str) -> Option<Piece> {
    line.contains("Faulting module ")
        .then(|| module(line))
        .flatten()
}

/// The event log names the library and, on another line, the place in it.
fn module(line: &str) -> Option<Piece> {
    let groups = MODULE.captures(line)?;
    if groups.get(1)?.as_str() == "path" {
        return None;
    }
    let mut frame = native(None, None, groups.get(2).map(|it| it.as_str()));
    frame.address = Address(0);
    Some(Piece::Frame {
        writer: Writer::Windows,
        number: None,
        process: None,
        frame: Frame::Native(frame),
    })
}
