//! Doors for the fuzzers to parsers that are otherwise private. Not part of the interface.

use crate::symbols;

/// Everything that is ever asked of a module file.
pub fn symbol_table(bytes: &[u8]) {
    symbols::ask_everything(bytes);
}
