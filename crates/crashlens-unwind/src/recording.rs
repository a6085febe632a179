//! What was read to find the stacks, saved so that the reading can be repeated anywhere.
//!
//! [`Recorder`] stands between the readers and the process. It is also where reading is bounded: in
//! bytes, and in time. Only bytes that were asked for are kept, so that a capture holds no more of a
//! program's memory than its stacks needed.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::time::Instant;

use crashlens_core::{Address, Module};
use serde::{Deserialize, Serialize};

use crate::python::SymbolLookup;
use crate::symbols::FrameName;
use crate::testimony::Confidences;
use crate::{ProcessSnapshot, ReadMemory, Unreadable};

/// Bytes fetched at once; divides a page, so that a block is readable whole or not at all.
const BLOCK: usize = 64;
/// No honest set of stacks needs more than a few megabytes, that of an overflowed stack included.
const MAX_BLOCKS: usize = (16 << 20) / BLOCK;
/// A description is text of which every byte may take ten once it is read; honest ones have a hundred kilobytes.
const MAX_DESCRIPTION: usize = 32 << 20;
/// As many as are read of a core.
const MAX_THREADS: usize = 1 << 16;
/// How many reads may pass between two looks at the clock.
const READS_PER_LOOK: u32 = 256;

/// A block of memory, by bit masks: which of its bytes are known, and which were asked for.
struct Block {
    bytes: [u8; BLOCK],
    known: u64,
    asked: u64,
}

impl Block {
    /// The block at `start`: whole where it can be read whole.
    fn fetch(process: &dyn ReadMemory, start: u64) -> Self {
        let mut bytes = [0; BLOCK];
        let known = process.read(start, &mut bytes).map_or(0, |()| u64::MAX);
        Self {
            bytes,
            known,
            asked: 0,
        }
    }

    /// Makes the bytes of `range` known. Recordings and damaged cores have parts of blocks.
    fn complete(
        &mut self,
        process: &dyn ReadMemory,
        start: u64,
        range: Range<usize>,
        keep: bool,
    ) -> Result<(), Unreadable> {
        let mask = mask(&range);
        if self.known & mask != mask {
            process.read(start + range.start as u64, &mut self.bytes[range])?;
            self.known |= mask;
        }
        if keep {
            self.asked |= mask;
        }
        Ok(())
    }
}

/// Bits of the bytes in `range`.
fn mask(range: &Range<usize>) -> u64 {
    let bits = if range.len() == BLOCK {
        u64::MAX
    } else {
        (1 << range.len()) - 1
    };
    bits << range.start
}

/// Memory that remembers what was read from it and stops answering at its limits.
pub(crate) struct Recorder<'process> {
    process: &'process dyn ReadMemory,
    blocks: RefCell<HashMap<u64, Block>>,
    deadline: Instant,
    reads: Cell<u32>,
    expired: Cell<bool>,
}

impl<'process> Recorder<'process> {
    pub(crate) fn new(process: &'process dyn ReadMemory, deadline: Instant) -> Self {
        Self {
            process,
            blocks: RefCell::default(),
            deadline,
            reads: Cell::new(0),
            expired: Cell::new(false),
        }
    }

    /// Whether a limit was reached; nothing can be read any more then.
    pub(crate) fn is_expired(&self) -> bool {
        self.expired.get()
    }

    fn check_limits(&self) {
        let reads = self.reads.get().wrapping_add(1);
        self.reads.set(reads);
        let looks = reads.is_multiple_of(READS_PER_LOOK);
        if self.blocks.borrow().len() >= MAX_BLOCKS || (looks && Instant::now() >= self.deadline) {
            self.expired.set(true);
        }
    }

    /// The same memory under the same limits, of which nothing is kept.
    pub(crate) fn confidential(&self) -> Confidential<'_> {
        Confidential(self)
    }

    /// The bytes that were asked for, as runs in ascending order.
    pub(crate) fn into_memory(self) -> RecordedMemory {
        let mut blocks: Vec<(u64, Block)> = self.blocks.into_inner().into_iter().collect();
        blocks.sort_by_key(|(address, _)| *address);
        let mut memory = RecordedMemory::default();
        for (start, block) in blocks {
            for (index, byte) in block.bytes.iter().enumerate() {
                if block.asked >> index & 1 == 1 {
                    memory.push(start + index as u64, *byte);
                }
            }
        }
        memory
    }
}

