//! Reads an ELF core file of an x86-64 Linux process: threads, registers, signal, mappings, memory.
//!
//! Pure: bytes in, facts out; nothing of the core is touched but headers, notes and what is read
//! through [`CoreMemory`]. Every part that is missing or damaged becomes a gap and the rest stands.
//! What the stacks mean is read elsewhere, by the same code as for a live process.
//!
//! Headers are read by the `object` crate. Not a crate for core files as a whole: the notes of threads, signals and mapped
//! files are what is needed, and damage in one of them must not hide the others.

mod bounded;
mod error;
mod headers;
mod initial_stack;
mod mappings;
mod memory;
mod module_file;
mod modules;
mod notes;
mod segments;

use crashlens_core::{Address, Gaps, Signal};

pub use error::CoreError;
pub use initial_stack::{InitialStack, InitialStackError};
pub use memory::CoreMemory;
pub use notes::{CoreProcess, SignalFacts};

use crate::{FileBytes, Files, ProcessSnapshot, ReadMemory, SignalAtFault, ThreadState, Witnessed};
use initial_stack::{AT_EXECFN, AT_PHDR, AT_RANDOM, AT_SYSINFO_EHDR};
use mappings::Landmarks;
use notes::Notes;
use segments::Segments;

/// A core file.
pub struct CoreFile {
    bytes: FileBytes,
    segments: Segments,
    notes: Notes,
    gaps: Gaps,
}

impl std::fmt::Debug for CoreFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CoreFile")
            .field("bytes", &self.bytes().len())
            .field("segments", &self.segments.iter().count())
            .field("threads", &self.notes.threads.len())
            .field("gaps", &self.gaps)
            .finish_non_exhaustive()
    }
}

impl CoreFile {
    /// Reads headers and notes. Fails only for a file that is no x86-64 core at all.
    pub fn parse(bytes: FileBytes) -> Result<Self, CoreError> {
        let mut gaps = Gaps::default();
        let content = (*bytes).as_ref();
        let header = headers::file_header(content)?;
        let table = headers::program_headers(header, content, &mut gaps);
        let segments = Segments::load(table, content.len() as u64, &mut gaps);
        let notes = Notes::read(table, content, &mut gaps);
        let mut core = Self {
            bytes,
            segments,
            notes,
            gaps,
        };
        core.note_missing_stacks();
        Ok(core)
    }

    /// Whether `bytes` start like an ELF file, whatever kind.
    pub fn looks_like(bytes: &[u8]) -> bool {
        bytes.starts_with(&object::elf::ELFMAG)
    }

    fn bytes(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }

    /// What of the core itself is missing or damaged.
    pub fn gaps(&self) -> &Gaps {
        &self.gaps
    }

    /// Threads, registers and mappings.
    pub fn snapshot(&self) -> ProcessSnapshot {
        let name = self
            .notes
            .process
            .as_ref()
            .map_or("", |process| process.name.as_str());
        let threads = self.notes.threads.iter().map(|thread| ThreadState {
            id: thread.id,
            // A core has no names of single threads.
            name: name.to_owned(),
            registers: Some(thread.registers),
        });
        let landmarks = Landmarks {
            stack: self
                .notes
                .auxiliary(AT_RANDOM)
                .or(self.notes.auxiliary(AT_EXECFN)),
            vdso: self.notes.auxiliary(AT_SYSINFO_EHDR),
        };
        ProcessSnapshot {
            pid: self.pid(),
            threads: threads.collect(),
            crashed_thread: self
                .signal()
                .and(self.notes.threads.first())
                .map(|thread| thread.id),
            maps: mappings::mappings(&self.segments, &self.notes.files, landmarks, self.bytes()),
            signal: self.signal().map(|facts| SignalAtFault {
                signal: facts.signal,
                code: facts.code.map(|code| facts.signal.code_name(code)),
                address: facts.address.map(Address),
                registers: self.notes.threads.first().map(|thread| thread.registers),
                witnessed: Witnessed::default(),
            }),
        }
    }

    /// The process id; that of the first thread where the core does not name the process, 0 where it has neither.
    fn pid(&self) -> u32 {
        let first = self.notes.threads.first().map(|thread| thread.id);
        self.notes
            .process
            .as_ref()
            .map(|process| process.pid)
            .or(first)
            .unwrap_or(0)
    }

    /// Name, parent, user and short command line.
    pub fn process(&self) -> Option<&CoreProcess> {
        self.notes.process.as_ref()
    }

    /// The signal that ended the process; `None` for a core made of a running one.
    pub fn signal(&self) -> Option<SignalFacts> {
        let thread = self.notes.threads.first()?;
        let bare = SignalFacts {
            signal: Signal(thread.current_signal),
            code: None,
            address: None,
            sender_pid: None,
        };
        let facts = thread
            .signal
            .filter(|facts| facts.signal.0 != 0)
            .unwrap_or(bare);
        // Tools that write a core of a live process stop it first; no process dies of these two.
        (facts.signal.0 != 0 && facts.signal != Signal(19) && facts.signal != Signal(18))
            .then_some(facts)
    }

    /// The auxiliary vector: pairs of kind and value.
    pub fn auxiliary_vector(&self) -> &[(u64, u64)] {
        &self.notes.auxiliary
    }

    /// Path of the executable, from the mapping that holds its program headers.
    pub fn executable(&self) -> Option<&str> {
        let range = self.notes.files.at(self.notes.auxiliary(AT_PHDR)?)?;
        Some(self.notes.files.path(range))
    }

    /// Version of the kernel, from the library it gives every process: `6.1.0`.
    pub fn kernel_version(&self) -> Option<String> {
        let start = self.notes.auxiliary(AT_SYSINFO_EHDR)?;
        let image = self.segments.at(start)?.bytes_from(self.bytes(), start)?;
        let note = module_file::note(image, b"Linux", object::elf::NoteType(0))?;
        let code = bounded::u32(note, 0)?;
        Some(format!(
            "{}.{}.{}",
            code >> 16,
            code >> 8 & 0xff,
            code & 0xff
        ))
    }

    /// The process's memory, completed from `files` where that is safe.
    pub fn memory<'a>(&'a self, files: &'a dyn Files) -> CoreMemory<'a> {
        CoreMemory::new(self, files)
    }

    /// The whole command line and the environment, from the top of the first thread's stack.
    pub fn initial_stack(
        &self,
        memory: &dyn ReadMemory,
    ) -> Result<InitialStack, InitialStackError> {
        initial_stack::read(&self.notes.auxiliary, memory)
    }

    /// Names the threads whose stacks the core does not hold: their frames cannot be read, and why is not the stack's
    /// own fault.
    fn note_missing_stacks(&mut self) {
        let holds = |address| {
            let segment = self.segments.at(address);
            segment.is_some_and(|segment| address - segment.start < segment.dumped)
        };
        let threads = &self.notes.threads;
        let missing = threads
            .iter()
            .filter(|thread| !holds(thread.registers.sp().0))
            .count();
        if missing == 0 {
            return;
        }
        self.gaps.add(
            "stack memory of threads",
            format!("the core does not hold the stack of {missing} of its {} threads", threads.len()),
            Some("Set /proc/self/coredump_filter to 0x33 before the program starts, and allow cores of any size."),
        );
    }
}
