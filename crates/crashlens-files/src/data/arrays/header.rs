//! The header of a NumPy array: magic, version, and a dictionary as Python writes it.

use std::io::{self, Read};

use crashlens_core::files::FlawKind;

use super::dtype::{self, Dtype};
use super::literal::{self, Literal};

const MAGIC: &[u8] = b"\x93NUMPY";
/// `np.load` refuses longer headers.
const LONGEST: usize = 10_000;
/// NumPy 1 has arrays of so many dimensions, NumPy 2 of twice as many.
const MOST_DIMENSIONS: usize = 32;

/// What a header says.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) dtype: Dtype,
    pub(super) shape: Vec<u64>,
    /// Bytes up to the data.
    pub(super) length: u64,
}

/// Why there is no header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoHeader {
    pub(super) kind: FlawKind,
    pub(super) why: String,
}

fn refused<T>(kind: FlawKind, why: impl Into<String>) -> Result<T, NoHeader> {
    let why = why.into();
    Err(NoHeader { kind, why })
}

impl Header {
    /// Bytes of the data; `None` where they cannot be counted.
    pub(super) fn data(&self) -> Option<u64> {
        let count = self
            .shape
            .iter()
            .try_fold(1_u64, |product, dimension| product.checked_mul(*dimension))?;
        count.checked_mul(self.dtype.size?)
    }
}

/// Reads a header from the beginning of an array.
pub(super) fn read(input: &mut impl Read) -> io::Result<Result<Header, NoHeader>> {
    let mut start = Vec::new();
    input.take(8).read_to_end(&mut start)?;
    if !start.starts_with(MAGIC) {
        let why = "it does not begin like a NumPy array";
        return Ok(if MAGIC.starts_with(&start) {
            refused(FlawKind::CutShort, "it ends in its first bytes")
        } else {
            refused(FlawKind::Malformed, why)
        });
    }
    let (lengths, version) = match start.get(6..) {
        Some([1, 0]) => (2, 1),
        Some([version @ (2 | 3), 0]) => (4, *version),
        Some([major, minor]) => {
            let why = format!("its version is {major}.{minor}, and 1.0, 2.0 and 3.0 are known");
            return Ok(refused(FlawKind::Malformed, why));
        }
        _ => return Ok(refused(FlawKind::CutShort, "it ends in its first bytes")),
    };
    let mut length = [0; 4];
    let mut stored = Vec::new();
    input.take(lengths).read_to_end(&mut stored)?;
    if stored.len() < lengths as usize {
        return Ok(refused(FlawKind::CutShort, "it ends in its first bytes"));
    }
    for (place, byte) in length.iter_mut().zip(stored) {
        *place = byte;
    }
    let length = u64::from(u32::from_le_bytes(length));
    let mut text = Vec::new();
    input
        .take(length.min(LONGEST as u64 + 1))
        .read_to_end(&mut text)?;
    if (text.len() as u64) < length.min(LONGEST as u64) {
        let why = format!(
            "its header declares {length} bytes and {} are left",
            text.len()
        );
        return Ok(refused(FlawKind::CutShort, why));
    }
    if text.len() > LONGEST {
        let why = format!("its header has {length} bytes, and np.load takes {LONGEST}");
        return Ok(refused(FlawKind::Unsupported, why));
    }
    Ok(understood(&text, version, 8 + lengths + length))
}

fn understood(text: &[u8], version: u8, length: u64) -> Result<Header, NoHeader> {
    let text = if version == 3 {
        match std::str::from_utf8(text) {
            Ok(text) => text.to_owned(),
            Err(_) => return refused(FlawKind::Malformed, "its header is not UTF-8"),
        }
    } else {
        text.iter().map(|byte| char::from(*byte)).collect()
    };
    let entries = match literal::parse(&text, version < 3) {
        Ok(Literal::Dictionary(entries)) => entries,
        Ok(_) => return refused(FlawKind::Malformed, "its header is no dictionary"),
        Err(at) => {
            let why = format!("its header cannot be read from character {at} on");
            return refused(FlawKind::Malformed, why);
        }
    };
    let (mut descr, mut order, mut shape) = (None, None, None);
    for (key, value) in &entries {
        match key {
            Literal::Text(key) if key == "descr" => descr = Some(value),
            Literal::Text(key) if key == "fortran_order" => order = Some(value),
            Literal::Text(key) if key == "shape" => shape = Some(value),
            _ => return refused(FlawKind::Malformed, "its header has a key of no meaning"),
        }
    }
    let (Some(descr), Some(order), Some(shape)) = (descr, order, shape) else {
        return refused(FlawKind::Malformed, "a key of its header is missing");
    };
    if !matches!(order, Literal::Boolean(_)) {
        return refused(FlawKind::Malformed, "its order is neither True nor False");
    }
    if matches!(descr, Literal::Tuple(_)) {
        let why = "its type is an array itself, which NumPy writes and does not read";
        return refused(FlawKind::Unsupported, why);
    }
    let Some(dtype) = dtype::parse(descr) else {
        return refused(FlawKind::Malformed, "NumPy knows no type of this name");
    };
    Ok(Header {
        dtype,
        shape: dimensions(shape)?,
        length,
    })
}

fn dimensions(shape: &Literal) -> Result<Vec<u64>, NoHeader> {
    let Literal::Tuple(dimensions) = shape else {
        return refused(FlawKind::Malformed, "its shape is no tuple");
    };
    if dimensions.len() > MOST_DIMENSIONS {
        let why = format!("it has {} dimensions", dimensions.len());
        return refused(FlawKind::Unsupported, why);
    }
    let mut shape = Vec::new();
    for dimension in dimensions {
        let Literal::Integer(dimension) = dimension else {
            return refused(
                FlawKind::Malformed,
                "a dimension of its shape is no integer",
            );
        };
        match i64::try_from(*dimension) {
            Ok(dimension) if dimension >= 0 => shape.push(dimension as u64),
            _ => {
                let why = format!("a dimension of its shape is {dimension}");
                return refused(FlawKind::Malformed, why);
            }
        }
    }
    Ok(shape)
}
