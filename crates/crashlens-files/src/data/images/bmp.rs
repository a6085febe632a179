//! BMP: TensorFlow reads five fields of the header, and asks that the size of the file be exactly what they say.
//!
//! Not the `image` crate: TensorFlow has rules of its own, such as the exact size of the file.

use std::io;

use crashlens_core::files::{FlawKind, Image, Part};

use super::holds;
use crate::reading::Reading;

/// Bytes that TensorFlow asks for before it looks at any field.
const LEAST: usize = 32;
/// TensorFlow refuses as many pixels or more.
const MOST_PIXELS: u64 = (i32::MAX / 8) as u64;

pub(super) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    let head = reading.source.bytes_at(0, 54)?;
    if !head.starts_with(b"BM") {
        let detail = "it does not begin with BM";
        reading.flaw_at(FlawKind::Malformed, Part::Header, 0, detail);
        return Ok(());
    }
    let Some(header) = Header::of(&head).filter(|_| head.len() >= LEAST) else {
        let detail = format!("it ends after {} bytes, inside its header", head.len());
        reading.flaw_at(FlawKind::CutShort, Part::Header, head.len() as u64, detail);
        return Ok(());
    };
    let (width, height) = (header.width, header.height);
    holds(
        reading,
        Image {
            width: width.max(0) as u32,
            height: height.unsigned_abs(),
            channels: (header.bits / 8).clamp(0, 4) as u8,
            bits: 8,
            frames: 1,
            coding: if header.bits == 8 { "palette" } else { "" }.to_owned(),
        },
    );
    match header.complaint() {
        Some((kind, at, detail)) => reading.flaw_at(kind, Part::Header, at, detail),
        None => return pixels(reading, &header),
    }
    Ok(())
}

/// The fields that TensorFlow reads; and two that it does not, to say more.
struct Header {
    pixels_at: i32,
    /// Bytes of the second header; the palette follows it.
    information: u64,
    width: i32,
    height: i32,
    bits: i16,
    compression: u32,
}

impl Header {
    fn of(head: &[u8]) -> Option<Self> {
        let word = |at: usize| {
            let bytes = head.get(at..at + 4)?;
            Some(i32::from_le_bytes(bytes.try_into().ok()?))
        };
        Some(Self {
            pixels_at: word(10)?,
            information: u64::from(word(14)? as u32),
            width: word(18)?,
            height: word(22)?,
            bits: i16::from_le_bytes(head.get(28..30)?.try_into().ok()?),
            compression: word(30).unwrap_or_default() as u32,
        })
    }

    /// What TensorFlow says no to, by the header alone, with the byte of the field.
    fn complaint(&self) -> Option<(FlawKind, u64, String)> {
        let pixels = u64::from(self.width.unsigned_abs())
            .saturating_mul(u64::from(self.height.unsigned_abs()));
        if !matches!(self.bits / 8, 1 | 3 | 4) {
            let detail = format!(
                "a pixel has {} bits; TensorFlow takes 8, 24 and 32",
                self.bits
            );
            Some((FlawKind::Unsupported, 28, detail))
        } else if self.width <= 0 {
            let detail = format!("its width is {}", self.width);
            Some((FlawKind::Malformed, 18, detail))
        } else if self.height == 0 {
            Some((FlawKind::Malformed, 22, "its height is 0".to_owned()))
        } else if self.pixels_at < 0 {
            let detail = format!("its pixels begin at byte {}", self.pixels_at);
            Some((FlawKind::Malformed, 10, detail))
        } else if pixels >= MOST_PIXELS {
            let detail =
                format!("it declares {pixels} pixels; TensorFlow takes less than {MOST_PIXELS}");
            Some((FlawKind::TooLarge, 18, detail))
        } else {
            None
        }
    }

    /// Bytes of a row, padded to four as TensorFlow counts them.
    fn row(&self) -> i64 {
        (i64::from(self.bits / 8) * i64::from(self.width) + 3) / 4 * 4
    }
}

/// The pixels must end where the file does.
fn pixels(reading: &mut Reading<'_>, header: &Header) -> io::Result<()> {
    let begin = i64::from(header.pixels_at);
    let bytes = header.row() * i64::from(header.height.unsigned_abs());
    let size = i64::try_from(reading.source.size()).unwrap_or(i64::MAX);
    let expects = format!(
        "its pixels need {bytes} bytes from byte {begin} on, and the file has {size} bytes"
    );
    if begin + bytes == size {
        return palette(reading, header);
    }
    if matches!(header.compression, 1 | 2 | 4 | 5) {
        let detail = format!(
            "its pixels are compressed (method {}), which TensorFlow does not undo: {expects}",
            header.compression
        );
        reading.flaw_at(FlawKind::Unsupported, Part::Header, 30, detail);
    } else if begin + bytes > size {
        reading.flaw_at(FlawKind::CutShort, Part::Pixels, size as u64, expects);
    } else {
        // Unlike with other formats, TensorFlow refuses a tail.
        let end = (begin + bytes) as u64;
        reading.flaw_at(FlawKind::TrailingBytes, Part::Pixels, end, expects);
    }
    Ok(())
}

/// A pixel of 8 bits names a colour of the palette; TensorFlow gives the name as if it were the colour.
fn palette(reading: &mut Reading<'_>, header: &Header) -> io::Result<()> {
    let at = header.information.saturating_add(14);
    let length = u64::try_from(header.pixels_at).unwrap_or_default();
    let length = length.saturating_sub(at).min(1024);
    if header.bits != 8 || length < 4 {
        return Ok(());
    }
    let colours = reading.source.bytes_at(at, length as usize)?;
    let grey = colours.as_chunks::<4>().0.iter().zip(0u8..=255);
    if grey
        .into_iter()
        .any(|(&[blue, green, red, _], level)| [blue, green, red].iter().any(|part| *part != level))
    {
        let detail =
            "its pixels are numbers of palette colours; TensorFlow gives the numbers as grey";
        reading.flaw_at(FlawKind::Blemish, Part::Palette, at, detail);
    }
    Ok(())
}
