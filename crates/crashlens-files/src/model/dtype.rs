//! The types of TensorFlow's tensors (`tensorflow/core/framework/types.proto`).

use crashlens_core::files::FlawKind;

use crate::values::Float;

/// Number of the type of strings.
pub(super) const STRING: u64 = 7;
/// Number of the type of values that only their own code can read.
pub(super) const VARIANT: u64 = 21;

/// Number, name as NumPy has it, bytes of an element (0: of no fixed size).
const TYPES: [(u64, &str, u64); 33] = [
    (1, "float32", 4),
    (2, "float64", 8),
    (3, "int32", 4),
    (4, "uint8", 1),
    (5, "int16", 2),
    (6, "int8", 1),
    (STRING, "string", 0),
    (8, "complex64", 8),
    (9, "int64", 8),
    (10, "bool", 1),
    (11, "qint8", 1),
    (12, "quint8", 1),
    (13, "qint32", 4),
    (14, "bfloat16", 2),
    (15, "qint16", 2),
    (16, "quint16", 2),
    (17, "uint16", 2),
    (18, "complex128", 16),
    (19, "float16", 2),
    (20, "resource", 0),
    (VARIANT, "variant", 0),
    (22, "uint32", 4),
    (23, "uint64", 8),
    (24, "float8_e5m2", 1),
    (25, "float8_e4m3fn", 1),
    (26, "float8_e4m3fnuz", 1),
    (27, "float8_e4m3b11fnuz", 1),
    (28, "float8_e5m2fnuz", 1),
    (29, "int4", 1),
    (30, "uint4", 1),
    (31, "int2", 1),
    (32, "uint2", 1),
    (33, "float4_e2m1fn", 1),
];

/// TensorFlow refuses shapes of more dimensions.
const MOST_DIMENSIONS: usize = 254;

/// Its name; the number where there is none.
pub(super) fn name(dtype: u64) -> String {
    let known = TYPES.iter().find(|(number, ..)| *number == dtype);
    known.map_or_else(
        || format!("type {dtype}"),
        |(_, name, _)| (*name).to_owned(),
    )
}

/// Bytes of an element, where all have the same and the type is known.
pub(super) fn size(dtype: u64) -> Option<u64> {
    let known = TYPES.iter().find(|(number, ..)| *number == dtype)?;
    (known.2 > 0).then_some(known.2)
}

/// Whether there is such a type.
pub(super) fn is_known(dtype: u64) -> bool {
    TYPES.iter().any(|(number, ..)| *number == dtype)
}

/// How many elements a shape has; what is wrong with it where TensorFlow refuses it.
pub(super) fn elements(shape: &[i64]) -> Result<u64, (FlawKind, String)> {
    if shape.len() > MOST_DIMENSIONS {
        let detail = format!("its shape has {} dimensions", shape.len());
        return Err((FlawKind::Malformed, detail));
    }
    let mut product = 1_u64;
    for size in shape {
        let Ok(size) = u64::try_from(*size) else {
            return Err((
                FlawKind::Malformed,
                format!("its shape {shape:?} has a negative size"),
            ));
        };
        let Some(next) = product
            .checked_mul(size)
            .filter(|next| i64::try_from(*next).is_ok())
        else {
            let detail = format!("its shape {shape:?} has more elements than can be counted");
            return Err((FlawKind::Malformed, detail));
        };
        product = next;
    }
    Ok(product)
}

/// How many NaN and infinite values are among little-endian values of a type; 0 where it has none.
pub(super) fn not_finite(dtype: u64, bytes: &[u8]) -> u64 {
    let float = match dtype {
        // Complex numbers are two floats.
        1 | 8 => Float::Single,
        2 | 18 => Float::Double,
        14 => Float::Brain,
        19 => Float::Half,
        _ => return 0,
    };
    float.not_finite(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_and_infinity_are_counted_in_every_kind_of_float() {
        let singles: Vec<u8> = [1.0, f32::NAN, f32::INFINITY, f32::MAX]
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        assert_eq!(not_finite(1, &singles), 2);
        let doubles: Vec<u8> = [f64::NEG_INFINITY, 0.0]
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        assert_eq!(not_finite(2, &doubles), 1);
        assert_eq!(not_finite(14, &[0x80, 0x7f, 0x00, 0x3f]), 1);
        assert_eq!(not_finite(19, &[0x00, 0x7c, 0xff, 0x7b]), 1);
        assert_eq!(not_finite(3, &[0xff; 8]), 0);
    }

    #[test]
    fn shapes_that_cannot_be_counted_are_refused() {
        assert_eq!(elements(&[2, 3]), Ok(6));
        assert_eq!(elements(&[]), Ok(1));
        assert!(elements(&[-1]).is_err());
        assert!(elements(&[i64::MAX, 2]).is_err());
        assert!(elements(&[0; 300]).is_err());
    }
}
