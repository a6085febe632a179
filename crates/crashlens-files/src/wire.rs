//! The wire form of protocol buffers, over bytes that are in memory: numbers, tags, and the fields of one message.
//!
//! Knows no schema and copies nothing. It does not go into sub-messages: how deep to go is for the caller, who makes
//! [`Fields`] of the bytes of a field. What a parser of protocol buffers refuses is refused here too.
//!
//! Not the `prost` crate: it needs a schema and copies what it reads.

use thiserror::Error;

/// A number of 64 bits has at most so many bytes.
pub(crate) const LONGEST_VARINT: usize = 10;
/// A tag has at most so many.
pub(crate) const LONGEST_TAG: usize = 5;
/// Groups within groups; protobuf's own limit of recursion.
const DEEPEST_GROUP: usize = 100;

/// Why bytes are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum WireError {
    /// Ends within a number or a fixed value.
    #[error("it ends within a field")]
    CutShort,
    /// A number goes on for too long.
    #[error("a number has more than {LONGEST_VARINT} bytes")]
    LongVarint,
    /// A length beyond the end of the message.
    #[error("a field declares {declared} bytes and {left} are left")]
    BeyondEnd { declared: u64, left: u64 },
    /// Number 0, or a tag of more than 32 bits.
    #[error("there is no field of the number that stands there")]
    BadField,
    /// Wire type 6 or 7.
    #[error("there is no wire type {0}")]
    BadType(u8),
    /// An end without a beginning, no end, or too deep.
    #[error("its groups do not match")]
    BadGroup,
}

/// What kind of value follows a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WireType {
    Varint,
    Fixed64,
    Bytes,
    StartGroup,
    EndGroup,
    Fixed32,
}

/// What stands before a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) number: u32,
    pub(crate) kind: WireType,
}

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Varint(u64),
    Fixed64(u64),
    /// A string, bytes, a sub-message, or a packed list.
    Bytes(&'a [u8]),
    /// Its fields, without the tag of its end.
    Group(&'a [u8]),
    Fixed32(u32),
}

/// One field of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field<'a> {
    pub(crate) number: u32,
    pub(crate) value: Value<'a>,
    /// Byte of the message where its tag begins.
    pub(crate) at: usize,
    /// It declares more bytes than are left.
    pub(crate) is_clipped: bool,
}

impl<'a> Field<'a> {
    /// Its bytes, where it is a string, bytes, a sub-message or a packed list.
    pub(crate) fn bytes(&self) -> Option<&'a [u8]> {
        match self.value {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Its number, where it is a varint.
    pub(crate) fn varint(&self) -> Option<u64> {
        match self.value {
            Value::Varint(number) => Some(number),
            _ => None,
        }
    }
}

/// The number at the beginning of `bytes`, and how many bytes it has.
pub(crate) fn varint(bytes: &[u8]) -> Result<(u64, usize), WireError> {
    let mut number = 0_u64;
    for (place, byte) in bytes.iter().take(LONGEST_VARINT).enumerate() {
        // The tenth byte gives one bit; protobuf drops what is above it.
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Ok((number, place + 1));
        }
    }
    Err(if bytes.len() < LONGEST_VARINT {
        WireError::CutShort
    } else {
        WireError::LongVarint
    })
}

/// The tag at the beginning of `bytes`, and how many bytes it has.
pub(crate) fn tag(bytes: &[u8]) -> Result<(Tag, usize), WireError> {
    let (number, length) = varint(bytes)?;
    if length > LONGEST_TAG {
        return Err(WireError::BadField);
    }
    let kind = match number & 7 {
        0 => WireType::Varint,
        1 => WireType::Fixed64,
        2 => WireType::Bytes,
        3 => WireType::StartGroup,
        4 => WireType::EndGroup,
        5 => WireType::Fixed32,
        other => return Err(WireError::BadType(other as u8)),
    };
    match u32::try_from(number >> 3) {
        Ok(number) if number != 0 && number < 1 << 29 => Ok((Tag { number, kind }, length)),
        _ => Err(WireError::BadField),
    }
}

/// The fields of one message, in their order; ends after the first error.
#[derive(Debug, Clone)]
pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
    failed: bool,
    /// Whether a length beyond the end is taken for the end.
    clips: bool,
    is_clipped: bool,
}

