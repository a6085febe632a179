//! Text in whatever form it was saved: Windows' shells write UTF-16 when they redirect.
//!
//! Not the `encoding_rs_io` crate: it brings tables for encodings that logs of a crash do not have.

use std::io::{self, BufRead, Read};

/// How much of a text is looked at to tell its form.
const OPENING: usize = 4096;
/// Control characters that text has; others are a sign of something else.
const USUAL_CONTROLS: [u8; 8] = [b'\n', b'\r', b'\t', 0x08, 0x0b, 0x0c, 0x1b, 0x07];

/// Which end of a two-byte unit comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    LowFirst,
    HighFirst,
}

/// Whether the beginning of a file may be that of a text: not empty, and almost without control characters.
pub(super) fn looks_like_text(opening: &[u8]) -> bool {
    let opening = opening.get(..OPENING).unwrap_or(opening);
    if order(opening).is_some() {
        return true;
    }
    let is_strange = |byte: &&u8| **byte < 0x20 && !USUAL_CONTROLS.contains(byte);
    let strange = opening.iter().filter(is_strange).count();
    let undecodable = String::from_utf8_lossy(opening)
        .chars()
        .filter(|letter| *letter == char::REPLACEMENT_CHARACTER)
        .count();
    !opening.trim_ascii().is_empty()
        && strange * 100 <= opening.len()
        && undecodable * 10 <= opening.len()
}

/// The order of UTF-16, by its mark, or because every other byte of what is mostly ASCII is null.
pub(super) fn order(opening: &[u8]) -> Option<Order> {
    match opening {
        [0xff, 0xfe, ..] => return Some(Order::LowFirst),
        [0xfe, 0xff, ..] => return Some(Order::HighFirst),
        _ => {}
    }
    let nulls = |phase: usize| {
        opening
            .iter()
            .skip(phase)
            .step_by(2)
            .filter(|byte| **byte == 0)
            .count()
    };
    let half = opening.len() / 2;
    let is_most = |count: usize| half >= 4 && count * 10 >= half * 7;
    match (nulls(0), nulls(1)) {
        (0, odd) if is_most(odd) => Some(Order::LowFirst),
        (even, 0) if is_most(even) => Some(Order::HighFirst),
        _ => None,
    }
}

/// Turns UTF-16 into UTF-8 piece by piece.
#[derive(Debug)]
pub(super) struct Decoder<R> {
    input: R,
    order: Order,
    /// Bytes of a letter whose rest has not come yet.
    rest: Vec<u8>,
    decoded: io::Cursor<Vec<u8>>,
}

impl<R: BufRead> Decoder<R> {
    pub(super) fn new(input: R, order: Order) -> Self {
        Self {
            input,
            order,
            rest: Vec::new(),
            decoded: io::Cursor::default(),
        }
    }

    /// Decodes the next piece; false at the end.
    fn decode(&mut self) -> io::Result<bool> {
        let buffer = self.input.fill_buf()?;
        let length = buffer.len();
        self.rest.extend_from_slice(buffer);
        self.input.consume(length);
        let pairs = self.rest.chunks_exact(2);
        let unit = |pair: &[u8]| match (self.order, pair) {
            (Order::LowFirst, [low, high]) | (Order::HighFirst, [high, low]) => {
                u16::from_be_bytes([*high, *low])
            }
            _ => 0,
        };
        let mut units: Vec<u16> = pairs.map(unit).collect();
        // Half of a pair that makes one letter waits for the other, unless nothing more comes.
        let is_half = length > 0
            && units
                .last()
                .is_some_and(|unit| (0xd800..0xdc00).contains(unit));
        if is_half {
            units.pop();
        }
        self.rest.drain(..units.len() * 2);
        let text =
            char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER));
        let text: String = text.filter(|letter| *letter != '\u{feff}').collect();
        self.decoded = io::Cursor::new(text.into_bytes());
        Ok(length > 0)
    }
}

impl<R: BufRead> Read for Decoder<R> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        loop {
            let length = self.decoded.read(target)?;
            if length > 0 || target.is_empty() {
                return Ok(length);
            }
            if !self.decode()? {
                return self.decoded.read(target);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_is_decoded_in_both_orders_however_it_is_cut() {
        let text = "Killed \u{1f4a5} 已杀死\n";
        for order in [Order::LowFirst, Order::HighFirst] {
            let bytes: Vec<u8> = text
                .encode_utf16()
                .flat_map(|unit| match order {
                    Order::LowFirst => unit.to_le_bytes(),
                    Order::HighFirst => unit.to_be_bytes(),
                })
                .collect();
            for size in 1..8 {
                let input = io::BufReader::with_capacity(size, bytes.as_slice());
                let mut decoded = String::new();
                Decoder::new(input, order)
                    .read_to_string(&mut decoded)
                    .unwrap();
                assert_eq!(decoded, text);
            }
        }
    }

    #[test]
    fn text_is_told_from_other_bytes() {
        let windows: Vec<u8> = "Aborted"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        for text in [
            "Killed\n".as_bytes(),
            "\u{1b}[31m已杀死".as_bytes(),
            &windows,
            b"\xff\xfeK\0",
        ] {
            assert!(looks_like_text(text), "{text:?}");
        }
        let noise: Vec<u8> = (0..=255).cycle().take(2000).collect();
        for other in [
            b"".as_slice(),
            b" \n",
            b"\0\0\0\0",
            b"PK\x03\x04\x14\0\0\0\x08\0",
            &noise,
        ] {
            assert!(!looks_like_text(other), "{other:?}");
        }
    }
}
