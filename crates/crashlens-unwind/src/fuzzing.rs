//! Doors for the fuzzers to parsers that are otherwise private. Not part of the interface.

use crate::{python, symbols};

/// Everything that is ever asked of a module file.
pub fn symbol_table(bytes: &[u8]) {
    symbols::ask_everything(bytes);
}

/// A process whose memory is `bytes`, with an interpreter of each version in it.
pub fn python_memory(bytes: &[u8]) {
    python::fuzzing::read_everything(bytes);
}

/// A line table in every encoding.
pub fn line_table(bytes: &[u8]) {
    python::fuzzing::line_table(bytes);
}