impl<'a> Fields<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            failed: false,
            clips: false,
            is_clipped: false,
        }
    }

    /// The same, where a field whose length goes beyond the end has what is left.
    pub(crate) fn clipped(bytes: &'a [u8]) -> Self {
        Self {
            clips: true,
            ..Self::of(bytes)
        }
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], WireError> {
        let rest = self.rest();
        let mut taken = usize::try_from(length).ok().and_then(|n| rest.get(..n));
        self.is_clipped = taken.is_none() && self.clips;
        if self.is_clipped {
            taken = Some(rest);
        }
        let taken = taken.ok_or(WireError::BeyondEnd {
            declared: length,
            left: rest.len() as u64,
        })?;
        self.at += taken.len();
        Ok(taken)
    }

    fn varint(&mut self) -> Result<u64, WireError> {
        let (number, length) = varint(self.rest())?;
        self.at += length;
        Ok(number)
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let bytes = self.rest().first_chunk().ok_or(WireError::CutShort)?;
        self.at += N;
        Ok(*bytes)
    }

    fn tag(&mut self) -> Result<Tag, WireError> {
        let (tag, length) = tag(self.rest())?;
        self.at += length;
        Ok(tag)
    }

    /// Everything of a group, up to the tag of its end.
    fn group(&mut self, number: u32) -> Result<&'a [u8], WireError> {
        let start = self.at;
        let mut open = vec![number];
        loop {
            let end = self.at;
            let tag = self.tag()?;
            match tag.kind {
                WireType::StartGroup if open.len() < DEEPEST_GROUP => open.push(tag.number),
                WireType::EndGroup if open.pop() == Some(tag.number) => {
                    if open.is_empty() {
                        return Ok(self.bytes.get(start..end).unwrap_or_default());
                    }
                }
                WireType::StartGroup | WireType::EndGroup => return Err(WireError::BadGroup),
                _ => {
                    self.value(tag)?;
                }
            }
        }
    }

    fn value(&mut self, tag: Tag) -> Result<Value<'a>, WireError> {
        Ok(match tag.kind {
            WireType::Varint => Value::Varint(self.varint()?),
            WireType::Fixed64 => Value::Fixed64(u64::from_le_bytes(self.fixed()?)),
            WireType::Bytes => {
                let length = self.varint()?;
                Value::Bytes(self.take(length)?)
            }
            WireType::StartGroup => Value::Group(self.group(tag.number)?),
            WireType::EndGroup => return Err(WireError::BadGroup),
            WireType::Fixed32 => Value::Fixed32(u32::from_le_bytes(self.fixed()?)),
        })
    }

    fn field(&mut self) -> Result<Field<'a>, WireError> {
        let at = self.at;
        self.is_clipped = false;
        let tag = self.tag()?;
        let value = self.value(tag)?;
        Ok(Field {
            number: tag.number,
            value,
            at,
            is_clipped: self.is_clipped,
        })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.rest().is_empty() {
            return None;
        }
        let field = self.field();
        self.failed = field.is_err();
        Some(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(bytes: &[u8]) -> Result<Vec<(u32, Value<'_>)>, WireError> {
        let fields = Fields::of(bytes);
        fields
            .map(|field| field.map(|field| (field.number, field.value)))
            .collect()
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let bytes = b"\x08\x96\x01\x12\x02hi\x1d\x01\0\0\0\x21\x02\0\0\0\0\0\0\0\x2b\x08\x01\x2c";
        let expected = vec![
            (1, Value::Varint(150)),
            (2, Value::Bytes(b"hi")),
            (3, Value::Fixed32(1)),
            (4, Value::Fixed64(2)),
            (5, Value::Group(b"\x08\x01")),
        ];
        assert_eq!(fields(bytes), Ok(expected));
    }

    #[test]
    fn a_length_beyond_the_end_is_told_with_its_numbers() {
        let declared = WireError::BeyondEnd {
            declared: 5,
            left: 2,
        };
        assert_eq!(fields(b"\x12\x05hi"), Err(declared));
        let most = fields(b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
        assert!(matches!(most, Err(WireError::BeyondEnd { .. })));
    }

    #[test]
    fn what_protobuf_refuses_is_refused() {
        assert_eq!(fields(b"\0\0"), Err(WireError::BadField));
        assert_eq!(fields(b"\x0f\0"), Err(WireError::BadType(7)));
        assert_eq!(fields(b"\x08\x80"), Err(WireError::CutShort));
        assert_eq!(fields(&[0x08; 1]), Err(WireError::CutShort));
        assert_eq!(fields(&[0xff; 12]), Err(WireError::LongVarint));
        assert_eq!(fields(b"\x1d\x01\0"), Err(WireError::CutShort));
        assert_eq!(fields(b"\x0c"), Err(WireError::BadGroup));
        assert_eq!(fields(b"\x0b\x14"), Err(WireError::BadGroup));
        assert_eq!(fields(&[0x0b; 200]), Err(WireError::BadGroup));
    }

    #[test]
    fn nothing_comes_after_an_error() {
        let mut fields = Fields::of(b"\x0f\x08\x01");
        assert!(fields.next().is_some_and(|field| field.is_err()));
        assert!(fields.next().is_none());
    }
}
