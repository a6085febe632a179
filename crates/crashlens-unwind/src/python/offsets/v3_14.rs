//! CPython 3.14: its published offsets, as `pycore_debug_offsets.h` of 3.14.8 declares them.
//!
//! The first version whose frames tag the pointer to their code.

use crate::python::debug_offsets::DebugOffsetsMap;

pub(super) const MAP: DebugOffsetsMap = DebugOffsetsMap {
    size: 760,
    free_threaded: 16,
    runtime_finalizing: 32,
    runtime_interpreters_head: 40,
    interpreter_next: 64,
    interpreter_threads_head: 72,
    interpreter_ceval_gil: 120,
    interpreter_gil: 128,
    interpreter_gil_locked: 144,
    interpreter_gil_holder: 152,
    thread_next: 192,
    thread_current_frame: 208,
    thread_thread_id: 216,
    thread_native_thread_id: 224,
    frame_previous: 256,
    frame_executable: 264,
    frame_instruction: 272,
    frame_slots: 280,
    frame_owner: 288,
    frame_executable_tag: 7,
    code_filename: 320,
    code_qualname: 336,
    code_line_table: 344,
    code_first_line: 352,
    code_instructions: 384,
    bytes_length: 600,
    bytes_start: 608,
    tuple_items: 456,
    text_state: 624,
    text_length: 632,
    text_ascii_size: 640,
};
