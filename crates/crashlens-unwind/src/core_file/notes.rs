//! The notes of a core: threads, process, signal, mapped files, auxiliary vector.
//!
//! Reads the descriptors by the offsets x86-64 Linux gives them; what a short or damaged descriptor
//! does not hold becomes a gap, and the other notes stand.

mod mapped_files;
mod status;

use crashlens_core::Gaps;
use object::LittleEndian;
use object::elf::{self, FileHeader64, ProgramHeader64};
use object::read::elf::NoteIterator;

use super::bounded;
use super::headers::LE;

pub(super) use mapped_files::{MappedFile, MappedFiles};
pub(super) use status::CoreThread;
pub use status::{CoreProcess, SignalFacts};

/// The kernel's own limit on threads is near this; more come only from damage.
const MAX_THREADS: usize = 1 << 16;
/// Linux writes one note segment, gdb one or two; each of many could hold all notes of the file again.
const MAX_SEGMENTS: usize = 64;
/// The kernel keeps about 25 pairs.
const MAX_AUXILIARY: usize = 256;

/// What the notes say.
#[derive(Debug, Clone, Default)]
pub(super) struct Notes {
    /// In the order of the notes: the one that took the signal is first.
    pub(super) threads: Vec<CoreThread>,
    pub(super) process: Option<CoreProcess>,
    pub(super) files: MappedFiles,
    /// Pairs of kind and value.
    pub(super) auxiliary: Vec<(u64, u64)>,
}

impl Notes {
    /// From all note segments.
    pub(super) fn read(
        headers: &[ProgramHeader64<LittleEndian>],
        core: &[u8],
        gaps: &mut Gaps,
    ) -> Self {
        let mut notes = Self::default();
        let mut found = false;
        for header in headers
            .iter()
            .filter(|header| header.p_type.get(LE) == elf::PT_NOTE)
            .take(MAX_SEGMENTS)
        {
            found = true;
            notes.read_segment(header, core, gaps);
        }
        if !found {
            gaps.add(
                "notes of the core",
                "it has none: threads, registers and files are not known",
                None,
            );
        } else if notes.threads.is_empty() {
            gaps.add("threads of the core", "its notes hold no thread", None);
        }
        notes
    }

    fn read_segment(
        &mut self,
        header: &ProgramHeader64<LittleEndian>,
        core: &[u8],
        gaps: &mut Gaps,
    ) {
        const PART: &str = "notes of the core";
        let promised = header.p_filesz.get(LE);
        let start = usize::try_from(header.p_offset.get(LE)).unwrap_or(usize::MAX);
        let rest = core.get(start..).unwrap_or(&[]);
        let bytes = rest
            .get(..usize::try_from(promised).unwrap_or(usize::MAX))
            .unwrap_or(rest);
        if (bytes.len() as u64) < promised {
            gaps.add(
                PART,
                format!("the file holds {} of their {promised} bytes", bytes.len()),
                None,
            );
        }
        // Writers of cores disagree about `p_align` of notes (0, 1, 4); all align by 4 unless they say 8.
        let align = if header.p_align.get(LE) == 8 { 8 } else { 4 };
        let Ok(mut notes) = NoteIterator::<FileHeader64<LittleEndian>>::new(LE, align, bytes)
        else {
            return;
        };
        let mut count = 0_u64;
        loop {
            match notes.next() {
                Ok(Some(note)) if note.name() == elf::ELF_NOTE_CORE => {
                    self.take(note.n_type(LE), note.desc(), gaps);
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(error) => {
                    gaps.add(PART, format!("damaged after note {count}: {error}"), None);
                    break;
                }
            }
            count += 1;
        }
    }

    fn take(&mut self, kind: elf::NoteType, bytes: &[u8], gaps: &mut Gaps) {
        match kind {
            elf::NT_PRSTATUS if self.threads.len() >= MAX_THREADS => {
                gaps.add(
                    "threads of the core",
                    format!("only the first {MAX_THREADS} are read"),
                    None,
                );
            }
            elf::NT_PRSTATUS => match CoreThread::from_note(bytes) {
                Some(thread) => self.threads.push(thread),
                None => too_short("registers of a thread", bytes, gaps),
            },
            elf::NT_PRPSINFO => match CoreProcess::from_note(bytes) {
                Some(process) => self.process = self.process.take().or(Some(process)),
                None => too_short("name and command line of the process", bytes, gaps),
            },
            elf::NT_SIGINFO => match (SignalFacts::from_note(bytes), self.threads.last_mut()) {
                (Some(signal), Some(thread)) => {
                    thread.signal = thread.signal.take().or(Some(signal));
                }
                (Some(_), None) => {}
                (None, _) => too_short("details of the signal", bytes, gaps),
            },
            elf::NT_FILE => self.files = MappedFiles::from_note(bytes, gaps),
            elf::NT_AUXV => self.auxiliary = auxiliary(bytes),
            _ => {}
        }
    }

    /// A value of the auxiliary vector.
    pub(super) fn auxiliary(&self, kind: u64) -> Option<u64> {
        self.auxiliary
            .iter()
            .find(|(found, _)| *found == kind)
            .map(|(_, value)| *value)
    }
}

fn auxiliary(bytes: &[u8]) -> Vec<(u64, u64)> {
    (0..MAX_AUXILIARY)
        .map_while(|index| {
            Some((
                bounded::u64(bytes, index * 16)?,
                bounded::u64(bytes, index * 16 + 8)?,
            ))
        })
        .take_while(|(kind, _)| *kind != 0)
        .collect()
}

fn too_short(part: &str, bytes: &[u8], gaps: &mut Gaps) {
    gaps.add(
        part,
        format!("its note in the core is only {} bytes long", bytes.len()),
        None,
    );
}

#[cfg(test)]
mod tests {
    use object::{U32, U64};

    use super::*;

    #[test]
    fn segments_that_repeat_the_same_notes_are_not_read_forever() {
        let mut core = Vec::new();
        for word in [5_u32, 336, 1] {
            core.extend(word.to_le_bytes());
        }
        core.extend(b"CORE\0\0\0\0");
        core.resize(core.len() + 336, 0);
        let header = ProgramHeader64 {
            p_type: U32::new(LE, elf::PT_NOTE),
            p_flags: U32::new(LE, elf::ProgramFlags(0)),
            p_offset: U64::new(LE, 0),
            p_vaddr: U64::new(LE, 0),
            p_paddr: U64::new(LE, 0),
            p_filesz: U64::new(LE, core.len() as u64),
            p_memsz: U64::new(LE, 0),
            p_align: U64::new(LE, 4),
        };
        let notes = Notes::read(&vec![header; 10_000], &core, &mut Gaps::default());
        assert_eq!(notes.threads.len(), MAX_SEGMENTS);
    }
}
