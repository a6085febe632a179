//! Source lines and inlined functions, where the file has DWARF.
//!
//! Damage cannot make this expensive, but malice can: thousands of units that all name the same list of a million
//! ranges are read as they are written. Library files are opened from this machine alone, never from a capture or
//! core, so whoever can plant such a file could as well plant code.

use std::borrow::Cow;
use std::io::{self, Read};
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
    Ok(match data.format {
        CompressionFormat::None => Cow::Borrowed(data.data),
        // A section that cannot be decompressed is as good as none: names come from the symbol table then.
        format => {
            Cow::Owned(decompress(format, data.data, data.uncompressed_size).unwrap_or_default())
        }
    })
}

/// The section's bytes, exactly as many as its header declares. `object` has decoders of its own behind a feature; these
/// are the ones that captures and data files are read with.
fn decompress(format: CompressionFormat, data: &[u8], size: u64) -> io::Result<Vec<u8>> {
    let mut reader: Box<dyn Read + '_> = match format {
        CompressionFormat::Zlib => Box::new(flate2::read::ZlibDecoder::new(data)),
        CompressionFormat::Zstandard => Box::new(zstd::Decoder::new(data)?),
        _ => return Err(io::ErrorKind::Unsupported.into()),
    };
    let mut bytes = Vec::new();
    let read = reader
        .by_ref()
        .take(size.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if read as u64 == size {
        Ok(bytes)
    } else {
        Err(io::ErrorKind::InvalidData.into())
    }
}

/// Whether a section that is said to unpack to `unpacked` bytes may; it is counted then.
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
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_section_compressed_either_way_is_read_only_if_its_size_is_as_declared() {
        let text = b"debug information ".repeat(100);
        let size = text.len() as u64;
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        zlib.write_all(&text).unwrap();
        let zstandard = zstd::encode_all(text.as_slice(), 1).unwrap();
        for (format, packed) in [
            (CompressionFormat::Zlib, zlib.finish().unwrap()),
            (CompressionFormat::Zstandard, zstandard),
        ] {
            assert_eq!(decompress(format, &packed, size).unwrap(), text);
            assert!(decompress(format, &packed, size - 1).is_err());
            assert!(decompress(format, &packed, size + 1).is_err());
            assert!(decompress(format, &packed[..packed.len() / 2], size).is_err());
        }
    }

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
