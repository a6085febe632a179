//! What the index of a checkpoint says: the header, and where each tensor is.

use crashlens_core::files::FlawKind;

use crate::wire::{Fields, Value, WireError};

/// The first entry.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) shards: u64,
    pub(super) is_big_endian: bool,
    pub(super) min_consumer: u64,
    pub(super) bad_consumers: Vec<u64>,
}

/// Every other entry: a tensor, or a slice of one.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its name; of a slice, that of the whole tensor.
    pub(super) name: String,
    /// Whether it is a slice of a tensor that was saved in parts.
    pub(super) is_slice: bool,
    pub(super) dtype: u64,
    pub(super) shape: Vec<i64>,
    pub(super) shard: u64,
    pub(super) offset: i64,
    pub(super) size: i64,
    pub(super) crc: u32,
    /// How many slices hold its values; 0 where it holds them itself.
    pub(super) slices: usize,
}

pub(super) fn header(bytes: &[u8]) -> Result<Header, WireError> {
    let mut header = Header::default();
    for field in Fields::of(bytes) {
        let field = field?;
        match (field.number, field.value) {
            (1, Value::Varint(shards)) => header.shards = shards,
            (2, Value::Varint(endianness)) => header.is_big_endian = endianness == 1,
            (3, Value::Bytes(version)) => versions(version, &mut header)?,
            _ => {}
        }
    }
    Ok(header)
}

fn versions(bytes: &[u8], header: &mut Header) -> Result<(), WireError> {
    for field in Fields::of(bytes) {
        let field = field?;
        match (field.number, field.value) {
            (2, Value::Varint(least)) => header.min_consumer = least,
            (3, Value::Varint(bad)) => header.bad_consumers.push(bad),
            (3, Value::Bytes(packed)) => {
                let mut rest = packed;
                while !rest.is_empty() {
                    let (bad, length) = crate::wire::varint(rest)?;
                    header.bad_consumers.push(bad);
                    rest = rest.get(length..).unwrap_or_default();
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// What a key and its value say; the name is known even where the value is broken.
pub(super) fn entry(key: &[u8], bytes: &[u8]) -> Result<Entry, (String, FlawKind, String)> {
    let (name, is_slice) = name(key);
    let mut entry = Entry {
        name,
        is_slice,
        ..Entry::default()
    };
    match fill(&mut entry, bytes) {
        Ok(()) => Ok(entry),
        Err(error) => Err((entry.name, FlawKind::Malformed, error.to_string())),
    }
}

fn fill(entry: &mut Entry, bytes: &[u8]) -> Result<(), WireError> {
    for field in Fields::of(bytes) {
        let field = field?;
        match (field.number, field.value) {
            (1, Value::Varint(dtype)) => entry.dtype = dtype,
            (2, Value::Bytes(shape)) => dimensions(shape, &mut entry.shape)?,
            (3, Value::Varint(shard)) => entry.shard = shard,
            (4, Value::Varint(offset)) => entry.offset = offset as i64,
            (5, Value::Varint(size)) => entry.size = size as i64,
            (6, Value::Fixed32(crc)) => entry.crc = crc,
            (7, Value::Bytes(_)) => entry.slices += 1,
            _ => {}
        }
    }
    Ok(())
}

/// The sizes of a `TensorShapeProto`. Of unknown rank is not a shape that values can have.
fn dimensions(bytes: &[u8], shape: &mut Vec<i64>) -> Result<(), WireError> {
    for field in Fields::of(bytes) {
        let field = field?;
        match (field.number, field.value) {
            (2, Value::Bytes(dimension)) => {
                let mut size = 0;
                for field in Fields::of(dimension) {
                    let field = field?;
                    if let (1, Value::Varint(number)) = (field.number, field.value) {
                        size = number as i64;
                    }
                }
                shape.push(size);
            }
            (3, Value::Varint(1)) => shape.push(-1),
            _ => {}
        }
    }
    Ok(())
}

/// The name in a key. That of a slice is wrapped: a zero byte, the name with `00` and `ff` escaped, `00 01`.
fn name(key: &[u8]) -> (String, bool) {
    let Some(wrapped) = key.strip_prefix(b"\0") else {
        return (String::from_utf8_lossy(key).into_owned(), false);
    };
    let mut name = Vec::new();
    let mut bytes = wrapped.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            0 if bytes.next() == Some(0xff) => name.push(0),
            0 => break,
            0xff => {
                bytes.next();
                name.push(0xff);
            }
            byte => name.push(byte),
        }
    }
    (String::from_utf8_lossy(&name).into_owned(), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_slice_is_that_of_its_tensor() {
        assert_eq!(
            name(b"\0dense/kernel\0\x01\x01\x02"),
            ("dense/kernel".to_owned(), true)
        );
        assert_eq!(name(b"dense/kernel"), ("dense/kernel".to_owned(), false));
    }
}
