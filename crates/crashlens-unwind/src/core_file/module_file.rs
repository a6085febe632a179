//! Whether a file on this machine may stand in for memory the core left out.

use object::LittleEndian;
use object::elf::{self, FileHeader64, ProgramHeader64};
use object::read::elf::{FileHeader as _, NoteIterator};

use super::headers::LE;
use super::notes::MappedFile;
use super::segments::Access;
use crate::FileBytes;

/// Offsets in files are mapped by pages of this size on x86-64.
const PAGE: u64 = 4096;
/// Real modules have a dozen program headers; they are searched for every mapped range.
const MAX_PROGRAM_HEADERS: usize = 256;
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
    if extent <= page_up(file.len() as u64) {
        Likeness::Unverified
    } else {
        Likeness::TooShort
    }
}

/// The GNU build id of an ELF file of which at least the beginning is given.
pub(super) fn build_id(image: &[u8]) -> Option<&[u8]> {
    note(image, elf::ELF_NOTE_GNU, elf::NT_GNU_BUILD_ID)
}

/// A note of an ELF file of which at least the beginning is given.
pub(super) fn note<'a>(image: &'a [u8], name: &[u8], kind: elf::NoteType) -> Option<&'a [u8]> {
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
            .find(|note| note.name() == name && note.n_type(LE) == kind)
            .map(|note| note.desc())
    })
}

fn program_headers(image: &[u8]) -> Option<&[ProgramHeader64<LittleEndian>]> {
    let headers = FileHeader64::<LittleEndian>::parse(image)
        .ok()?
        .program_headers(LE, image)
        .ok()?;
    Some(headers.get(..MAX_PROGRAM_HEADERS).unwrap_or(headers))
}

/// What the loader allows for the part of a module that begins at `offset` and that nobody wrote to.
pub(super) fn access_by_headers(image: &[u8], offset: u64) -> Option<Access> {
    let headers = program_headers(image)?.iter();
    let loads = headers.filter(|header| header.p_type.get(LE) == elf::PT_LOAD);
    loads
        .map(|header| (Part::of(header), header.p_flags.get(LE)))
        .filter(|(part, _)| !part.writable && part.holds_offset(offset))
        .max_by_key(|(part, _)| part.offset)
        .map(|(_, flags)| Access(flags))
}

/// A file that may stand in for memory, where that memory was never written.
pub(super) struct StandIn {
    bytes: FileBytes,
    /// What the loader maps of the file, if it is a program or library.
    parts: Vec<Part>,
    /// Where the file's first byte was mapped.
    header_address: Option<u64>,
}

/// A loaded part of an ELF file, widened to whole pages as the loader does.
struct Part {
    offset: u64,
    /// Addresses as the file has them, before the loader moves it.
    start: u64,
    end: u64,
    writable: bool,
}

impl StandIn {
    pub(super) fn new(bytes: FileBytes, header_address: Option<u64>) -> Self {
        let headers = program_headers((*bytes).as_ref()).unwrap_or(&[]);
        let loads = headers
            .iter()
            .filter(|header| header.p_type.get(LE) == elf::PT_LOAD);
        let parts = loads.map(Part::of).collect();
        Self {
            bytes,
            parts,
            header_address,
        }
    }

    /// The whole file.
    pub(super) fn bytes(&self) -> FileBytes {
        self.bytes.clone()
    }

    /// The bytes from `address` on, as the file has them.
    ///
    /// What the process could write is not what the file holds. That is more than the writable
    /// mappings: the loader relocates tables of pointers and then makes them read-only (RELRO). Linux
    /// dumps both, unless told not to (`coredump_filter` without bit 0), and pointers taken from the
    /// file instead would lead anywhere.
    pub(super) fn bytes_from(
        &self,
        mapping: &MappedFile,
        access: Option<Access>,
        address: u64,
    ) -> Option<&[u8]> {
        if access.is_some_and(Access::may_write) {
            return None;
        }
        let offset = mapping
            .offset
            .checked_add(address.checked_sub(mapping.start)?)?;
        let runs = access.is_some_and(Access::may_execute);
        if !runs && self.is_loaded_writable(address, offset) {
            return None;
        }
        let from = usize::try_from(offset).ok()?;
        (*self.bytes)
            .as_ref()
            .get(from..)
            .filter(|bytes| !bytes.is_empty())
    }

    /// Whether the loader had mapped the byte at `offset` writable.
    ///
    /// One page of the file can be mapped twice, as the end of the constants and as the start of the
    /// variables, in every small program. Then only the address tells which of the two it is.
    fn is_loaded_writable(&self, address: u64, offset: u64) -> bool {
        let by_address = self.file_address(address).and_then(|address| {
            self.parts
                .iter()
                .find(|part| part.offset_of(address) == Some(offset))
        });
        match by_address {
            Some(part) => part.writable,
            None => self
                .parts
                .iter()
                .any(|part| part.writable && part.holds_offset(offset)),
        }
    }

    /// An address of the process as the file has it.
    fn file_address(&self, address: u64) -> Option<u64> {
        let first = self.parts.iter().find(|part| part.offset == 0)?;
        Some(
            address
                .wrapping_sub(self.header_address?)
                .wrapping_add(first.start),
        )
    }
}

impl Part {
    fn of(header: &ProgramHeader64<LittleEndian>) -> Self {
        let address = header.p_vaddr.get(LE);
        Self {
            offset: header.p_offset.get(LE) / PAGE * PAGE,
            start: address / PAGE * PAGE,
            end: page_up(address.saturating_add(header.p_filesz.get(LE))),
            writable: header.p_flags.get(LE).contains(elf::PF_W),
        }
    }

    fn offset_of(&self, address: u64) -> Option<u64> {
        let inside = (self.start..self.end).contains(&address);
        inside.then(|| self.offset.saturating_add(address - self.start))
    }

    fn holds_offset(&self, offset: u64) -> bool {
        offset
            .checked_sub(self.offset)
            .is_some_and(|place| place < self.end - self.start)
    }
}

fn page_up(number: u64) -> u64 {
    number.checked_next_multiple_of(PAGE).unwrap_or(number)
}
