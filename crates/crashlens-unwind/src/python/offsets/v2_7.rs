//! CPython 2.7, measured on 2.7.18.

use super::{
    CodeOffsets, EntryRule, FrameOffsets, GilOffsets, InterpreterOffsets, LineFormat, Offsets,
    Position, TextFormat, TextOffsets, ThreadOffsets, TopFrame,
};

pub(super) const OFFSETS: Offsets = Offsets {
    runtime: None,
    interpreter: InterpreterOffsets {
        next: 0,
        threads_head: 8,
        finalizing: None,
    },
    gil: GilOffsets::CurrentVariable,
    thread: ThreadOffsets {
        next: 0,
        top: TopFrame::At(16),
        evaluations: None,
        thread_id: 144,
        native_thread_id: None,
    },
    frame: FrameOffsets {
        previous: 24,
        code: 32,
        code_tag: 0,
        position: Position::Index { at: 120, unit: 1 },
        entry: EntryRule::Every,
    },
    code: CodeOffsets {
        filename: 80,
        name: 88,
        first_line: 96,
        line_table: 104,
        line_format: LineFormat::UnsignedIncrements,
        instructions: 0,
    },
    text: TextOffsets {
        bytes_length: 16,
        bytes_start: 36,
        text: TextFormat::Python2 {
            object_type: 8,
            length: 16,
            characters: 24,
        },
    },
};
