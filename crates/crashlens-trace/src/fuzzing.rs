//! Doors for the fuzzers to parsers that are otherwise private. Not part of the interface.

use crashlens_core::secrets;

use crate::{faulthandler, kernel_log, procfs, resources};

/// Everything that is read as text from `/proc` or from the program's standard error.
pub fn process_text(bytes: &[u8]) {
    procfs::parse_maps(bytes);
    procfs::parse_strings(bytes);
    procfs::parse_variables(bytes);
    kernel_log::read_any(bytes);
    let text = String::from_utf8_lossy(bytes);
    resources::processor_ticks(&text);
    procfs::parse_limits(&text);
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    faulthandler::crashed_stack(&lines);
    secrets::mask_lines(&lines);
    secrets::mask_command(&lines);
}
