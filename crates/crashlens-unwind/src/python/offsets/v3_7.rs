//! CPython 3.7, measured on 3.7.16.

use super::{
    CodeOffsets, EntryRule, FrameOffsets, GilOffsets, InterpreterOffsets, LineFormat, Offsets,
    Position, RuntimeOffsets, TEXT_WITH_WCHAR, ThreadOffsets, TopFrame,
};

pub(super) const OFFSETS: Offsets = Offsets {
    runtime: Some(RuntimeOffsets {
        interpreters_head: 24,
        finalizing: 8,
    }),
    interpreter: InterpreterOffsets {
        next: 0,
        threads_head: 8,
        finalizing: None,
    },
    gil: GilOffsets::Runtime {
        current: 1480,
        auto_interpreter: 1496,
    },
    thread: ThreadOffsets {
        next: 8,
        top: TopFrame::At(24),
        evaluations: None,
        thread_id: 176,
        native_thread_id: None,
    },
    frame: FrameOffsets {
        previous: 24,
        code: 32,
        code_tag: 0,
        position: Position::Index { at: 104, unit: 1 },
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
