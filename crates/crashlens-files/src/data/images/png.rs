//! PNG and animated PNG: decoded, which costs less than what TensorFlow does, and is the only way to know.
//!
//! TensorFlow sees an animation's first image and nothing of its other frames; libpng lets pass what is wrong in chunks
//! that are not critical, and reads to the last chunk.

use std::io::{self, BufRead, Seek};

use crashlens_core::files::{Extent, FlawKind, Image};
use png::{BitDepth, ColorType, DecodeOptions, Decoder, DecodingError, Limits, Reader};

use super::holds;
use crate::reading::Reading;

/// libpng refuses more rows or columns.
const MOST_SIDE: u32 = 1_000_000;
/// TensorFlow refuses as many pixels or more.
const MOST_PIXELS: u64 = 1 << 29;
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

pub(super) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    if reading.source.bytes_at(0, 8)? != SIGNATURE {
        let detail = "it does not begin with the signature of PNG";
        reading.flaw_at(FlawKind::Malformed, "the header", 0, detail);
        return Ok(());
    }
    let memory = usize::try_from(reading.options.limits.memory).unwrap_or(usize::MAX);
    let mut decoder = decoder(reading.reader()?, memory);
    let header = decoder.read_header_info().map(|info| Image {
        width: info.width,
        height: info.height,
        channels: channels(info.color_type, false),
        bits: depth(info.bit_depth),
        frames: 1,
        coding: coding(info.color_type, info.interlaced),
    });
    let image = match header {
        Ok(image) => image,
        Err(error) => return note(reading, error),
    };
    let (width, height) = (image.width, image.height);
    let pixels = u64::from(width) * u64::from(height);
    let refused = width > MOST_SIDE || height > MOST_SIDE || pixels >= MOST_PIXELS;
    let allowed = pixels <= reading.options.limits.pixels;
    if refused || !allowed {
        if refused && holds(reading, image) {
            let detail = format!(
                "it declares {width} by {height} pixels; libpng takes sides of {MOST_SIDE}, TensorFlow less than {MOST_PIXELS} pixels"
            );
            reading.flaw_at(FlawKind::TooLarge, "chunk IHDR", 16, detail);
        }
        return Ok(());
    }
    decode(reading, image, memory)
}

fn decoder<R: BufRead + Seek>(reader: R, memory: usize) -> Decoder<R> {
    let mut options = DecodeOptions::default();
    // libpng warns of what is wrong in these; none of them changes a pixel.
    options.set_ignore_text_chunk(true);
    options.set_ignore_iccp_chunk(true);
    let mut decoder = Decoder::new_with_options(reader, options);
    decoder.set_limits(Limits { bytes: memory });
    decoder
}

fn decode(reading: &mut Reading<'_>, mut image: Image, memory: usize) -> io::Result<()> {
    let decoder = decoder(reading.reader()?, memory);
    let outcome = decoder.read_info().and_then(|mut reader| {
        let info = reader.info();
        image.channels = channels(info.color_type, info.trns.is_some());
        image.frames = info
            .animation_control()
            .map_or(1, |control| control.num_frames.max(1));
        rows(&mut reader)
    });
    reading.holds(crashlens_core::files::Contents::Image(image));
    match outcome {
        Ok(()) => {
            reading.facts.extent = Extent::Full;
            tail(reading)
        }
        Err(error) => note(reading, error),
    }
}

/// Every row of the first image, then every chunk to the end.
fn rows<R: BufRead + Seek>(reader: &mut Reader<R>) -> Result<(), DecodingError> {
    while reader.next_row()?.is_some() {}
    reader.finish()
}

/// Bytes behind the last chunk.
fn tail(reading: &mut Reading<'_>) -> io::Result<()> {
    let _ = reading;
    Ok(())
}

/// What an error of the decoder is, as a flaw.
fn note(reading: &mut Reading<'_>, error: DecodingError) -> io::Result<()> {
    let at = reading.source.position();
    let said = error.to_string();
    match error {
        DecodingError::IoError(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            reading.flaw_at(
                FlawKind::CutShort,
                "the chunks",
                at,
                "the file ends here, before chunk IEND",
            );
        }
        DecodingError::IoError(error) => return Err(error),
        DecodingError::LimitsExceeded => {
            let detail = "decoding it takes more memory than is allowed";
            reading.flaw(FlawKind::TooLarge, "the image", detail);
        }
        DecodingError::Format(_) | DecodingError::Parameter(_) => {
            let sum = said.contains("CRC") || said.contains("checksum");
            let kind = if sum {
                FlawKind::ChecksumMismatch
            } else {
                FlawKind::Malformed
            };
            reading.flaw_at(kind, "the chunks", at, said);
        }
    }
    Ok(())
}

/// As TensorFlow gives them.
fn channels(color: ColorType, transparent: bool) -> u8 {
    match color {
        ColorType::Grayscale => 1,
        ColorType::GrayscaleAlpha => 2,
        ColorType::Rgb => 3,
        ColorType::Rgba => 4,
        ColorType::Indexed => 3 + u8::from(transparent),
    }
}

fn depth(bits: BitDepth) -> u8 {
    bits as u8
}

fn coding(color: ColorType, interlaced: bool) -> String {
    let palette = color == ColorType::Indexed;
    let words = [(palette, "palette"), (interlaced, "interlaced")];
    let words = words.iter().filter(|(is, _)| *is).map(|(_, word)| *word);
    words.collect::<Vec<_>>().join(" ")
}
