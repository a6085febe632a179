//! The head of a C++ `Tensor`: its shape in one of three encodings, its type, and its buffer.

use crate::ReadMemory;

use super::super::super::objects::at;
use super::super::elements;

/// Bytes of a `Tensor`.
pub(super) const TENSOR_SIZE: usize = 32;

/// The last bytes of the encoded shape say what it is.
const TYPE: usize = 13;
const RANK: usize = 14;
const ENCODING: usize = 15;
const ELEMENTS: usize = 16;
const BUFFER: usize = 24;

const UNKNOWN_RANK: u8 = 255;

/// A `Tensor`, checked as far as it can be by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tensor {
    /// Number of the element type.
    pub(super) dtype: u8,
    pub(super) dimensions: Vec<u64>,
    pub(super) elements: u64,
    /// Address of the buffer; 0 for none.
    pub(super) buffer: u64,
}

impl Tensor {
    /// The tensor that `bytes` are the head of.
    pub(super) fn read(memory: &dyn ReadMemory, bytes: &[u8]) -> Option<Self> {
        let rank = *bytes.get(RANK)?;
        let claimed = word(bytes, ELEMENTS)?;
        if rank == UNKNOWN_RANK || i64::try_from(claimed).is_err() {
            return None;
        }
        let dimensions = dimensions(memory, bytes, usize::from(rank))?;
        let is_consistent = elements(&dimensions)? == claimed
            && dimensions
                .iter()
                .all(|dimension| i64::try_from(*dimension).is_ok());
        is_consistent.then_some(Self {
            dtype: *bytes.get(TYPE)?,
            dimensions,
            elements: claimed,
            buffer: word(bytes, BUFFER)?,
        })
    }

    /// Whether it is what a `Tensor` is before it gets a value.
    pub(super) fn is_default(&self) -> bool {
        self.dtype == 1 && self.dimensions == [0] && self.buffer == 0
    }
}

/// Whether `bytes` are a shape of which nothing is known, not even the rank.
pub(super) fn is_unknown(bytes: &[u8]) -> bool {
    bytes.get(TYPE..=ENCODING) == Some(&[0, UNKNOWN_RANK, 0])
        && word(bytes, ELEMENTS) == Some(u64::MAX)
}

fn dimensions(memory: &dyn ReadMemory, bytes: &[u8], rank: usize) -> Option<Vec<u64>> {
    match *bytes.get(ENCODING)? {
        0 if rank <= 6 => {
            let extents = bytes.get(..2 * rank)?.as_chunks().0.iter();
            let extents = extents.map(|extent| u64::from(u16::from_le_bytes(*extent)));
            Some(extents.collect())
        }
        1 if rank <= 3 => {
            let extents = bytes.get(..4 * rank)?.as_chunks().0.iter();
            let extents = extents.map(|extent| u64::from(u32::from_le_bytes(*extent)));
            Some(extents.collect())
        }
        2 => out_of_line(memory, word(bytes, 0)?, rank),
        _ => None,
    }
}

/// Dimensions in a vector that has room for four in itself: twice its length, and whether they are elsewhere.
fn out_of_line(memory: &dyn ReadMemory, vector: u64, rank: usize) -> Option<Vec<u64>> {
    if !vector.is_multiple_of(8) {
        return None;
    }
    let head = memory.u64(at(vector, 0).ok()?).ok()?;
    if head >> 1 != rank as u64 {
        return None;
    }
    let inside = at(vector, 8).ok()?;
    let start = match head & 1 {
        0 if rank <= 4 => inside,
        1 => memory.u64(inside).ok()?,
        _ => return None,
    };
    let bytes = memory.bytes(at(start, 0).ok()?, 8 * rank).ok()?;
    let extents = bytes.as_chunks().0.iter();
    Some(extents.map(|extent| u64::from_le_bytes(*extent)).collect())
}

fn word(bytes: &[u8], offset: usize) -> Option<u64> {
    let bytes = bytes.get(offset..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}
