//! The values of tensors in the data files of a checkpoint: their checksums, and NaN and infinity on the way.

use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom};

use super::entry::Entry;
use crate::model::{crc, dtype};
use crate::source::Source;
use crate::wire::LONGEST_VARINT;

/// So many bytes are read at a time: what fits in a core's own cache is still there when the values are looked at.
pub(super) const CHUNK: usize = 256 * 1024;

/// What reading a tensor came to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// The checksum of what is there, masked.
    pub(super) crc: u32,
    /// NaN and infinite values.
    pub(super) not_finite: u64,
    /// What is wrong before a checksum can be taken.
    pub(super) fault: Option<String>,
    /// What lengths with a right checksum come to, where that is more than is stored.
    pub(super) wild: Option<u64>,
    /// The strings one after the other, where they were asked for.
    pub(super) strings: Vec<u8>,
}

impl Outcome {
    /// It could not be read to its end.
    pub(super) fn is_broken(&self) -> bool {
        self.fault.is_some() || self.wild.is_some()
    }
}

/// Reads the values of numbers, which lie there as in memory.
pub(super) fn numbers(
    source: &mut Source,
    entry: &Entry,
    is_big_endian: bool,
    buffer: &mut [u8],
) -> io::Result<Outcome> {
    source.seek(SeekFrom::Start(entry.offset as u64))?;
    let mut left = entry.size as u64;
    let mut crc = 0;
    let mut not_finite = 0;
    while left > 0 {
        let most = usize::try_from(left)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        let chunk = &mut buffer[..most];
        source.read_exact(chunk)?;
        crc = crc32c::crc32c_append(crc, chunk);
        // The chunks are whole values: their size is a power of two, and no smaller than any value's.
        if !is_big_endian {
            not_finite += dtype::not_finite(entry.dtype, chunk);
        }
        left -= most as u64;
    }
    Ok(Outcome {
        crc: crc::mask(crc),
        not_finite,
        ..Outcome::default()
    })
}

/// Reads strings: their lengths, a checksum of those, then all of them.
pub(super) fn strings(
    source: &mut Source,
    entry: &Entry,
    elements: u64,
    is_big_endian: bool,
    keep: u64,
) -> io::Result<Outcome> {
    if entry.size == 0 {
        // TensorFlow takes them as empty, with a checksum of 0.
        return Ok(Outcome {
            crc: crc::mask(0),
            ..Outcome::default()
        });
    }
    // How long all of it is said to be holds for the lengths alone; the strings are read by those.
    let end = source.size();
    let mut reader = window(source, entry, end)?;
    let mut crc = 0;
    let mut total = 0_u64;
    let mut used = 0;
    for _ in 0..elements {
        let Some((length, bytes)) = varint(&mut reader)? else {
            return Ok(faulty("its lengths do not end"));
        };
        crc = extend_by_length(crc, length, is_big_endian);
        total = total.saturating_add(length);
        used += bytes;
    }
    if used > entry.size as u64 {
        return Ok(faulty("its lengths go on beyond its end"));
    }
    let mut stored = [0; 4];
    if reader.read_exact(&mut stored).is_err() {
        return Ok(faulty("the checksum of its lengths is not there"));
    }
    if number_of(stored, is_big_endian) != crc::mask(crc) {
        return Ok(faulty("the checksum of its lengths is wrong"));
    }
    crc = crc32c::crc32c_append(crc, &stored);
    let mut kept = Vec::new();
    let (crc, read) = rest(
        &mut reader,
        crc,
        total,
        (total <= keep).then_some(&mut kept),
    )?;
    if read < total {
        return Ok(Outcome {
            wild: Some(total),
            ..Outcome::default()
        });
    }
    Ok(Outcome {
        crc: crc::mask(crc),
        strings: kept,
        ..Outcome::default()
    })
}

