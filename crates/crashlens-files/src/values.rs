//! Numbers as files store them: how many bytes, and which are NaN or infinite.

/// A form of floating-point numbers, little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Float {
    Half,
    Brain,
    Single,
    Double,
}

impl Float {
    /// By the name NumPy gives it.
    pub(crate) fn named(dtype: &str) -> Option<Self> {
        match dtype {
            "float16" => Some(Self::Half),
            "bfloat16" => Some(Self::Brain),
            "float32" => Some(Self::Single),
            "float64" => Some(Self::Double),
            _ => None,
        }
    }

    /// How many of the numbers are NaN or infinite: those whose exponent is all ones. Bytes after the last whole one are left out.
    pub(crate) fn not_finite(self, bytes: &[u8]) -> u64 {
        match self {
            Self::Half => count(bytes, |it| u16::from_le_bytes(it) & 0x7c00 == 0x7c00),
            Self::Brain => count(bytes, |it| u16::from_le_bytes(it) & 0x7f80 == 0x7f80),
            Self::Single => count(bytes, |it| !f32::from_le_bytes(it).is_finite()),
            Self::Double => count(bytes, |it| !f64::from_le_bytes(it).is_finite()),
        }
    }
}

fn count<const N: usize>(bytes: &[u8], is_odd: impl Fn([u8; N]) -> bool) -> u64 {
    let (numbers, _) = bytes.as_chunks::<N>();
    // Narrow counts within a short run let the compiler use vectors.
    let runs = numbers.chunks(1 << 12).map(|run| {
        let odd: u32 = run.iter().map(|number| u32::from(is_odd(*number))).sum();
        u64::from(odd)
    });
    runs.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_and_infinity_are_counted_and_large_numbers_are_not() {
        let singles: Vec<u8> = [1.0, f32::NAN, f32::MAX, f32::NEG_INFINITY]
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        assert_eq!(Float::Single.not_finite(&singles), 2);
        assert_eq!(Float::Double.not_finite(&f64::INFINITY.to_le_bytes()), 1);
        assert_eq!(Float::Half.not_finite(&[0x00, 0x7c, 0xff, 0x7b]), 1);
        assert_eq!(Float::Brain.not_finite(&[0x80, 0x7f, 0x7f, 0x7f]), 1);
    }
}
