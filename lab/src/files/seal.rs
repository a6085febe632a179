//! Makes the checksum right that covers an edited byte: damage that a checksum cannot show.

use super::sums::{crc32, masked_crc32c};

/// Formats whose checksums are known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seal {
    Png,
    TfRecord,
    Zip,
    /// The index of a checkpoint.
    Index,
}

impl Seal {
    /// That of a member of a base file; none where the format has no checksum of this kind.
    pub fn of(format: &str, member: &str) -> Option<Self> {
        match format {
            "png" => Some(Self::Png),
            "tfrecord" => Some(Self::TfRecord),
            "npz" | "keras" => Some(Self::Zip),
            "checkpoint" | "saved-model" if member.ends_with("index") => Some(Self::Index),
            _ => None,
        }
    }

    /// `edited` with the right sum for the part of `original` that covers the byte `at`.
    pub fn apply(self, original: &[u8], edited: &mut [u8], at: usize) -> Option<()> {
        match self {
            Self::Png => png(original, edited, at),
            Self::TfRecord => records(original, edited, at),
            Self::Zip => zip(original, edited, at),
            Self::Index => index(original, edited, at),
        }
    }
}

fn put(bytes: &mut [u8], at: usize, value: [u8; 4]) -> Option<()> {
    bytes.get_mut(at..at + 4)?.copy_from_slice(&value);
    Some(())
}

pub fn u32_be(bytes: &[u8], at: usize) -> Option<usize> {
    let word = bytes.get(at..at.checked_add(4)?)?;
    usize::try_from(u32::from_be_bytes(word.try_into().ok()?)).ok()
}

pub fn u32_le(bytes: &[u8], at: usize) -> Option<usize> {
    let word = bytes.get(at..at.checked_add(4)?)?;
    usize::try_from(u32::from_le_bytes(word.try_into().ok()?)).ok()
}

pub fn u16_le(bytes: &[u8], at: usize) -> Option<usize> {
    let word = bytes.get(at..at.checked_add(2)?)?;
    Some(usize::from(u16::from_le_bytes(word.try_into().ok()?)))
}

/// Begin and length of the content of each chunk.
pub fn png_chunks(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut chunks = Vec::new();
    let mut at = 8;
    while let Some(length) = u32_be(bytes, at) {
        chunks.push((at + 8, length));
        at += 12 + length;
    }
    chunks
}

fn png(original: &[u8], edited: &mut [u8], at: usize) -> Option<()> {
    let chunks = png_chunks(original);
    let mut chunks = chunks.iter();
    let (begin, length) = chunks.find(|(begin, length)| at < begin + length + 4)?;
    let sum = crc32(&[edited.get(begin - 4..begin + length)?]);
    put(edited, begin + length, sum.to_be_bytes())
}

/// Begin and whole length of each record of a TFRecord file.
pub fn record_places(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut records = Vec::new();
    let mut at = 0;
    while let Some(length) = u32_le(bytes, at) {
        records.push((at, length + 16));
        at += length + 16;
    }
    records
}

fn records(original: &[u8], edited: &mut [u8], at: usize) -> Option<()> {
    let places = record_places(original);
    let (begin, length) = places
        .iter()
        .find(|(begin, length)| at < begin + length)
        .copied()?;
    let head = masked_crc32c(&[edited.get(begin..begin + 8)?]);
    put(edited, begin + 8, head.to_le_bytes())?;
    let end = begin + length - 4;
    let sum = masked_crc32c(&[edited.get(begin + 12..end)?]);
    put(edited, end, sum.to_le_bytes())
}

/// A member of a zip: where its entry in the directory, its own header and its content begin, and how long that is.
pub struct ZipMember {
    entry: usize,
    header: usize,
    pub content: usize,
    pub length: usize,
    /// Stored as it is, not packed.
    pub stored: bool,
}

