//! The line with which a logger ended the process, as the logger's own object holds it.
//!
//! A failed `CHECK` builds its line in an object on the stack, writes it to standard error, and aborts in the destructor of
//! that object: at the death the object is still there. So the line is known also where standard error could
//! not be read: on a terminal, in a core dump, in a process that was joined.
//!
//! Two loggers are known. TensorFlow's own (to 2.16) is a `std::ostringstream` followed by the place; the name of
//! its class is in the process. abseil's (TensorFlow 2.17 and later) has only a pointer to its data, which is
//! recognized by what it begins with: the path of a source file, and the name of that file as the end of the same text.

use crashlens_core::{Registers, Signal};

use crate::testimony::{Answer, Scene};
use crate::{ProcessSnapshot, ReadMemory, stack_words, text};

/// TensorFlow's class as the ABI writes it, since and before it moved to tsl (2.9).
const CLASSES: [&str; 2] = [
    "N3tsl8internal15LogMessageFatalE",
    "N10tensorflow8internal15LogMessageFatalE",
];
/// In a `LogMessageFatal`: where the text that was written begins and ends (libstdc++'s `std::ostringstream`), then the
/// source file and the line.
const WRITTEN: u64 = 40;
const WRITTEN_END: u64 = 48;
const FILE: u64 = 112;
const LINE: u64 = 120;

/// In abseil's `LogMessageData`: the path of the source file and its last part, each a length and a pointer.
const PATH: u64 = 0;
const NAME: u64 = 16;
const SEVERITY: u64 = 40;
const FATAL: i32 = 3;
/// After these, the first pointer into the data itself that is followed by a length is the text as it is written.
const FIRST_TEXT: u64 = 48;
const LAST_TEXT: u64 = 192;
/// Longer than the data of any version: a buffer of 15,000 bytes and some hundred more.
const DATA: u64 = 20_000;
/// No path of a source file is longer.
const LONGEST_PATH: u64 = 512;

/// The line, masked.
pub(crate) fn find(scene: &Scene<'_>) -> Answer<String> {
    let snapshot = scene.snapshot;
    let aborted = snapshot
        .signal
        .as_ref()
        .filter(|at| at.signal == Signal::ABRT);
    let (Some(signal), Some(thread)) = (aborted, snapshot.crashed_thread) else {
        return Ok(None);
    };
    let state = snapshot.threads.iter().find(|state| state.id == thread);
    let registers = signal
        .registers
        .or_else(|| state.and_then(|state| state.registers))
        .ok_or("the registers of the crashed thread could not be read")?;
    Ok(on_stack(snapshot, scene.confidential, &registers).map(|line| text::masked(&line)))
}

fn on_stack(
    snapshot: &ProcessSnapshot,
    memory: &dyn ReadMemory,
    registers: &Registers,
) -> Option<String> {
    stack_words::find(snapshot, memory, registers.sp().0, |address, word| {
        let mapping = snapshot.mapping_at(word)?;
        // Tables of classes are in files, what was allocated is not.
        let is_file = mapping
            .path
            .as_ref()
            .is_some_and(|path| path.starts_with('/'));
        if !word.is_multiple_of(8) || mapping.is_executable() {
            None
        } else if is_file {
            is_logger(memory, word).then(|| of_tensorflow(memory, address))?
        } else {
            of_abseil(memory, word)
        }
    })
}

/// Whether `table` is that of a class that logs and ends the process.
fn is_logger(memory: &dyn ReadMemory, table: u64) -> bool {
    let name = || {
        let class = memory.u64(table.checked_sub(8)?).ok()?;
        let name = memory.u64(class.checked_add(8)?).ok()?;
        text::c_string(memory, name)
    };
    name().is_some_and(|name| CLASSES.contains(&name.as_str()))
}

fn of_tensorflow(memory: &dyn ReadMemory, object: u64) -> Option<String> {
    let word = |offset| memory.u64(object.checked_add(offset)?).ok();
    let (start, end) = (word(WRITTEN)?, word(WRITTEN_END)?);
    let written = text::counted(memory, start, end.checked_sub(start)?)?;
    let file = text::c_string(memory, word(FILE)?)?;
    let line = memory.u32(object.checked_add(LINE)?).ok()?;
    Some(format!("F {file}:{line}] {}", written.trim_end()))
}

fn of_abseil(memory: &dyn ReadMemory, data: u64) -> Option<String> {
    let word = |offset| memory.u64(data.checked_add(offset)?).ok();
    let (length, path) = (word(PATH)?, word(PATH + 8)?);
    let (name_length, name) = (word(NAME)?, word(NAME + 8)?);
    let is_end_of_path = (1..=length).contains(&name_length)
        && length <= LONGEST_PATH
        && path.checked_add(length)? == name.checked_add(name_length)?;
    if !is_end_of_path || memory.i32(data.checked_add(SEVERITY)?) != Ok(FATAL) {
        return None;
    }
    let file = text::counted(memory, name, name_length)?;
    let own = data..data.checked_add(DATA)?;
    let mut places = (FIRST_TEXT..LAST_TEXT).step_by(8);
    let written = places.find_map(|offset| {
        let start = word(offset).filter(|start| own.contains(start))?;
        let length = word(offset + 8).filter(|length| (1..DATA).contains(length))?;
        // It ends with a line break and a zero byte.
        text::counted(memory, start, length - 1)
    })?;
    let written = written.trim_end();
    // What was read is the line only if it names the place.
    written
        .contains(&format!(" {file}:"))
        .then(|| written.to_owned())
}

/// Asks memory that may hold anything.
pub(crate) fn ask_everything(
    memory: &dyn ReadMemory,
    snapshot: &ProcessSnapshot,
    registers: &Registers,
) {
    on_stack(snapshot, memory, registers);
    of_tensorflow(memory, registers.sp().0);
}

#[cfg(test)]
mod tests;