/// Memory that may hold secrets: what is read here does not become part of a recording.
pub(crate) struct Confidential<'recorder>(&'recorder Recorder<'recorder>);

impl ReadMemory for Confidential<'_> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        self.0.fetch(address, buffer, false)
    }
}

impl ReadMemory for Recorder<'_> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        self.fetch(address, buffer, true)
    }
}

impl Recorder<'_> {
    fn fetch(&self, address: u64, buffer: &mut [u8], keep: bool) -> Result<(), Unreadable> {
        self.check_limits();
        if self.expired.get() {
            return Err(Unreadable { address });
        }
        let mut done = 0;
        while done < buffer.len() {
            let here = address
                .checked_add(done as u64)
                .ok_or(Unreadable { address })?;
            let start = here & !(BLOCK as u64 - 1);
            let within = (here - start) as usize;
            let count = (BLOCK - within).min(buffer.len() - done);
            let range = within..within + count;
            let mut blocks = self.blocks.borrow_mut();
            let block = blocks
                .entry(start)
                .or_insert_with(|| Block::fetch(self.process, start));
            block.complete(self.process, start, range.clone(), keep)?;
            buffer[done..done + count].copy_from_slice(&block.bytes[range]);
            done += count;
        }
        Ok(())
    }
}

/// Memory as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordedMemory {
    /// Start and length of each run, ascending, with gaps between them.
    runs: Vec<(Address, u32)>,
    /// Where each run starts in `bytes`.
    starts: Vec<usize>,
    bytes: Vec<u8>,
}

impl RecordedMemory {
    fn push(&mut self, address: u64, byte: u8) {
        match self.runs.last_mut() {
            Some((start, length)) if start.0 + u64::from(*length) == address => *length += 1,
            _ => {
                self.runs.push((Address(address), 1));
                self.starts.push(self.bytes.len());
            }
        }
        self.bytes.push(byte);
    }

    /// Runs over bytes as they were saved. Foreign: the runs may be anything.
    fn restore(runs: Vec<(Address, u32)>, bytes: Vec<u8>) -> Option<Self> {
        let mut starts = Vec::with_capacity(runs.len());
        let mut total = 0_usize;
        let mut end = 0;
        for (address, length) in &runs {
            starts.push(total);
            total = total.checked_add(*length as usize)?;
            if address.0 < end {
                return None;
            }
            end = address.0.checked_add(u64::from(*length))?;
        }
        (total == bytes.len()).then_some(Self {
            runs,
            starts,
            bytes,
        })
    }
}

impl ReadMemory for RecordedMemory {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        let unreadable = Unreadable { address };
        let after = self.runs.partition_point(|(start, _)| start.0 <= address);
        let index = after.checked_sub(1).ok_or(unreadable)?;
        let (start, length) = self.runs[index];
        let offset = address - start.0;
        let end = offset.checked_add(buffer.len() as u64).ok_or(unreadable)?;
        if end > u64::from(length) {
            return Err(unreadable);
        }
        let from = self.starts[index] + offset as usize;
        buffer.copy_from_slice(&self.bytes[from..from + buffer.len()]);
        Ok(())
    }
}

/// What symbol files answered, so that it can be answered again without them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Answers {
    symbols: BTreeMap<String, Option<Address>>,
    sections: BTreeMap<String, Option<(Address, u64)>>,
    symtabs: BTreeMap<String, bool>,
}

fn key(module: &Module, name: &str) -> String {
    format!("{}\n{name}", module.path)
}

impl SymbolLookup for Answers {
    fn symbol(&self, module: &Module, name: &str) -> Option<u64> {
        self.symbols
            .get(&key(module, name))
            .copied()
            .flatten()
            .map(|address| address.0)
    }

