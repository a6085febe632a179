//! CPython 3.12, measured on 3.12.1. The first version with a lock for each interpreter.

use super::{
    CodeOffsets, EntryRule, FrameOffsets, GilOffsets, InterpreterOffsets, LineFormat, Offsets,
    Position, RuntimeOffsets, TEXT_WITHOUT_WCHAR, ThreadOffsets, TopFrame,
};

pub(super) const OFFSETS: Offsets = Offsets {
    runtime: Some(RuntimeOffsets {
        interpreters_head: 40,
        finalizing: 24,
    }),
    interpreter: InterpreterOffsets {
        next: 0,
        threads_head: 72,
        finalizing: Some(104),
    },
    gil: GilOffsets::Interpreter {
        gil: 384,
        holder: 8,
        locked: 16,
    },
    thread: ThreadOffsets {
        next: 8,
        top: TopFrame::Through {
            cframe: 56,
            current_frame: 0,
        },
        evaluations: None,
        thread_id: 136,
        native_thread_id: Some(144),
    },
    frame: FrameOffsets {
        previous: 8,
        code: 0,
        code_tag: 0,
        position: Position::Pointer { at: 56 },
        entry: EntryRule::NextIsShim { owner: 70 },
    },
    code: CodeOffsets {
        filename: 112,
        name: 128,
        first_line: 68,
        line_table: 136,
        line_format: LineFormat::Locations,
        instructions: 192,
    },
    text: TEXT_WITHOUT_WCHAR,
};
