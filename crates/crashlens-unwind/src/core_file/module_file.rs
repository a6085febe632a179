//! Whether a file on this machine may stand in for memory the core left out.

use object::LittleEndian;
use object::elf::{self, FileHeader64, ProgramHeader64};
use object::read::elf::{FileHeader as _, NoteIterator};

use super::headers::LE;
use super::segments::Access;
use crate::FileBytes;

/// Offsets in files are mapped by pages of this size on x86-64.
const PAGE: u64 = 4096;
/// Linkers write one to three note segments of under a hundred bytes.
const MAX_NOTE_SEGMENTS: usize = 64;
const MAX_NOTE_BYTES: usize = 64 << 10;

/// How a file compares with the module in the core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// The same build.
    Same,
    /// Another build.
    Other,
    /// The core holds nothing to compare; the size at least fits.
    Unverified,
    /// It is too short for what was mapped.
    TooShort,
}

/// Compares `file` with `dumped`, the start of the module as far as the core holds it, and with
/// `extent`, the highest offset that was mapped.
pub(super) fn compare(file: &[u8], dumped: &[u8], extent: u64) -> Likeness {
    if let (Some(then), Some(now)) = (build_id(dumped), build_id(file)) {
        return if then == now {
            Likeness::Same
        } else {
            Likeness::Other
        };
    }
    // Many wheels' libraries have no build id, and patchelf moves the notes of others out of the first page, the
    // only one Linux dumps. That page holds the sizes and places of all segments and sections of the file, so
    // two builds that differ in anything but a few bytes differ here too.
    let first_page = dumped.get(..PAGE as usize).unwrap_or(dumped);
    if !first_page.is_empty() {
        let begins_alike = file.get(..first_page.len()).is_some_and(|page| page == first_page)
            // The last page of a mapping is filled up with zeros.
            || (first_page.starts_with(file) && first_page[file.len()..].iter().all(|byte| *byte == 0));
        return if begins_alike {
            Likeness::Same
        } else {
            Likeness::Other
        };
    }
    if extent <= (file.len() as u64).next_multiple_of(PAGE) {
        Likeness::Unverified
    } else {
        Likeness::TooShort
    }
}

/// The GNU build id of an ELF file of which at least the beginning is given.
pub(super) fn build_id(image: &[u8]) -> Option<&[u8]> {
    let headers = program_headers(image)?;
    let notes = headers
        .iter()
        .filter(|header| header.p_type.get(LE) == elf::PT_NOTE);
    notes.take(MAX_NOTE_SEGMENTS).find_map(|header| {
        let start = usize::try_from(header.p_offset.get(LE)).ok()?;
        let size = usize::try_from(header.p_filesz.get(LE))
            .ok()?
            .min(MAX_NOTE_BYTES);
        let bytes = image.get(start..)?.get(..size)?;
        let align = if header.p_align.get(LE) == 8 { 8 } else { 4 };
        let notes = NoteIterator::<FileHeader64<LittleEndian>>::new(LE, align, bytes).ok()?;
        notes
            .map_while(Result::ok)
            .find(|note| {
                note.name() == elf::ELF_NOTE_GNU && note.n_type(LE) == elf::NT_GNU_BUILD_ID
            })
            .map(|note| note.desc())
    })
}

fn program_headers(image: &[u8]) -> Option<&[ProgramHeader64<LittleEndian>]> {
    FileHeader64::<LittleEndian>::parse(image)
        .ok()?
        .program_headers(LE, image)
        .ok()
}

/// A file that may stand in for memory, where that memory was never written.
pub(super) struct StandIn {
    bytes: FileBytes,
    /// Loaded parts of the file: first offset, rounded down to a page as the loader does, and whether they are
    /// loaded writable.
    parts: Vec<(u64, bool)>,
}

impl StandIn {
    pub(super) fn new(bytes: FileBytes) -> Self {
        let headers = program_headers((*bytes).as_ref()).unwrap_or(&[]);
        let loads = headers
            .iter()
            .filter(|header| header.p_type.get(LE) == elf::PT_LOAD);
        let mut parts: Vec<(u64, bool)> = loads
            .map(|header| {
                (
                    header.p_offset.get(LE) / PAGE * PAGE,
                    header.p_flags.get(LE).contains(elf::PF_W),
                )
            })
            .collect();
        parts.sort_unstable();
        Self { bytes, parts }
    }

    /// The bytes from `offset` on, for a mapping that begins at `mapping_offset` of the file.
    ///
    /// What the process could write is not what the file holds. That is more than the writable mappings: the loader
    /// relocates tables of pointers and then makes them read-only (RELRO). Linux dumps both, unless told not to
    /// (`coredump_filter` without bit 0), and pointers read from the file instead would lead anywhere.
    pub(super) fn bytes_from(
        &self,
        mapping_offset: u64,
        access: Option<Access>,
        offset: u64,
    ) -> Option<&[u8]> {
        if access.is_some_and(Access::may_write) {
            return None;
        }
        let runs = access.is_some_and(Access::may_execute);
        if !runs && self.is_loaded_writable(mapping_offset) {
            return None;
        }
        (*self.bytes)
            .as_ref()
            .get(usize::try_from(offset).ok()?..)
            .filter(|bytes| !bytes.is_empty())
    }

    /// Whether the part of the file that begins last at or before `mapping_offset` is loaded writable.
    fn is_loaded_writable(&self, mapping_offset: u64) -> bool {
        let after = self
            .parts
            .partition_point(|(start, _)| *start <= mapping_offset);
        self.parts[..after]
            .last()
            .is_some_and(|(_, writable)| *writable)
    }
}
