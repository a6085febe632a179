//! WAV sound, read as `tf.audio.decode_wav` does: 16 bits of plain PCM, and chunks without the padding that RIFF has.
//!
//! Not the `hound` crate: `decode_wav` refuses much that is valid WAV.

#[cfg(test)]
mod tests;

use std::io;

use crashlens_core::files::{Contents, Extent, FlawKind, NamedPart, Part, Sound};

use crate::reading::Reading;

/// Chunks that `decode_wav` skips before the format.
const SKIPPED: [&[u8]; 8] = [
    b"JUNK", b"bext", b"iXML", b"qlty", b"mext", b"levl", b"link", b"axml",
];
/// Chunks that are looked at.
const MOST_CHUNKS: usize = 10_000;
/// `decode_wav` counts bytes in 31 bits.
const LARGEST: u64 = i32::MAX as u64;

/// Why a sound cannot be read: the kind, the part, its byte, what was seen.
struct Refused(FlawKind, NamedPart, u64, String);

/// Why reading ended.
enum Stop {
    Refused(Refused),
    Failed(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

fn refused<T>(
    kind: FlawKind,
    part: impl Into<NamedPart>,
    at: u64,
    detail: impl Into<String>,
) -> Result<T, Stop> {
    Err(Stop::Refused(Refused(kind, part.into(), at, detail.into())))
}

pub(crate) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    // The samples are plain numbers: there is nothing more to decode.
    reading.facts.extent = Extent::Full;
    match walk(reading) {
        Ok(()) => Ok(()),
        Err(Stop::Refused(Refused(kind, part, at, detail))) => {
            reading.flaw_at(kind, part, at, detail);
            Ok(())
        }
        Err(Stop::Failed(error)) => Err(error),
    }
}

fn walk(reading: &mut Reading<'_>) -> Result<(), Stop> {
    if bytes::<4>(reading, 0)? != *b"RIFF" {
        return refused(FlawKind::Malformed, Part::Header, 0, "it is no RIFF");
    }
    let declared = u64::from(u32::from_le_bytes(bytes(reading, 4)?));
    if bytes::<4>(reading, 8)? != *b"WAVE" {
        return refused(FlawKind::Malformed, Part::Header, 8, "it is no WAVE");
    }
    let (mut sound, at) = format(reading)?;
    let frame = u64::from(sound.channels) * 2;
    let samples = chunks(reading, at, frame)?;
    sound.samples = samples;
    reading.holds(Contents::Sound(sound));
    if samples == 0 {
        reading.flaw(FlawKind::Empty, Part::Samples, "there are none");
    }
    let size = reading.source.size();
    if declared.saturating_add(8) != size {
        let detail = format!(
            "it is {declared}, and {} bytes follow it",
            size.saturating_sub(8)
        );
        reading.flaw_at(FlawKind::Contradiction, Part::RiffSize, 4, detail);
    }
    Ok(())
}

/// What the format chunk says, and the byte behind it.
fn format(reading: &mut Reading<'_>) -> Result<(Sound, u64), Stop> {
    let mut at = 12;
    for _ in 0..MOST_CHUNKS {
        let id = bytes::<4>(reading, at)?;
        let size = u32::from_le_bytes(bytes(reading, at + 4)?);
        if id == *b"fmt " {
            return Ok((format_at(reading, at + 8, size)?, at + 8 + u64::from(size)));
        }
        if !SKIPPED.contains(&id.as_slice()) {
            let detail = "it stands before the format, where `decode_wav` does not take it";
            return refused(FlawKind::Unsupported, chunk(id), at, detail);
        }
        at += 8 + u64::from(size);
    }
    refused(FlawKind::Malformed, Part::Format, at, "there is none")
}

fn format_at(reading: &mut Reading<'_>, at: u64, size: u32) -> Result<Sound, Stop> {
    let part = Part::Format;
    if !matches!(size, 16 | 18) {
        let detail = format!("its chunk has {size} bytes, and `decode_wav` takes 16 or 18");
        return refused(FlawKind::Unsupported, part, at, detail);
    }
    let code = u16::from_le_bytes(bytes(reading, at)?);
    if code != 1 {
        let detail = format!("it is of code {code}, and `decode_wav` takes 1 (PCM)");
        return refused(FlawKind::Unsupported, part, at, detail);
    }
    let channels = u16::from_le_bytes(bytes(reading, at + 2)?);
    if channels == 0 {
        return refused(FlawKind::Malformed, part, at + 2, "it has no channels");
    }
    let rate = u32::from_le_bytes(bytes(reading, at + 4)?);
    let each_second = u32::from_le_bytes(bytes(reading, at + 8)?);
    let frame = u16::from_le_bytes(bytes(reading, at + 12)?);
    let bits = u16::from_le_bytes(bytes(reading, at + 14)?);
    if bits != 16 {
        let detail = format!("its samples have {bits} bits, and `decode_wav` takes 16");
        return refused(FlawKind::Unsupported, part, at + 14, detail);
    }
    if u32::from(frame) != u32::from(channels) * 2 {
        let detail = format!("{channels} channels of 16 bits make no frame of {frame} bytes");
        return refused(FlawKind::Contradiction, part, at + 12, detail);
    }
    if u64::from(each_second) != u64::from(rate) * u64::from(frame) {
        let detail = format!("{rate} frames of {frame} bytes are not {each_second} bytes a second");
        return refused(FlawKind::Contradiction, part, at + 8, detail);
    }
    Ok(Sound {
        rate,
        channels,
        bits,
        samples: 0,
    })
}

/// Walks over the chunks behind the format; how many frames the data has.
fn chunks(reading: &mut Reading<'_>, start: u64, frame: u64) -> Result<u64, Stop> {
    let end = reading.source.size();
    let (mut at, mut samples) = (start, None);
    for _ in 0..MOST_CHUNKS {
        if at >= end {
            break;
        }
        if end - at < 8 && samples.is_some() {
            let detail = format!("{} bytes are too few for another chunk", end - at);
            return refused(FlawKind::TrailingBytes, Part::End, at, detail);
        }
        let id = bytes::<4>(reading, at)?;
        let size = u64::from(u32::from_le_bytes(bytes(reading, at + 4)?));
        if size > LARGEST {
            let detail = format!("it declares {size} bytes, and {} are left", end - at - 8);
            return refused(FlawKind::Malformed, chunk(id), at, detail);
        }
        at += 8;
        if id != *b"data" {
            at += size;
            continue;
        }
        if samples.is_some() {
            return refused(FlawKind::Malformed, chunk(id), at - 8, "it is the second");
        }
        let frames = size / frame;
        if frames * frame > end - at {
            let detail = format!("it declares {size} bytes and {} are left", end - at);
            return refused(FlawKind::CutShort, chunk(id), at - 8, detail);
        }
        samples = Some(frames);
        at += frames * frame;
    }
    match samples {
        Some(samples) => Ok(samples),
        None => refused(
            FlawKind::CutShort,
            Part::Samples,
            end,
            "no data chunk is there",
        ),
    }
}

fn chunk(id: [u8; 4]) -> NamedPart {
    Part::Chunk.named(id.escape_ascii())
}

fn bytes<const N: usize>(reading: &mut Reading<'_>, at: u64) -> Result<[u8; N], Stop> {
    let read = reading.source.bytes_at(at, N)?;
    match read.first_chunk() {
        Some(bytes) => Ok(*bytes),
        None => refused(FlawKind::CutShort, Part::File, at, "it ends in a header"),
    }
}
