//! The filters that a chunk went through before it was stored, undone from the last to the first.

use std::io::Read as _;

use crashlens_core::files::FlawKind;

use super::checksum::fletcher32;
use super::lzf;
use super::message::{Cursor, Message};

const DEFLATE: u16 = 1;
const SHUFFLE: u16 = 2;
const FLETCHER32: u16 = 3;
/// Up to scale-offset the library has them itself.
const LAST_OWN: u16 = 6;
/// h5py brings it along.
const LZF: u16 = 32000;
/// Bytes that filters before the packing one may have added: checksums, of which there are few.
const SLACK: u64 = 128;

/// A filter of a data set.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    id: u16,
    name: String,
    /// The first of its settings; of shuffle, the bytes of an element.
    first: Option<u32>,
}

/// What is wrong with a chunk.
pub(super) type Flawed = (FlawKind, String);

/// The filters that a message lists, first applied first; `None` where it is damaged.
pub(super) fn filters(message: &Message) -> Option<Vec<Filter>> {
    let mut cursor = Cursor::of(&message.body);
    let (version, count) = (cursor.u8()?, cursor.u8()?);
    if !(1..=2).contains(&version) || count > 32 {
        return None;
    }
    if version == 1 {
        cursor.skip(6)?;
    }
    (0..count).map(|_| filter(&mut cursor, version)).collect()
}

fn filter(cursor: &mut Cursor<'_>, version: u8) -> Option<Filter> {
    let id = cursor.u16()?;
    let is_named = version == 1 || id >= 256;
    let length = if is_named {
        usize::from(cursor.u16()?)
    } else {
        0
    };
    cursor.skip(2)?;
    let count = usize::from(cursor.u16()?);
    let padded = if version == 1 {
        length.next_multiple_of(8)
    } else {
        length
    };
    let name = cursor.take(padded)?;
    let end = memchr::memchr(0, name).unwrap_or(name.len());
    let odd = if version == 1 { count % 2 } else { 0 };
    let mut values = Cursor::of(cursor.take(4 * (count + odd))?);
    Some(Filter {
        id,
        name: String::from_utf8_lossy(name.get(..end).unwrap_or_default()).into_owned(),
        first: values.u32().filter(|_| count > 0),
    })
}

/// Those that were applied to a chunk, last first; a bit of its mask says which were left out.
fn applied(filters: &[Filter], mask: u32) -> impl Iterator<Item = &Filter> {
    let numbered = filters.iter().enumerate().rev();
    numbered
        .filter(move |(number, _)| mask >> number & 1 == 0)
        .map(|(_, filter)| filter)
}

/// A filter of a chunk that h5py does not have, as a sentence.
pub(super) fn missing(filters: &[Filter], mask: u32) -> Option<String> {
    let is_missing = |it: &&Filter| !(1..=LAST_OWN).contains(&it.id) && it.id != LZF;
    let filter = applied(filters, mask).find(is_missing)?;
    let name = match filter.name.trim() {
        "" => String::new(),
        name => format!(" ({})", name.chars().take(40).collect::<String>()),
    };
    Some(format!(
        "its values went through filter {}{name}, which h5py does not have without a plugin",
        filter.id
    ))
}

/// Whether a chunk has something to be held against without unpacking it.
pub(super) fn is_summed(filters: &[Filter], mask: u32) -> bool {
    applied(filters, mask)
        .next()
        .is_some_and(|it| it.id == FLETCHER32)
}

/// The values of a chunk, whose bytes should be `length`; `None` where that is not to be known: without `full` only its
/// outer checksum is looked at, and not every filter can be undone here.
pub(super) fn undo(
    filters: &[Filter],
    mask: u32,
    stored: Vec<u8>,
    length: u64,
    full: bool,
) -> Result<Option<Vec<u8>>, Flawed> {
    let mut bytes = stored;
    for filter in applied(filters, mask) {
        match filter.id {
            FLETCHER32 => without_sum(&mut bytes)?,
            _ if !full => return Ok(None),
            SHUFFLE => bytes = unshuffled(bytes, filter.first),
            DEFLATE => bytes = inflated(&bytes, length)?,
            LZF => match lzf::unpacked(&bytes, length) {
                Ok(values) if values.len() as u64 == length => bytes = values,
                // The reader takes what there is, and the rest as it finds it.
                Ok(_) => return Ok(None),
                Err(detail) => return Err((FlawKind::Malformed, detail.to_owned())),
            },
            _ => return Ok(None),
        }
    }
    if bytes.len() as u64 == length {
        return Ok(Some(bytes));
    }
    let detail = format!("a chunk unpacks to {} of {length} bytes", bytes.len());
    Err((FlawKind::Malformed, detail))
}

fn without_sum(bytes: &mut Vec<u8>) -> Result<(), Flawed> {
    let Some((body, sum)) = bytes.split_last_chunk::<4>() else {
        let detail = "a chunk is too short for its checksum";
        return Err((FlawKind::Malformed, detail.to_owned()));
    };
    let (stored, found) = (u32::from_le_bytes(*sum), fletcher32(body));
    // An old library wrote the halves with their bytes swapped; readers take both.
    let swapped = (found & 0x00ff_00ff) << 8 | (found >> 8 & 0x00ff_00ff);
    if stored != found && stored != swapped {
        let detail = format!("a chunk has the checksum {stored:08x}, and it is {found:08x}");
        return Err((FlawKind::ChecksumMismatch, detail));
    }
    bytes.truncate(bytes.len() - 4);
    Ok(())
}

fn inflated(packed: &[u8], length: u64) -> Result<Vec<u8>, Flawed> {
    let mut values = Vec::new();
    let most = length.saturating_add(SLACK);
    let mut inflate = flate2::read::ZlibDecoder::new(packed).take(most);
    if inflate.read_to_end(&mut values).is_ok() {
        return Ok(values);
    }
    let detail = format!("a chunk unpacks to {} of {length} bytes", values.len());
    Err((FlawKind::Malformed, detail))
}

/// First bytes of all elements stand first, then the second ones; bytes that are no whole element stay where they are.
fn unshuffled(bytes: Vec<u8>, width: Option<u32>) -> Vec<u8> {
    let width = width.map_or(0, |it| it as usize);
    let count = bytes.len().checked_div(width).unwrap_or(0);
    if width < 2 || count < 2 {
        return bytes;
    }
    let mut values = bytes.clone();
    for (place, plane) in bytes.chunks_exact(count).take(width).enumerate() {
        let places = values.iter_mut().skip(place).step_by(width);
        places.zip(plane).for_each(|(to, from)| *to = *from);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(id: u16) -> Filter {
        Filter {
            id,
            name: "own".to_owned(),
            first: None,
        }
    }

    #[test]
    fn bytes_go_back_to_their_elements() {
        assert_eq!(unshuffled(b"acebdf!".to_vec(), Some(2)), b"abcdef!");
        assert_eq!(unshuffled(b"abc".to_vec(), Some(0)), b"abc");
        assert_eq!(unshuffled(b"abc".to_vec(), Some(u32::MAX)), b"abc");
    }

    #[test]
    fn a_filter_that_was_left_out_is_not_missed() {
        let filters = [filter(SHUFFLE), filter(32001)];
        assert!(missing(&filters, 0).is_some_and(|it| it.contains("32001 (own)")));
        assert_eq!(missing(&filters, 2), None);
        assert_eq!(missing(&[filter(LZF), filter(4)], 0), None);
    }
}
