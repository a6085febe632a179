//! Numbers: integers of any size, floats as Python writes them.

use std::fmt::Write as _;

use crate::Unreadable;

use super::super::objects::at;
use super::super::offsets::IntegerFormat;
use super::{Object, SIZE, ValueReader, flags};

/// Digits of thirty bits. Longer integers are told by their size alone.
const MOST_DIGITS: u64 = 128;
const BITS_OF_DIGIT: u32 = 30;

/// An integer as its digits of thirty bits, the lowest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Integer {
    negative: bool,
    digits: Vec<u32>,
}

impl Integer {
    pub(super) fn small(number: i64) -> Self {
        let mut rest = number.unsigned_abs();
        let mut digits = Vec::new();
        while rest != 0 {
            digits.push((rest & ((1 << BITS_OF_DIGIT) - 1)) as u32);
            rest >>= BITS_OF_DIGIT;
        }
        Self {
            negative: number < 0,
            digits,
        }
    }

    fn to_i64(&self) -> Option<i64> {
        let mut number = 0_i128;
        for digit in self.digits.iter().rev() {
            number = number.checked_mul(1 << BITS_OF_DIGIT)? + i128::from(*digit);
        }
        i64::try_from(if self.negative { -number } else { number }).ok()
    }

    pub(super) fn decimal(&self) -> String {
        const PART: u64 = 1_000_000_000;
        let mut digits = self.digits.clone();
        let mut parts = Vec::new();
        while digits.iter().any(|digit| *digit != 0) {
            let mut rest = 0;
            for digit in digits.iter_mut().rev() {
                let number = (rest << BITS_OF_DIGIT) | u64::from(*digit);
                *digit = (number / PART) as u32;
                rest = number % PART;
            }
            parts.push(rest);
        }
        let Some(first) = parts.pop() else {
            return "0".to_owned();
        };
        let sign = if self.negative { "-" } else { "" };
        let mut text = format!("{sign}{first}");
        for part in parts.iter().rev() {
            let _ = write!(text, "{part:09}");
        }
        text
    }
}

impl ValueReader<'_> {
    /// The integer at `address`, if it is one and fits.
    pub(crate) fn integer(&self, address: u64) -> Option<i64> {
        let object = self.object(address).ok()?;
        self.integer_of(&object).ok()?.to_i64()
    }

    /// The number that `object` is; an error also where it is too long.
    pub(super) fn integer_of(&self, object: &Object) -> Result<Integer, Unreadable> {
        let wrong = Unreadable {
            address: object.address,
        };
        let tag = self.pointer(object.address, SIZE)?;
        if self.layout.version.0 == 2 && object.is(flags::SMALL_INT) {
            return Ok(Integer::small(tag.cast_signed()));
        }
        if !object.is(flags::INT) {
            return Err(wrong);
        }
        let (negative, count) = match self.layout.integer {
            IntegerFormat::SignedSize => (tag.cast_signed() < 0, tag.cast_signed().unsigned_abs()),
            IntegerFormat::Tag => match tag & 3 {
                1 => (false, 0),
                sign @ (0 | 2) => (sign == 2, tag >> 3),
                _ => return Err(wrong),
            },
        };
        if count > MOST_DIGITS {
            return Err(wrong);
        }
        let start = at(object.address, 24)?;
        let bytes = self.memory().bytes(start, count as usize * 4)?;
        let digits: Vec<u32> = (bytes.as_chunks().0.iter())
            .map(|digit| u32::from_le_bytes(*digit))
            .collect();
        if digits.iter().any(|digit| digit >> BITS_OF_DIGIT != 0) {
            return Err(wrong);
        }
        Ok(Integer { negative, digits })
    }

    pub(super) fn float_at(&self, address: u64, offset: u64) -> Result<f64, Unreadable> {
        self.pointer(address, offset).map(f64::from_bits)
    }
}

/// A float as `repr` writes it.
pub(super) fn float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    // Both write the fewest digits that give the number back; they differ in where they put the point.
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = format!("{number}");
        return if plain.contains('.') {
            plain
        } else {
            format!("{plain}.0")
        };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

/// A complex number as `repr` writes it.
pub(super) fn complex(real: f64, imaginary: f64) -> String {
    let part = |number: f64| {
        let text = float(number);
        text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
    };
    if real == 0.0 && real.is_sign_positive() {
        return format!("{}j", part(imaginary));
    }
    let imaginary = part(imaginary);
    let sign = if imaginary.starts_with('-') { "" } else { "+" };
    format!("({}{sign}{imaginary}j)", part(real))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_as_python_writes_them() {
        let cases = [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (1e16, "1e+16"),
            (123_456_789_012_345.6, "123456789012345.6"),
            (1e-4, "0.0001"),
            (1.5e-5, "1.5e-05"),
            (1e300, "1e+300"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "nan"),
        ];
        for (number, expected) in cases {
            assert_eq!(float(number), expected);
        }
        assert_eq!(complex(0.0, 1.0), "1j");
        assert_eq!(complex(1.5, -2.0), "(1.5-2j)");
    }

    #[test]
    fn integers_of_any_size_are_written_whole() {
        assert_eq!(Integer::small(i64::MIN).decimal(), i64::MIN.to_string());
        assert_eq!(Integer::small(0).decimal(), "0");
        let two_to_ninety = Integer {
            negative: false,
            digits: vec![0, 0, 0, 1],
        };
        assert_eq!(two_to_ninety.decimal(), (1_u128 << 90).to_string());
        assert_eq!(two_to_ninety.to_i64(), None);
        assert_eq!(Integer::small(-5).to_i64(), Some(-5));
    }
}
