//! CPython 3.10, measured on 3.10.13. The first version whose `f_lasti` counts instructions instead of bytes.

use super::{
    CodeOffsets, EntryRule, EvaluationRecords, FrameOffsets, GilOffsets, InterpreterOffsets,
    LineFormat, Offsets, Position, RuntimeOffsets, TEXT_WITH_WCHAR, ThreadOffsets, TopFrame,
};

pub(super) const OFFSETS: Offsets = Offsets {
    runtime: Some(RuntimeOffsets {
        interpreters_head: 32,
        finalizing: 16,
    }),
    interpreter: InterpreterOffsets {
        next: 0,
        threads_head: 8,
        finalizing: None,
    },
    gil: GilOffsets::Runtime {
        current: 568,
        auto_interpreter: 576,
    },
    thread: ThreadOffsets {
        next: 8,
        top: TopFrame::At(24),
        evaluations: Some(EvaluationRecords {
            innermost: 48,
            previous: 8,
        }),
        thread_id: 176,
        native_thread_id: None,
    },
    frame: FrameOffsets {
        previous: 24,
        code: 32,
        code_tag: 0,
        position: Position::Index { at: 96, unit: 2 },
        entry: EntryRule::Every,
    },
    code: CodeOffsets {
        filename: 104,
        name: 112,
        first_line: 40,
        line_table: 120,
        line_format: LineFormat::Ranges,
        instructions: 0,
    },
    text: TEXT_WITH_WCHAR,
};
