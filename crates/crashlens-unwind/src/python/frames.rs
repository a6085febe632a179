//! The chain of frames of one thread.

use std::collections::HashSet;

use crashlens_core::{Address, StackEnd};

use crate::{ReadMemory, Unreadable};

use super::objects::at;
use super::offsets::{EntryRule, EvaluationRecords, FrameOffsets, Offsets, Position, TopFrame};

/// Frames owned by this or a higher value hold no Python code.
const FIRST_SHIM_OWNER: u8 = 3;

/// Evaluations whose place on the machine stack is noted: as many as native frames are ever walked.
const MOST_EVALUATIONS: usize = 1024;

/// A frame that was passed, not yet looked into: of a stack of 100 000, most never are, and the bytes
/// that are read make up the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameRecord {
    pub(crate) address: u64,
    pub(crate) is_entry: bool,
    /// An address inside the machine stack frame of the evaluation, known for entries only.
    pub(crate) evaluation: Option<Address>,
}

/// What a frame executes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Execution {
    /// Address of the code object.
    pub(crate) code: u64,
    /// Bytes from the start of the byte code; negative before the first instruction.
    pub(crate) offset: i64,
}

impl FrameRecord {
    pub(crate) fn execution(
        &self,
        memory: &dyn ReadMemory,
        offsets: &Offsets,
    ) -> Result<Execution, Unreadable> {
        let frame = offsets.frame;
        let code = memory.u64(at(self.address, frame.code)?)? & !frame.code_tag;
        let offset = match frame.position {
            Position::Index { at: position, unit } => {
                i64::from(memory.i32(at(self.address, position)?)?) * unit
            }
            Position::Pointer { at: position } => {
                let start = code.wrapping_add(offsets.code.instructions);
                let instruction = memory.u64(at(self.address, position)?)?;
                instruction.wrapping_sub(start).cast_signed()
            }
        };
        Ok(Execution { code, offset })
    }
}

/// All frames of a thread, innermost first.
#[derive(Debug)]
pub(crate) struct FrameChain {
    pub(crate) records: Vec<FrameRecord>,
    pub(crate) end: StackEnd,
}

/// Walks the frames of the thread state at `thread`, at most `limit`.
pub(crate) fn walk(
    memory: &dyn ReadMemory,
    offsets: &Offsets,
    thread: u64,
    limit: usize,
) -> FrameChain {
    let mut walker = Walker {
        memory,
        frame: offsets.frame,
        evaluations: Evaluations::of(memory, offsets.thread.evaluations, thread)
            .take(MOST_EVALUATIONS),
        records: Vec::new(),
    };
    let end = match top_frame(memory, offsets.thread.top, thread) {
        Ok(top) => walker
            .walk(top, limit)
            .unwrap_or_else(|Unreadable { address }| unreadable(address)),
        Err(Unreadable { address }) => unreadable(address),
    };
    let mut records = walker.records;
    if let (StackEnd::Complete, Some(outermost)) = (end, records.last_mut()) {
        outermost.is_entry = true;
    }
    FrameChain { records, end }
}

fn unreadable(address: u64) -> StackEnd {
    StackEnd::Unreadable {
        address: Address(address),
    }
}

fn top_frame(memory: &dyn ReadMemory, top: TopFrame, thread: u64) -> Result<u64, Unreadable> {
    match top {
        TopFrame::At(offset) => memory.u64(at(thread, offset)?),
        TopFrame::Through {
            cframe,
            current_frame,
        } => match memory.u64(at(thread, cframe)?)? {
            0 => Ok(0),
            cframe => memory.u64(at(cframe, current_frame)?),
        },
    }
}

struct Walker<'a> {
    memory: &'a dyn ReadMemory,
    frame: FrameOffsets,
    evaluations: std::iter::Take<Evaluations<'a>>,
    records: Vec<FrameRecord>,
}

impl Walker<'_> {
    fn walk(&mut self, top: u64, limit: usize) -> Result<StackEnd, Unreadable> {
        let mut seen = HashSet::new();
        let mut address = top;
        while address != 0 {
            if !seen.insert(address) {
                return Ok(StackEnd::Loop);
            }
            // Shims count too, or a chain of nothing else would never end.
            if seen.len() > limit {
                return Ok(StackEnd::DepthLimit);
            }
            let previous = self.memory.u64(at(address, self.frame.previous)?)?;
            self.add(address)?;
            address = previous;
        }
        Ok(StackEnd::Complete)
    }

    fn add(&mut self, address: u64) -> Result<(), Unreadable> {
        let byte = |offset| self.memory.u8(at(address, offset)?);
        let is_entry = match self.frame.entry {
            EntryRule::Every => true,
            EntryRule::Flag(flag) => byte(flag)? != 0,
            EntryRule::NextIsShim { owner } if byte(owner)? >= FIRST_SHIM_OWNER => {
                // Two in a row: the outer one is not on the machine stack but in the thread state (3.14),
                // or belongs to an evaluation whose own frames are gone already.
                if let Some(entry) = self.records.last_mut().filter(|entry| !entry.is_entry) {
                    entry.is_entry = true;
                    entry.evaluation = Some(Address(address));
                }
                return Ok(());
            }
            EntryRule::NextIsShim { .. } => false,
        };
        let evaluation = if is_entry {
            self.evaluations.next()
        } else {
            None
        };
        self.records.push(FrameRecord {
            address,
            is_entry,
            evaluation,
        });
        Ok(())
    }
}

/// The records that native evaluations keep on the machine stack, innermost first.
struct Evaluations<'a> {
    memory: &'a dyn ReadMemory,
    previous: u64,
    /// The next record.
    current: u64,
}

impl<'a> Evaluations<'a> {
    fn of(memory: &'a dyn ReadMemory, records: Option<EvaluationRecords>, thread: u64) -> Self {
        let current = records
            .and_then(|records| memory.u64(at(thread, records.innermost).ok()?).ok())
            .unwrap_or_default();
        Self {
            memory,
            previous: records.map_or(0, |records| records.previous),
            current,
        }
    }
}

impl Iterator for Evaluations<'_> {
    type Item = Address;

    fn next(&mut self) -> Option<Address> {
        let current = self.current;
        let previous = at(current, self.previous)
            .and_then(|at| self.memory.u64(at))
            .unwrap_or(0);
        self.current = previous;
        // The last record is in the thread state, not on the machine stack, and has no predecessor.
        (current != 0 && previous != 0).then_some(Address(current))
    }
}
