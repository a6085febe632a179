//! Source lines and inlined functions, where the file has DWARF.
//!
//! Damage cannot make this expensive, but malice can: thousands of units that all name the same list of a million
//! ranges are read as they are written. Library files are opened from this machine alone, never from a capture or
//! core, so whoever can plant such a file could as well plant code.

use std::borrow::Cow;

use std::time::{Duration, Instant};

use addr2line::Context;
use crashlens_core::{SourceLine, demangle};
use gimli::{EndianSlice, LittleEndian, SectionId};
use object::{CompressionFormat, Object, ObjectSection};

use super::{FrameName, elf};

/// Larger debug information takes longer to open than a person waits.
const MAX_DEBUG_INFO: u64 = 512 << 20;
/// Sections that are packed stand in memory once they are unpacked, and a kilobyte may claim to be a gigabyte.
const MAX_UNPACKED: u64 = 256 << 20;
/// No packed byte of the usual method stands for more, and debug information shrinks to a third.
const MAX_PACKING: u64 = 1032;
/// After this the remaining addresses of a module go without lines. Damaged tables can lead the reader around for
/// minutes; honest ones take milliseconds.
const MAX_TIME: Duration = Duration::from_secs(2);
/// Compilers nest inlined functions some ten deep.
const MAX_INLINED: usize = 64;

type Slice<'bytes> = EndianSlice<'bytes, LittleEndian>;

/// Functions at each address, innermost first; empty without debug information.
pub(super) fn inlined_frames(bytes: &[u8], addresses: &[u64]) -> Vec<Vec<FrameName>> {
    let nothing = || vec![Vec::new(); addresses.len()];
    if !elf::is_searchable(bytes) {
        return nothing();
    }
    let Ok(file) = object::File::parse(bytes) else {
        return nothing();
    };
    let size = file
        .section_by_name(".debug_info")
        .map_or(0, |section| section.size());
    if size == 0 || size > MAX_DEBUG_INFO {
        return nothing();
    }
    let mut room = MAX_UNPACKED;
    let sections = gimli::DwarfSections::load(|id| load(&file, id, &mut room));
    let Ok(sections) = sections else {
        return nothing();
    };
    let Ok(context) =
        Context::from_dwarf(sections.borrow(|section| EndianSlice::new(section, LittleEndian)))
    else {
        return nothing();
    };
    let start = Instant::now();
    let in_time = |address: &u64| {
        if start.elapsed() < MAX_TIME {
            frames_at(&context, *address)
        } else {
            Vec::new()
        }
    };
    addresses.iter().map(in_time).collect()
}

fn load<'bytes>(
    file: &object::File<'bytes>,
    id: SectionId,
    room: &mut u64,
) -> Result<Cow<'bytes, [u8]>, object::Error> {
    let Some(section) = file.section_by_name(id.name()) else {
        return Ok(Cow::Borrowed(&[]));
    };
    let data = section.compressed_data()?;
    let is_packed = data.format != CompressionFormat::None;
    if is_packed && !takes(room, data.data.len(), data.uncompressed_size) {
        return Ok(Cow::Borrowed(&[]));
    }
    data.decompress()
}

/// Whether a section that is said to unpack to `unpacked` bytes may; it is counted then. The decoder asks for all
/// of them at once, whatever comes out in the end.
fn takes(room: &mut u64, packed: usize, unpacked: u64) -> bool {
    let left = room
        .checked_sub(unpacked)
        .filter(|_| unpacked / MAX_PACKING <= packed as u64);
    *room = left.unwrap_or(*room);
    left.is_some()
}

fn frames_at(context: &Context<Slice<'_>>, address: u64) -> Vec<FrameName> {
    let mut names = Vec::new();
    let Ok(mut frames) = context.find_frames(address).skip_all_loads() else {
        return names;
    };
    while let Ok(Some(frame)) = frames.next() {
        let function = frame
            .function
            .and_then(|name| name.raw_name().map(|name| demangle(&name)).ok());
        let source = frame.location.and_then(|place| {
            Some(SourceLine {
                file: place.file?.to_owned(),
                line: place.line?,
            })
        });
        names.push(FrameName {
            function,
            offset: None,
            source,
            inlined: true,
        });
        if names.len() == MAX_INLINED {
            break;
        }
    }
    if let Some(outermost) = names.last_mut() {
        outermost.inlined = false;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_packed_bytes_cannot_claim_the_memory() {
        let mut room = MAX_UNPACKED;
        assert!(!takes(&mut room, 200, 128 << 20));
        assert!(!takes(&mut room, usize::MAX, u64::MAX));
        assert!(takes(&mut room, 60 << 20, 200 << 20));
        assert!(!takes(&mut room, 60 << 20, 200 << 20));
        assert!(takes(&mut room, 20 << 20, 50 << 20));
    }
}
