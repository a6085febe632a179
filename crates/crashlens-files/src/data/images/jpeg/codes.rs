//! Huffman codes, bit by bit.

use std::io::{self, Read, Seek};

use super::bytes::{Bytes, Marker};
use super::tables::Huffman;

/// Codes of so many bits are looked up at once.
const QUICK: u32 = 9;

/// A table made for reading.
pub(super) struct Codes {
    /// Value and length of the code that these bits begin with; a length of 0 where it is longer.
    quick: Vec<(u8, u8)>,
    /// For each length the first code beyond those of that length, left-aligned in 16 bits.
    beyond: [u32; 17],
    /// What to add to a code of a length to get the place of its value.
    offset: [i32; 17],
    values: Vec<u8>,
}

impl Codes {
    /// Of a table without complaint.
    pub(super) fn new(table: &Huffman) -> Self {
        let mut codes = Self {
            quick: vec![(0, 0); 1 << QUICK],
            beyond: [0; 17],
            offset: [0; 17],
            values: table.values.clone(),
        };
        let (mut code, mut place) = (0u32, 0u32);
        for (bits, &count) in (1u32..).zip(&table.counts) {
            if let Some(offset) = codes.offset.get_mut(bits as usize) {
                *offset = place as i32 - code as i32;
            }
            for _ in 0..count {
                codes.remember(code, bits, place);
                code += 1;
                place += 1;
            }
            if let Some(beyond) = codes.beyond.get_mut(bits as usize) {
                *beyond = code << (16 - bits);
            }
            code <<= 1;
        }
        codes
    }

    fn remember(&mut self, code: u32, bits: u32, place: u32) {
        let value = self.values.get(place as usize).copied().unwrap_or_default();
        if bits <= QUICK {
            let first = (code << (QUICK - bits)) as usize;
            let last = first + (1 << (QUICK - bits));
            if let Some(range) = self.quick.get_mut(first..last) {
                range.fill((value, bits as u8));
            }
        }
    }
}

/// Bits of a scan; behind the marker that ends it there are only zeros.
#[derive(Default)]
pub(super) struct Bits {
    held: u64,
    count: u32,
    /// The marker that was met.
    pub(super) marker: Option<Marker>,
    /// More bits were asked for than there are.
    pub(super) starved: bool,
}

impl Bits {
    /// Makes at least 48 bits ready.
    #[inline]
    fn fill<R: Read + Seek>(&mut self, bytes: &mut Bytes<R>) -> io::Result<()> {
        while self.count <= 56 && self.marker.is_none() {
            let byte = bytes.byte()?;
            if byte == 0xFF {
                let code = bytes.code()?;
                if code != 0 {
                    let at = bytes.position() - 2;
                    self.marker = Some(Marker { code, at });
                    return Ok(());
                }
            }
            self.held |= u64::from(byte) << (56 - self.count);
            self.count += 8;
        }
        Ok(())
    }

    #[inline]
    fn drop(&mut self, bits: u32) {
        self.starved |= bits > self.count;
        self.held = self.held.checked_shl(bits).unwrap_or_default();
        self.count = self.count.saturating_sub(bits);
    }

    /// So many bits, at most 16, as a number.
    #[inline]
    pub(super) fn take<R: Read + Seek>(
        &mut self,
        bytes: &mut Bytes<R>,
        bits: u32,
    ) -> io::Result<u32> {
        if self.count < bits {
            self.fill(bytes)?;
        }
        let number = self.held.checked_shr(64 - bits).unwrap_or_default() as u32;
        self.drop(bits);
        Ok(number)
    }

    /// The value of the next code; `None` where there is no such code.
    #[inline]
    pub(super) fn value<R: Read + Seek>(
        &mut self,
        bytes: &mut Bytes<R>,
        codes: &Codes,
    ) -> io::Result<Option<u8>> {
        if self.count < 16 {
            self.fill(bytes)?;
        }
        let place = (self.held >> (64 - QUICK)) as usize;
        if let Some(&(value, bits @ 1..)) = codes.quick.get(place) {
            self.drop(u32::from(bits));
            return Ok(Some(value));
        }
        let ahead = (self.held >> 48) as u32;
        for bits in QUICK + 1..=16 {
            let beyond = codes.beyond.get(bits as usize).copied().unwrap_or_default();
            if ahead < beyond {
                self.drop(bits);
                let offset = codes.offset.get(bits as usize).copied().unwrap_or_default();
                let place = (ahead >> (16 - bits)) as i32 + offset;
                return Ok(codes.values.get(place as usize).copied());
            }
        }
        self.drop(16);
        Ok(None)
    }

    /// Whole bytes that were read and not used.
    pub(super) fn unused(&self) -> u32 {
        self.count / 8
    }
}