/// The members, by the directory at the end.
pub fn zip_members(bytes: &[u8]) -> Option<Vec<ZipMember>> {
    let end = bytes
        .windows(4)
        .rposition(|window| window == b"PK\x05\x06")?;
    let mut entry = u32_le(bytes, end + 16)?;
    let mut members = Vec::new();
    for _ in 0..u16_le(bytes, end + 10)? {
        let header = u32_le(bytes, entry + 42)?;
        let content = header + 30 + u16_le(bytes, header + 26)? + u16_le(bytes, header + 28)?;
        members.push(ZipMember {
            entry,
            header,
            content,
            length: u32_le(bytes, entry + 20)?,
            stored: u16_le(bytes, entry + 10)? == 0,
        });
        let names = u16_le(bytes, entry + 28)? + u16_le(bytes, entry + 30)?;
        entry += 46 + names + u16_le(bytes, entry + 32)?;
    }
    Some(members)
}

fn zip(original: &[u8], edited: &mut [u8], at: usize) -> Option<()> {
    let members = zip_members(original)?;
    let covers =
        |member: &&ZipMember| (member.content..member.content + member.length).contains(&at);
    let member = members.iter().filter(|member| member.stored).find(covers)?;
    let sum = crc32(&[edited.get(member.content..member.content + member.length)?]);
    put(edited, member.entry + 16, sum.to_le_bytes())?;
    put(edited, member.header + 14, sum.to_le_bytes())
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut value = 0_usize;
    for shift in (0..63).step_by(7) {
        let byte = usize::from(*bytes.get(*at)?);
        *at += 1;
        value |= (byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Begin and length of the blocks of a checkpoint's index: the two that the footer names, and the data blocks.
pub fn index_blocks(bytes: &[u8]) -> Option<Vec<(usize, usize)>> {
    let mut at = bytes.len().checked_sub(48)?;
    let meta = (varint(bytes, &mut at)?, varint(bytes, &mut at)?);
    let root = (varint(bytes, &mut at)?, varint(bytes, &mut at)?);
    let mut blocks = vec![meta, root];
    let end = root.0 + root.1;
    let restarts = u32_le(bytes, end.checked_sub(4)?)?;
    let mut at = root.0;
    while at < end.checked_sub(4 + 4 * restarts)? {
        let _shared = varint(bytes, &mut at)?;
        at += {
            let unshared = varint(bytes, &mut at)?;
            let _value_length = varint(bytes, &mut at)?;
            unshared
        };
        blocks.push((varint(bytes, &mut at)?, varint(bytes, &mut at)?));
    }
    Some(blocks)
}

fn index(original: &[u8], edited: &mut [u8], at: usize) -> Option<()> {
    let blocks = index_blocks(original)?;
    let (begin, length) = blocks
        .into_iter()
        .find(|(begin, length)| (*begin..=begin + length).contains(&at))?;
    let sum = masked_crc32c(&[edited.get(begin..=begin + length)?]);
    put(edited, begin + length + 1, sum.to_le_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unchanged_file_has_its_own_seal() {
        for (format, name, member) in [
            ("png", "rgb.png", ""),
            ("tfrecord", "examples.tfrecord", ""),
            ("npz", "stored.npz", ""),
            ("checkpoint", "object-2.21.0/ck.index", "ck.index"),
        ] {
            let folder = crate::workspace::root().join(super::super::base::FOLDER);
            let original = fs_err::read(folder.join(format).join(name)).unwrap();
            let seal = Seal::of(format, member).unwrap();
            for at in [20, 60, 100] {
                let mut same = original.clone();
                seal.apply(&original, &mut same, at);
                assert!(same == original, "{format} has other sums than its own");
                let mut edited = original.clone();
                edited[at] ^= 1;
                let before = edited.clone();
                if seal.apply(&original, &mut edited, at).is_some() {
                    assert!(edited != before, "the sum of {format} at {at} stays");
                }
            }
        }
    }
}