    fn section(&self, module: &Module, name: &str) -> Option<(u64, u64)> {
        self.sections
            .get(&key(module, name))
            .copied()
            .flatten()
            .map(|(address, size)| (address.0, size))
    }

    fn has_symtab(&self, module: &Module) -> bool {
        self.symtabs.get(&module.path).copied().unwrap_or(false)
    }
}

/// Asks the files and remembers their answers.
pub(crate) struct RecordingLookup<'files> {
    pub(crate) files: &'files dyn SymbolLookup,
    pub(crate) answers: RefCell<Answers>,
}

impl SymbolLookup for RecordingLookup<'_> {
    fn symbol(&self, module: &Module, name: &str) -> Option<u64> {
        let answer = self.files.symbol(module, name);
        self.answers
            .borrow_mut()
            .symbols
            .insert(key(module, name), answer.map(Address));
        answer
    }

    fn section(&self, module: &Module, name: &str) -> Option<(u64, u64)> {
        let answer = self.files.section(module, name);
        let kept = answer.map(|(address, size)| (Address(address), size));
        self.answers
            .borrow_mut()
            .sections
            .insert(key(module, name), kept);
        answer
    }

    fn has_symtab(&self, module: &Module) -> bool {
        let answer = self.files.has_symtab(module);
        self.answers
            .borrow_mut()
            .symtabs
            .insert(module.path.clone(), answer);
        answer
    }
}

/// Everything a replay needs besides memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Recording {
    pub(crate) snapshot: ProcessSnapshot,
    pub(crate) answers: Answers,
    /// Names by looked-up address.
    pub(crate) names: BTreeMap<u64, Vec<FrameName>>,
    /// Source lines by file and line.
    pub(crate) sources: BTreeMap<String, BTreeMap<u32, String>>,
    /// What was told instead of recorded.
    #[serde(default)]
    pub(crate) confidences: Confidences,
    runs: Vec<(Address, u32)>,
    #[serde(skip)]
    bytes: Vec<u8>,
}

/// Why a recording cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// It ends early or its parts do not fit together.
    #[error("the recording is damaged")]
    Damaged,
    /// Its description cannot be understood.
    #[error("the recording cannot be read")]
    Description(#[source] serde_json::Error),
}

impl Recording {
    pub(crate) fn new(
        snapshot: ProcessSnapshot,
        memory: RecordedMemory,
        answers: Answers,
        names: BTreeMap<u64, Vec<FrameName>>,
        sources: BTreeMap<String, BTreeMap<u32, String>>,
        confidences: Confidences,
    ) -> Self {
        Self {
            snapshot,
            answers,
            names,
            sources,
            confidences,
            runs: memory.runs,
            bytes: memory.bytes,
        }
    }

    /// As bytes: length of the description, the description, memory.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let description = serde_json::to_vec(self).unwrap_or_default();
        let mut encoded = (description.len() as u64).to_le_bytes().to_vec();
        encoded.extend_from_slice(&description);
        encoded.extend_from_slice(&self.bytes);
        encoded
    }

    /// From bytes, which may be anything.
    pub(crate) fn decode(encoded: &[u8]) -> Result<(Self, RecordedMemory), RecordingError> {
        let (length, rest) = encoded
            .split_first_chunk::<8>()
            .ok_or(RecordingError::Damaged)?;
        let length =
            usize::try_from(u64::from_le_bytes(*length)).map_err(|_| RecordingError::Damaged)?;
        let (description, bytes) = rest
            .split_at_checked(length)
            .filter(|(description, _)| description.len() <= MAX_DESCRIPTION)
            .ok_or(RecordingError::Damaged)?;
        let mut recording: Self =
            serde_json::from_slice(description).map_err(RecordingError::Description)?;
        if recording.snapshot.threads.len() > MAX_THREADS {
            return Err(RecordingError::Damaged);
        }
        let runs = std::mem::take(&mut recording.runs);
        let memory =
            RecordedMemory::restore(runs, bytes.to_vec()).ok_or(RecordingError::Damaged)?;
        Ok((recording, memory))
    }
}

#[cfg(test)]
mod tests;
