//! What elements a data set has, and how many: the data type and the data space.

use super::message::Cursor;

/// Of the elements of a data set or an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ElementType {
    pub(super) class: u8,
    pub(super) size: u32,
    /// As NumPy writes it.
    pub(super) name: String,
    /// A string whose bytes stand elsewhere.
    pub(super) is_far_text: bool,
    pub(super) is_little: bool,
    /// NumPy has no such numbers, so that h5py cannot hand them over.
    pub(super) is_foreign: bool,
}

const FIXED: u8 = 0;
const FLOAT: u8 = 1;
const TIME: u8 = 2;
pub(super) const TEXT: u8 = 3;
pub(super) const FAR: u8 = 9;
/// Classes up to that of complex numbers, which is the newest.
const LAST_CLASS: u8 = 11;

/// Reads a data type message; `None` where it is none.
pub(super) fn element_type(cursor: &mut Cursor<'_>) -> Option<ElementType> {
    let head = cursor.u8()?;
    let (class, version) = (head & 15, head >> 4);
    if class > LAST_CLASS || !(1..=5).contains(&version) {
        return None;
    }
    let bits = [cursor.u8()?, cursor.u8()?, cursor.u8()?];
    let size = cursor.u32()?;
    let is_little = bits[0] & 1 == 0;
    let numbered = |word: &str| format!("{word}{}", u64::from(size) * 8);
    let name = match class {
        FIXED if bits[0] & 8 != 0 => numbered("int"),
        FIXED => numbered("uint"),
        FLOAT => numbered("float"),
        TEXT => "string".to_owned(),
        FAR => "object".to_owned(),
        6 => "compound".to_owned(),
        8 => "enum".to_owned(),
        10 => "array".to_owned(),
        _ => "other".to_owned(),
    };
    let properties = *cursor;
    if size == 0 || matches!(class, FIXED | FLOAT) && !properties_fit(class, size, bits[1], cursor)
    {
        return None;
    }
    Some(ElementType {
        class,
        size,
        name,
        is_far_text: class == FAR && bits[0] & 15 == 1,
        is_little,
        is_foreign: is_foreign(class, size, properties),
    })
}

/// Times, integers of other sizes than those of processors, and floats with more digits than `longdouble`.
fn is_foreign(class: u8, size: u32, mut properties: Cursor<'_>) -> bool {
    match class {
        TIME => true,
        FIXED => !matches!(size, 1 | 2 | 4 | 8),
        FLOAT => {
            let mantissa = properties.skip(7).and_then(|()| properties.u8());
            mantissa.is_some_and(|bits| bits > 64)
        }
        _ => false,
    }
}

/// The bits of a number lie within its bytes.
fn properties_fit(class: u8, size: u32, sign: u8, cursor: &mut Cursor<'_>) -> bool {
    let (Some(offset), Some(precision)) = (cursor.u16(), cursor.u16()) else {
        return false;
    };
    if precision == 0 {
        return false;
    }
    if class == FIXED {
        return u32::from(offset) + u32::from(precision) <= size.saturating_mul(8);
    }
    let parts: Option<Vec<u8>> = (0..4).map(|_| cursor.u8()).collect();
    parts.is_some_and(|parts| match parts.as_slice() {
        [exponent_at, exponent, mantissa_at, mantissa] => {
            let fits = |at: u8, length: u8| {
                length > 0 && u16::from(at) + u16::from(length) <= offset.saturating_add(precision)
            };
            let span = |at: u8, length: u8| u16::from(at)..u16::from(at) + u16::from(length);
            let (exponent_bits, mantissa_bits) =
                (span(*exponent_at, *exponent), span(*mantissa_at, *mantissa));
            let sign = u16::from(sign);
            fits(*exponent_at, *exponent)
                && fits(*mantissa_at, *mantissa)
                && !exponent_bits.contains(&sign)
                && !mantissa_bits.contains(&sign)
                && (exponent_bits.end <= mantissa_bits.start
                    || mantissa_bits.end <= exponent_bits.start)
        }
        _ => false,
    })
}

/// Reads a data space message: the dimensions; `None` where it is none. A space without elements is one dimension of 0.
pub(super) fn shape(cursor: &mut Cursor<'_>) -> Option<Vec<u64>> {
    let version = cursor.u8()?;
    let rank = cursor.u8()?;
    let flags = cursor.u8()?;
    let kind = match version {
        1 => {
            cursor.skip(5)?;
            u8::from(rank > 0)
        }
        2 => cursor.u8()?,
        _ => return None,
    };
    // The library's own limit.
    if rank > 32 || kind > 2 || version == 2 && (kind == 1) != (rank > 0) {
        return None;
    }
    let shape: Option<Vec<u64>> = (0..rank).map(|_| cursor.u64()).collect();
    let shape = shape?;
    if flags & 1 != 0 {
        for size in &shape {
            let most = cursor.u64()?;
            if most != u64::MAX && most < *size {
                return None;
            }
        }
    }
    Some(if kind == 2 { vec![0] } else { shape })
}
