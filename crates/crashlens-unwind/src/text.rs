//! Text in the memory of a process: bounded, plausible, and masked before it is kept.

use crashlens_core::secrets;

use crate::ReadMemory;

/// Longer texts are cut: an exception with a whole protocol buffer in it says no more at its end.
const LONGEST: usize = 4096;
/// How much is read at once while looking for the end.
const STEP: usize = 64;

/// Text up to its zero byte, cut at [`LONGEST`]; `None` if it is not text.
pub(crate) fn c_string(memory: &dyn ReadMemory, address: u64) -> Option<String> {
    let mut bytes = Vec::new();
    while bytes.len() < LONGEST {
        let here = address.checked_add(bytes.len() as u64)?;
        // Up to the next boundary, so that no byte beyond the page of the last one is asked for.
        let step = STEP - (here % STEP as u64) as usize;
        let part = memory.bytes(here, step).ok()?;
        if let Some(end) = memchr::memchr(0, &part) {
            bytes.extend_from_slice(part.get(..end)?);
            return plausible(&bytes);
        }
        bytes.extend_from_slice(&part);
    }
    plausible(&bytes)
}

/// Text of a known length, cut at [`LONGEST`]; `None` if it is not text.
pub(crate) fn counted(memory: &dyn ReadMemory, address: u64, length: u64) -> Option<String> {
    let length = length.min(LONGEST as u64) as usize;
    plausible(&memory.bytes(address, length).ok()?)
}

/// Foreign bytes as text, if that is what they are: no control characters but those of layout.
fn plausible(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let is_strange = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t');
    (!text.contains(is_strange)).then(|| text.into_owned())
}

/// The text without its secrets.
pub(crate) fn masked(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    secrets::mask_lines(&lines).join("\n")
}
