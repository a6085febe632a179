//! WebP, as libwebp in TensorFlow 2.21 reads it; before, TensorFlow has no reader for it.
//!
//! The chunks are walked always. What is wrong inside a picture shows only when it is decoded, which `full` does.
//!
//! The pictures are decoded by the `image-webp` crate; the chunks are walked here, because that crate does not say at which
//! byte a file is damaged.

mod chunks;

use std::io::{self, BufReader, Read, Seek};

use crashlens_core::files::{Contents, Extent, FlawKind, Image, Part};
use image_webp::{DecodingError, WebPDecoder};

use self::chunks::Picture;
use super::holds;
use crate::reading::Reading;

pub(super) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    let detail = "it is WebP, which TensorFlow reads from 2.21 on";
    reading.flaw_at(FlawKind::Unsupported, Part::Format, 0, detail);
    let picture = match chunks::walk(&mut reading.source) {
        Ok(picture) => picture,
        Err(chunks::Stop::Io(error)) => return Err(error),
        Err(chunks::Stop::Refused {
            kind,
            part,
            at,
            detail,
        }) => {
            reading.flaw_at(kind, part, at, detail);
            return Ok(());
        }
    };
    let image = Image {
        width: picture.width,
        height: picture.height,
        channels: if picture.alpha { 4 } else { 3 },
        bits: 8,
        frames: picture.frames.max(1),
        coding: picture.coding.to_owned(),
    };
    let allowed = holds(reading, image);
    if picture.animated && !picture.alpha {
        let detail = "it is an animation without an alpha channel: TensorFlow writes four bytes for each pixel into room for three";
        reading.flaw_at(
            FlawKind::BreaksReader,
            Part::Chunk.number("VP8X"),
            12,
            detail,
        );
    }
    if picture.end < reading.source.size() {
        let over = reading.source.size() - picture.end;
        let detail = format!("{over} bytes follow what the header says is the file");
        reading.flaw_at(FlawKind::TrailingBytes, Part::End, picture.end, detail);
    }
    // Our decoder goes on with what follows the end, as if it were frames.
    let goes_on = picture.animated && picture.end < reading.source.size();
    if reading.options.full && allowed && !picture.has_odd_frame && !goes_on {
        return decode(reading, &picture);
    }
    Ok(())
}

fn decode(reading: &mut Reading<'_>, picture: &Picture) -> io::Result<()> {
    let memory = reading.options.limits.memory;
    let bytes = u64::from(picture.width) * u64::from(picture.height) * 4;
    if bytes > memory {
        return Ok(());
    }
    let mut room = vec![0; bytes as usize];
    let mut frames = 0;
    match pictures(reading.reader()?, &mut room, picture.animated, &mut frames) {
        Ok(()) => reading.facts.extent = Extent::Full,
        Err(DecodingError::IoError(error)) if error.kind() != io::ErrorKind::UnexpectedEof => {
            return Err(error);
        }
        Err(error) => {
            let part = if picture.animated {
                Part::Frame.number(frames + 1)
            } else {
                Part::Picture.into()
            };
            reading.flaw(
                FlawKind::Malformed,
                part,
                format!("it does not decode: {error}"),
            );
        }
    }
    if let Contents::Image(image) = &mut reading.facts.contents
        && frames > 0
    {
        image.frames = frames;
    }
    Ok(())
}

/// Decodes the picture, or all of them.
fn pictures<R: Read + Seek>(
    reader: BufReader<R>,
    room: &mut [u8],
    animated: bool,
    frames: &mut u32,
) -> Result<(), DecodingError> {
    let mut decoder = WebPDecoder::new(reader)?;
    decoder.set_memory_limit(room.len().saturating_mul(4));
    let needed = decoder.output_buffer_size().unwrap_or(usize::MAX);
    let Some(room) = room.get_mut(..needed) else {
        return Err(DecodingError::ImageTooLarge);
    };
    if !animated {
        return decoder.read_image(room);
    }
    loop {
        match decoder.read_frame(room) {
            Ok(_) => *frames += 1,
            Err(DecodingError::NoMoreFrames) if *frames > 0 => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}
