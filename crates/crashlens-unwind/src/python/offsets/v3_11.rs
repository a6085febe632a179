//! CPython 3.11, measured on 3.11.7. The first version where one native evaluation runs many frames.

use super::{
    CodeOffsets, EntryRule, EvaluationRecords, FrameOffsets, GilOffsets, InterpreterOffsets,
    LineFormat, Offsets, Position, RuntimeOffsets, TEXT_WITH_WCHAR, ThreadOffsets, TopFrame,
};

pub(super) const OFFSETS: Offsets = Offsets {
    runtime: Some(RuntimeOffsets {
        interpreters_head: 40,
        finalizing: 24,
    }),
    interpreter: InterpreterOffsets {
        next: 0,
        threads_head: 16,
        finalizing: None,
    },
    gil: GilOffsets::Runtime {
        current: 576,
        auto_interpreter: 584,
    },
    thread: ThreadOffsets {
        next: 8,
        top: TopFrame::Through {
            cframe: 56,
            current_frame: 8,
        },
        evaluations: Some(EvaluationRecords {
            innermost: 56,
            previous: 16,
        }),
        thread_id: 152,
        native_thread_id: Some(160),
    },
    frame: FrameOffsets {
        previous: 48,
        code: 32,
        code_tag: 0,
        position: Position::Pointer { at: 56 },
        entry: EntryRule::Flag(68),
    },
    code: CodeOffsets {
        filename: 112,
        name: 128,
        first_line: 72,
        line_table: 136,
        line_format: LineFormat::Locations,
        instructions: 184,
    },
    text: TEXT_WITH_WCHAR,
};
