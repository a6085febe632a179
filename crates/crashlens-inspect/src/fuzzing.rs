//! Doors for the fuzzers to parsers that are otherwise private. Not part of the interface.