/// Reads variants: of each its length, its bytes, and a checksum of everything so far.
pub(super) fn variants(source: &mut Source, entry: &Entry, elements: u64) -> io::Result<Outcome> {
    let end = (entry.offset as u64).saturating_add(entry.size as u64);
    let mut reader = window(source, entry, end)?;
    let mut crc = 0;
    for number in 0..if entry.size == 0 { 0 } else { elements } {
        let Some((length, _)) = varint(&mut reader)? else {
            return Ok(faulty("a length does not end"));
        };
        crc = crc32c::crc32c_append(crc, &length.to_le_bytes());
        let read;
        (crc, read) = rest(&mut reader, crc, length, None)?;
        let mut stored = [0; 4];
        if read < length || reader.read_exact(&mut stored).is_err() {
            return Ok(faulty(&format!("element {number} reaches beyond its end")));
        }
        if u32::from_le_bytes(stored) != crc::mask(crc) {
            return Ok(faulty(&format!(
                "the checksum after element {number} is wrong"
            )));
        }
        crc = crc32c::crc32c_append(crc, &stored);
    }
    Ok(Outcome {
        crc: crc::mask(crc),
        ..Outcome::default()
    })
}

fn number_of(stored: [u8; 4], is_big_endian: bool) -> u32 {
    if is_big_endian {
        u32::from_be_bytes(stored)
    } else {
        u32::from_le_bytes(stored)
    }
}

fn faulty(detail: &str) -> Outcome {
    Outcome {
        fault: Some(detail.to_owned()),
        ..Outcome::default()
    }
}

/// The bytes of one tensor, up to a place.
fn window<'a>(
    source: &'a mut Source,
    entry: &Entry,
    end: u64,
) -> io::Result<impl BufRead + use<'a>> {
    let start = entry.offset as u64;
    source.seek(SeekFrom::Start(start))?;
    let bytes = source.take(end.saturating_sub(start));
    Ok(BufReader::with_capacity(CHUNK, bytes))
}

/// Takes `length` bytes into a checksum; how many there were.
fn rest(
    reader: &mut impl BufRead,
    crc: u32,
    length: u64,
    mut keep: Option<&mut Vec<u8>>,
) -> io::Result<(u32, u64)> {
    let mut crc = crc;
    let mut read = 0;
    while read < length {
        let chunk = reader.fill_buf()?;
        let most = usize::try_from(length - read).unwrap_or(usize::MAX);
        let chunk = chunk.get(..most).unwrap_or(chunk);
        if chunk.is_empty() {
            break;
        }
        crc = crc32c::crc32c_append(crc, chunk);
        if let Some(kept) = keep.as_mut() {
            kept.extend_from_slice(chunk);
        }
        let taken = chunk.len();
        reader.consume(taken);
        read += taken as u64;
    }
    Ok((crc, read))
}

/// Lengths are covered as the fixed numbers they were in memory, not as they are stored.
fn extend_by_length(crc: u32, length: u64, is_big_endian: bool) -> u32 {
    match (u32::try_from(length), is_big_endian) {
        (Ok(length), false) => crc32c::crc32c_append(crc, &length.to_le_bytes()),
        (Ok(length), true) => crc32c::crc32c_append(crc, &length.to_be_bytes()),
        (Err(_), false) => crc32c::crc32c_append(crc, &length.to_le_bytes()),
        (Err(_), true) => crc32c::crc32c_append(crc, &length.to_be_bytes()),
    }
}

/// A number and how many bytes it has; `None` where it does not end.
fn varint(reader: &mut impl BufRead) -> io::Result<Option<(u64, u64)>> {
    let mut number = 0_u64;
    for place in 0..LONGEST_VARINT {
        let Some(byte) = reader.fill_buf()?.first().copied() else {
            return Ok(None);
        };
        reader.consume(1);
        number |= u64::from(byte & 0x7f)
            .checked_shl(7 * place as u32)
            .unwrap_or(0);
        if byte & 0x80 == 0 {
            return Ok(Some((number, place as u64 + 1)));
        }
    }
    Ok(None)
}
