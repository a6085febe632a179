//! CPython 3.6, measured on 3.6.15.

use super::{
    CodeOffsets, EntryRule, FrameOffsets, GilOffsets, InterpreterOffsets, LineFormat, Offsets,
    Position, TEXT_WITH_WCHAR, ThreadOffsets, TopFrame,
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
        next: 8,
        top: TopFrame::At(24),
        evaluations: None,
        thread_id: 152,
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
        filename: 96,
        name: 104,
        first_line: 36,
        line_table: 112,
        line_format: LineFormat::SignedIncrements,
        instructions: 0,
    },
    text: TEXT_WITH_WCHAR,
};
