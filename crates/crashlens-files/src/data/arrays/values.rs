//! The values of an array: how many are not finite, and from where to where the others go.

use crashlens_core::files::Range;

use super::dtype::{Number, NumberKind};

/// What was seen of values that come in pieces.
#[derive(Debug)]
pub(super) struct Values {
    number: Number,
    /// Bytes of a value that the last piece began.
    rest: Vec<u8>,
    least: f64,
    greatest: f64,
    pub(super) not_finite: u64,
}

impl Values {
    pub(super) fn of(number: Number) -> Self {
        Self {
            number,
            rest: Vec::new(),
            least: f64::INFINITY,
            greatest: f64::NEG_INFINITY,
            not_finite: 0,
        }
    }

    pub(super) fn add(&mut self, piece: &[u8]) {
        let size = self.size();
        let mut piece = piece;
        if !self.rest.is_empty() {
            let missing = (size - self.rest.len()).min(piece.len());
            let (head, tail) = piece.split_at(missing);
            self.rest.extend_from_slice(head);
            piece = tail;
            if self.rest.len() < size {
                return;
            }
            let whole = std::mem::take(&mut self.rest);
            self.scan(&whole);
        }
        let (whole, rest) = piece.split_at(piece.len() - piece.len() % size);
        self.scan(whole);
        self.rest.extend_from_slice(rest);
    }

    pub(super) fn range(&self) -> Option<Range> {
        (self.least <= self.greatest).then_some(Range {
            least: self.least,
            greatest: self.greatest,
        })
    }

    /// Bytes of one number; a complex one is two.
    fn size(&self) -> usize {
        let bytes = usize::from(self.number.bytes).max(1);
        match self.number.kind {
            NumberKind::Complex => bytes / 2,
            _ => bytes,
        }
    }

    fn scan(&mut self, bytes: &[u8]) {
        let big = self.number.big_endian;
        let signed = self.number.kind == NumberKind::Signed;
        match (self.number.kind, self.size()) {
            (NumberKind::Float | NumberKind::Complex, 2) => {
                self.each::<2>(bytes, |bits| half(u16::from_le_bytes(bits)), big);
            }
            (NumberKind::Float | NumberKind::Complex, 4) => {
                self.each::<4>(bytes, |bits| f32::from_le_bytes(bits).into(), big);
            }
            (NumberKind::Float | NumberKind::Complex, 8) => {
                self.each::<8>(bytes, f64::from_le_bytes, big);
            }
            (_, 1) if signed => self.each::<1>(bytes, |b| i8::from_le_bytes(b).into(), big),
            (_, 2) if signed => self.each::<2>(bytes, |b| i16::from_le_bytes(b).into(), big),
            (_, 4) if signed => self.each::<4>(bytes, |b| i32::from_le_bytes(b).into(), big),
            (_, 8) if signed => self.each::<8>(bytes, |b| i64::from_le_bytes(b) as f64, big),
            (_, 1) => self.each::<1>(bytes, |b| b[0].into(), big),
            (_, 2) => self.each::<2>(bytes, |b| u16::from_le_bytes(b).into(), big),
            (_, 4) => self.each::<4>(bytes, |b| u32::from_le_bytes(b).into(), big),
            (_, 8) => self.each::<8>(bytes, |b| u64::from_le_bytes(b) as f64, big),
            _ => {}
        }
    }

    fn each<const N: usize>(&mut self, bytes: &[u8], value: impl Fn([u8; N]) -> f64, big: bool) {
        for chunk in bytes.as_chunks::<N>().0 {
            let mut bits = *chunk;
            if big {
                bits.reverse();
            }
            let value = value(bits);
            if value.is_finite() {
                self.least = self.least.min(value);
                self.greatest = self.greatest.max(value);
            } else {
                self.not_finite += 1;
            }
        }
    }
}

/// A number of 16 bits: sign, five bits of exponent, ten of fraction.
fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    let exponent = i32::from(bits >> 10 & 0x1f);
    let size = match exponent {
        0 => fraction * 2_f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2_f64.powi(exponent - 15),
    };
    if bits >> 15 == 1 { -size } else { size }
}
