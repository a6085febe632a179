//! The offsets that CPython 3.13 and later publish about themselves, `_Py_DebugOffsets`.
//!
//! They stand at the start of `_PyRuntime` behind a cookie and the version. Which offset stands where
//! differs from version to version: that map is in the version's file under [`super::offsets`].

use crate::{ReadMemory, Unreadable};

use super::offsets::{
    CodeOffsets, EntryRule, FrameOffsets, GilOffsets, InterpreterOffsets, LineFormat, ObjectLayout,
    Offsets, Position, RuntimeOffsets, TextFormat, TextOffsets, ThreadOffsets, TopFrame,
};

const COOKIE: &[u8; 8] = b"xdebugpy";

/// No published offset is larger: `PyInterpreterState` is the largest structure, below 1 MiB.
const LARGEST_OFFSET: u64 = 16 << 20;

/// Where each offset stands in a version's `_Py_DebugOffsets`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DebugOffsetsMap {
    pub(crate) size: usize,
    pub(crate) free_threaded: usize,
    pub(crate) runtime_finalizing: usize,
    pub(crate) runtime_interpreters_head: usize,
    pub(crate) interpreter_next: usize,
    pub(crate) interpreter_threads_head: usize,
    pub(crate) interpreter_ceval_gil: usize,
    pub(crate) interpreter_gil: usize,
    pub(crate) interpreter_gil_locked: usize,
    pub(crate) interpreter_gil_holder: usize,
    pub(crate) thread_next: usize,
    pub(crate) thread_current_frame: usize,
    pub(crate) thread_thread_id: usize,
    pub(crate) thread_native_thread_id: usize,
    pub(crate) frame_previous: usize,
    pub(crate) frame_executable: usize,
    pub(crate) frame_instruction: usize,
    pub(crate) frame_slots: usize,
    pub(crate) frame_owner: usize,
    /// Not published: the flag bits of the frame's code pointer.
    pub(crate) frame_executable_tag: u64,
    pub(crate) code_filename: usize,
    pub(crate) code_qualname: usize,
    pub(crate) code_line_table: usize,
    pub(crate) code_first_line: usize,
    pub(crate) code_instructions: usize,
    pub(crate) bytes_length: usize,
    pub(crate) bytes_start: usize,
    pub(crate) tuple_items: usize,
    pub(crate) text_state: usize,
    pub(crate) text_length: usize,
    pub(crate) text_ascii_size: usize,
}

/// The hexadecimal version that stands behind the cookie, when `runtime` begins with one.
pub(crate) fn version_behind_cookie(memory: &dyn ReadMemory, runtime: u64) -> Option<u32> {
    let cookie = memory.array::<8>(runtime).ok()?;
    let version = memory.u64(runtime.checked_add(8)?).ok()?;
    if cookie == *COOKIE {
        u32::try_from(version).ok()
    } else {
        None
    }
}

/// Reads the offsets. `None` inside when one of them cannot be true.
pub(crate) fn read(
    memory: &dyn ReadMemory,
    runtime: u64,
    map: &DebugOffsetsMap,
) -> Result<Option<Offsets>, Unreadable> {
    let published = Published(memory.bytes(runtime, map.size)?);
    Ok(published.offsets(map))
}

/// Whether what is published of values agrees with what was measured; free-threaded builds differ.
pub(crate) fn agree(
    memory: &dyn ReadMemory,
    runtime: u64,
    map: &DebugOffsetsMap,
    layout: ObjectLayout,
) -> bool {
    let Ok(bytes) = memory.bytes(runtime, map.size) else {
        return false;
    };
    let published = Published(bytes);
    published.number(map.free_threaded) == Some(0)
        && published.number(map.frame_slots) == Some(layout.frame.slots)
        && published.number(map.tuple_items) == Some(layout.tuple_items)
}

struct Published(Vec<u8>);

impl Published {
    fn number(&self, at: usize) -> Option<u64> {
        let bytes = self.0.get(at..at.checked_add(8)?)?;
        let number = u64::from_le_bytes(bytes.try_into().ok()?);
        (number < LARGEST_OFFSET).then_some(number)
    }

    fn offsets(&self, map: &DebugOffsetsMap) -> Option<Offsets> {
        let free_threaded = self.number(map.free_threaded)? != 0;
        Some(Offsets {
            runtime: Some(RuntimeOffsets {
                interpreters_head: self.number(map.runtime_interpreters_head)?,
                finalizing: self.number(map.runtime_finalizing)?,
            }),
            interpreter: InterpreterOffsets {
                next: self.number(map.interpreter_next)?,
                threads_head: self.number(map.interpreter_threads_head)?,
                finalizing: None,
            },
            gil: self.gil(map)?,
            thread: ThreadOffsets {
                next: self.number(map.thread_next)?,
                top: TopFrame::At(self.number(map.thread_current_frame)?),
                evaluations: None,
                thread_id: self.number(map.thread_thread_id)?,
                native_thread_id: Some(self.number(map.thread_native_thread_id)?),
            },
            frame: self.frame(map)?,
            code: CodeOffsets {
                filename: self.number(map.code_filename)?,
                name: self.number(map.code_qualname)?,
                first_line: self.number(map.code_first_line)?,
                line_table: self.number(map.code_line_table)?,
                line_format: LineFormat::Locations,
                instructions: self.number(map.code_instructions)?,
            },
            text: self.text(map, free_threaded)?,
        })
    }

    fn gil(&self, map: &DebugOffsetsMap) -> Option<GilOffsets> {
        // `locked` and `last_holder` are published for the lock inside the main interpreter, but an
        // interpreter may share another's lock: what counts is the one its pointer leads to.
        let start = self.number(map.interpreter_gil)?;
        Some(GilOffsets::Interpreter {
            gil: self.number(map.interpreter_ceval_gil)?,
            holder: self
                .number(map.interpreter_gil_holder)?
                .checked_sub(start)?,
            locked: self
                .number(map.interpreter_gil_locked)?
                .checked_sub(start)?,
        })
    }

    fn frame(&self, map: &DebugOffsetsMap) -> Option<FrameOffsets> {
        Some(FrameOffsets {
            previous: self.number(map.frame_previous)?,
            code: self.number(map.frame_executable)?,
            code_tag: map.frame_executable_tag,
            position: Position::Pointer {
                at: self.number(map.frame_instruction)?,
            },
            entry: EntryRule::NextIsShim {
                owner: self.number(map.frame_owner)?,
            },
        })
    }

    fn text(&self, map: &DebugOffsetsMap, free_threaded: bool) -> Option<TextOffsets> {
        let ascii_start = self.number(map.text_ascii_size)?;
        Some(TextOffsets {
            bytes_length: self.number(map.bytes_length)?,
            bytes_start: self.number(map.bytes_start)?,
            text: TextFormat::Compact {
                length: self.number(map.text_length)?,
                state: self.number(map.text_state)?,
                // Free-threaded builds give the interning state a whole byte, to access it atomically.
                kind_shift: if free_threaded { 8 } else { 2 },
                ascii_start,
                // The length and the address of the UTF-8 form stand between.
                other_start: ascii_start + 16,
            },
        })
    }
}
