//! Where CPython keeps things, as data: one file per version.
//!
//! The numbers are for x86-64 release builds. Up to 3.12 they come from the debug information of real
//! builds (`gdb -batch -ex 'ptype /o struct _ts'`, likewise `_is`, `_frame`, `_PyInterpreterFrame`,
//! `PyCodeObject`, `pyruntimestate`). From 3.13 on the interpreter publishes its own offsets, and the
//! version's file only says where in that publication each one stands (see [`super::debug_offsets`]).

mod objects;
mod v2_7;
mod v3_10;
mod v3_11;
mod v3_12;
mod v3_13;
mod v3_14;
mod v3_15;
mod v3_6;
mod v3_7;
mod v3_8;
mod v3_9;

use super::debug_offsets::DebugOffsetsMap;

pub(crate) use self::objects::{
    CodeVariables, DictionaryFormat, InstanceFormat, IntegerFormat, ObjectLayout, RecursionLimit,
    VariableNames, layout,
};

/// Everything needed to read one version's stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offsets {
    /// `_PyRuntimeState`; `None` for versions that have none.
    pub(crate) runtime: Option<RuntimeOffsets>,
    /// `PyInterpreterState`.
    pub(crate) interpreter: InterpreterOffsets,
    /// Who holds the interpreter lock.
    pub(crate) gil: GilOffsets,
    /// `PyThreadState`.
    pub(crate) thread: ThreadOffsets,
    /// `PyFrameObject` or `_PyInterpreterFrame`.
    pub(crate) frame: FrameOffsets,
    /// `PyCodeObject`.
    pub(crate) code: CodeOffsets,
    /// `str` and `bytes`.
    pub(crate) text: TextOffsets,
}

/// `_PyRuntimeState`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RuntimeOffsets {
    pub(crate) interpreters_head: u64,
    pub(crate) finalizing: u64,
}

/// `PyInterpreterState`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InterpreterOffsets {
    pub(crate) next: u64,
    pub(crate) threads_head: u64,
    /// `_finalizing`, from 3.12 on.
    pub(crate) finalizing: Option<u64>,
}

/// Where a version records the thread that holds the interpreter lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GilOffsets {
    /// In the exported variable `_PyThreadState_Current`.
    CurrentVariable,
    /// In `_PyRuntime.gilstate`, beside the main interpreter's address, by which it is recognised.
    Runtime { current: u64, auto_interpreter: u64 },
    /// Behind a pointer in the interpreter.
    Interpreter { gil: u64, holder: u64, locked: u64 },
}

/// `PyThreadState`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadOffsets {
    pub(crate) next: u64,
    pub(crate) top: TopFrame,
    /// The record each native evaluation keeps on the machine stack, 3.10 and 3.11.
    pub(crate) evaluations: Option<EvaluationRecords>,
    /// `pthread_t`.
    pub(crate) thread_id: u64,
    /// Kernel thread id, from 3.11 on.
    pub(crate) native_thread_id: Option<u64>,
}

/// How a thread state leads to its innermost frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TopFrame {
    /// A pointer at this offset.
    At(u64),
    /// A pointer to a `_PyCFrame`, and the pointer to the frame in there.
    Through { cframe: u64, current_frame: u64 },
}

/// The chain of `_PyCFrame`, one for each native evaluation and a last one inside the thread state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EvaluationRecords {
    pub(crate) innermost: u64,
    pub(crate) previous: u64,
}

/// One frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameOffsets {
    pub(crate) previous: u64,
    pub(crate) code: u64,
    /// Bits of the code pointer that are flags.
    pub(crate) code_tag: u64,
    pub(crate) position: Position,
    pub(crate) entry: EntryRule,
}

/// How a frame says which instruction it is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    /// An `int` that counts `unit` bytes from the start of the byte code; negative before the first.
    Index { at: u64, unit: i64 },
    /// The address of an instruction inside the code object.
    Pointer { at: u64 },
}

/// How to tell that a native evaluation began with a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryRule {
    /// Every frame has its own.
    Every,
    /// A flag in the frame.
    Flag(u64),
    /// The next outer frame is one the native evaluation keeps for itself: its owner byte is 3 or more.
    ///
    /// 3 is `FRAME_OWNED_BY_CSTACK` in 3.12 and 3.13, but `FRAME_OWNED_BY_INTERPRETER` in 3.14, where 4 is
    /// the C stack; Python code never runs in any of them.
    NextIsShim { owner: u64 },
}

/// `PyCodeObject`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CodeOffsets {
    pub(crate) filename: u64,
    /// `co_qualname`, or `co_name` where there is none.
    pub(crate) name: u64,
    pub(crate) first_line: u64,
    pub(crate) line_table: u64,
    pub(crate) line_format: LineFormat,
    /// Start of the byte code inside the code object, for [`Position::Pointer`].
    pub(crate) instructions: u64,
}

/// The encoding of the line table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineFormat {
    /// `co_lnotab` with unsigned line increments.
    UnsignedIncrements,
    /// `co_lnotab` with signed line increments.
    SignedIncrements,
    /// `co_linetable` of 3.10.
    Ranges,
    /// `co_linetable` of 3.11 and later, with columns.
    Locations,
}

/// `str` and `bytes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextOffsets {
    pub(crate) bytes_length: u64,
    pub(crate) bytes_start: u64,
    pub(crate) text: TextFormat,
}

/// The layout of a string object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextFormat {
    /// Python 2: a byte string, or a `unicode` with its characters elsewhere.
    Python2 {
        object_type: u64,
        length: u64,
        characters: u64,
    },
    /// PEP 393.
    Compact {
        length: u64,
        state: u64,
        kind_shift: u32,
        ascii_start: u64,
        other_start: u64,
    },
}

/// PEP 393 strings up to 3.11, with a `wchar_t` pointer in them.
const TEXT_WITH_WCHAR: TextOffsets = TextOffsets {
    bytes_length: 16,
    bytes_start: 32,
    text: TextFormat::Compact {
        length: 16,
        state: 32,
        kind_shift: 2,
        ascii_start: 48,
        other_start: 72,
    },
};

/// PEP 393 strings from 3.12 on.
const TEXT_WITHOUT_WCHAR: TextOffsets = TextOffsets {
    bytes_length: 16,
    bytes_start: 32,
    text: TextFormat::Compact {
        length: 16,
        state: 32,
        kind_shift: 2,
        ascii_start: 40,
        other_start: 56,
    },
};

/// The table of a version that does not publish its offsets.
pub(crate) fn table(version: (u8, u8)) -> Option<Offsets> {
    match version {
        (2, 7) => Some(v2_7::OFFSETS),
        (3, 6) => Some(v3_6::OFFSETS),
        (3, 7) => Some(v3_7::OFFSETS),
        (3, 8) => Some(v3_8::OFFSETS),
        (3, 9) => Some(v3_9::OFFSETS),
        (3, 10) => Some(v3_10::OFFSETS),
        (3, 11) => Some(v3_11::OFFSETS),
        (3, 12) => Some(v3_12::OFFSETS),
        _ => None,
    }
}

/// Where a version that publishes its offsets has them.
pub(crate) fn published(version: (u8, u8)) -> Option<DebugOffsetsMap> {
    match version {
        (3, 13) => Some(v3_13::MAP),
        (3, 14) => Some(v3_14::MAP),
        (3, 15) => Some(v3_15::MAP),
        _ => None,
    }
}
