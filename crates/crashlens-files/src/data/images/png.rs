//! PNG and animated PNG, as libpng reads them: every chunk and its checksum, and the pixels inflated.
//!
//! Inflating is done always: it costs less than TensorFlow's reading, and most of what libpng refuses shows only there.
//! Rows are counted and the filter of each is looked at; no pixel is made. libpng lets pass what is wrong in chunks that
//! are not critical, and an animation's other frames are in such chunks.
//!
//! Not the `png` crate: it does not forgive chunk by chunk as libpng does. Inflating is done by `flate2`.

mod header;
mod pixels;
#[cfg(test)]
mod tests;

use std::io::{self, Read};

use crashlens_core::files::{Contents, Extent, FlawKind, Image, NamedPart, Part};
use flate2::Crc;

use self::header::Header;
use self::pixels::Pixels;
use super::holds;
use crate::reading::Reading;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// A chunk's length, its name and its checksum.
const AROUND: u64 = 12;
const MOST_LENGTH: u32 = i32::MAX as u32;
const BLOCK: usize = 64 * 1024;

pub(super) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    if reading.source.bytes_at(0, SIGNATURE.len())? != SIGNATURE {
        let detail = "it does not begin with the signature of PNG";
        reading.flaw_at(FlawKind::Malformed, Part::Header, 0, detail);
        return Ok(());
    }
    let mut chunks = Chunks::default();
    let mut at = SIGNATURE.len() as u64;
    while let Some(next) = chunks.next(reading, at)? {
        at = next;
    }
    if let Some(image) = chunks.image {
        reading.holds(Contents::Image(image));
    }
    Ok(())
}

/// What was seen so far.
#[derive(Default)]
struct Chunks {
    header: Option<Header>,
    image: Option<Image>,
    palette: bool,
    pixels: Option<Pixels>,
    /// Another chunk came behind the pixels.
    behind: bool,
    /// The pixels are not to be inflated.
    refused: bool,
}

/// A chunk's head.
struct Chunk {
    at: u64,
    name: [u8; 4],
    length: u32,
}

impl Chunk {
    fn is_critical(&self) -> bool {
        self.name[0].is_ascii_uppercase()
    }

    fn part(&self) -> NamedPart {
        Part::Chunk.number(String::from_utf8_lossy(&self.name))
    }
}

/// Where a chunk leaves the reader.
enum After {
    Next,
    End,
}

impl Chunks {
    /// Reads the chunk at a byte; where the next one is, if there is more to read.
    fn next(&mut self, reading: &mut Reading<'_>, at: u64) -> io::Result<Option<u64>> {
        let head = reading.source.bytes_at(at, 8)?;
        let Ok([l0, l1, l2, l3, name @ ..]) = <[u8; 8]>::try_from(head) else {
            let detail = "the file ends here, before chunk IEND";
            reading.flaw_at(FlawKind::CutShort, Part::Chunks, at, detail);
            return Ok(None);
        };
        let length = u32::from_be_bytes([l0, l1, l2, l3]);
        let chunk = Chunk { at, name, length };
        if length > MOST_LENGTH || !name.iter().all(u8::is_ascii_alphabetic) {
            let detail = format!("{length} bytes named {name:02x?} are no chunk");
            reading.flaw_at(FlawKind::Malformed, Part::Chunks, at, detail);
            return Ok(None);
        }
        let end = at + AROUND + u64::from(length);
        if end > reading.source.size() {
            let left = reading.source.size() - at - 8;
            let detail =
                format!("it declares {length} bytes and a checksum, and {left} bytes are left");
            reading.flaw_at(FlawKind::CutShort, chunk.part(), at, detail);
            return Ok(None);
        }
        match self.chunk(reading, &chunk)? {
            After::Next => Ok(Some(end)),
            After::End => Ok(None),
        }
    }

    fn chunk(&mut self, reading: &mut Reading<'_>, chunk: &Chunk) -> io::Result<After> {
        if let Err(detail) = self.place(chunk) {
            reading.flaw_at(FlawKind::Malformed, chunk.part(), chunk.at, detail);
            return Ok(After::End);
        }
        let pixels = (&chunk.name == b"IDAT" && !self.behind && !self.refused)
            .then_some(self.pixels.as_mut())
            .flatten();
        let (sum, small) = content(reading, chunk, pixels)?;
        if !sum && chunk.is_critical() {
            let detail = "its checksum is not that of its bytes";
            reading.flaw_at(FlawKind::ChecksumMismatch, chunk.part(), chunk.at, detail);
            return Ok(After::End);
        }
        if !sum {
            let detail =
                "its checksum is not that of its bytes; the chunk is not critical, and is skipped";
            reading.flaw_at(FlawKind::Blemish, chunk.part(), chunk.at, detail);
            return Ok(After::Next);
        }
        if let Some(complaint) = self.pixels.as_ref().and_then(Pixels::complaint) {
            reading.flaw_at(FlawKind::Malformed, Part::Pixels, chunk.at, complaint);
            return Ok(After::End);
        }
        match &chunk.name {
            b"IHDR" => return Ok(self.begin(reading, &small, chunk)),
            b"PLTE" => self.palette = true,
            b"tRNS" if self.pixels.is_none() => self.transparent(),
            b"acTL" => self.animated(&small),
            b"IEND" => {
                self.finish(reading, chunk);
                return Ok(After::End);
            }
            _ => {}
        }
        Ok(After::Next)
    }

    /// Whether such a chunk may stand here.
    fn place(&mut self, chunk: &Chunk) -> Result<(), String> {
        let name = &chunk.name;
        let Some(header) = &self.header else {
            return if name == b"IHDR" && chunk.length == 13 {
                Ok(())
            } else {
                Err("the first chunk is not an IHDR of 13 bytes".to_owned())
            };
        };
        let first_pixels = name == b"IDAT" && self.pixels.is_none();
        self.behind |= name != b"IDAT" && self.pixels.is_some();
        if self.behind
            && let Some(missing) = self.pixels.as_ref().and_then(Pixels::missing)
            && !self.refused
        {
            return Err(missing);
        }
        match name {
            b"IHDR" => Err("there is a second one".to_owned()),
            b"PLTE" if self.palette => Err("there is a second one".to_owned()),
            b"PLTE"
                if header.is_palette()
                    && (chunk.length > 768 || !chunk.length.is_multiple_of(3)) =>
            {
                Err(format!("a palette cannot have {} bytes", chunk.length))
            }
            b"IDAT" if header.is_palette() && !self.palette => {
                Err("the palette is not there".to_owned())
            }
            b"IEND" if self.pixels.is_none() => Err("it comes before the pixels".to_owned()),
            b"IDAT" => {
                if first_pixels {
                    self.pixels = Some(Pixels::new(header));
                }
                Ok(())
            }
            b"PLTE" | b"IEND" => Ok(()),
            _ if chunk.is_critical() => Err("it is critical, and no reader knows it".to_owned()),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, reading: &mut Reading<'_>, bytes: &[u8], chunk: &Chunk) -> After {
        let header = match Header::of(bytes) {
            Ok(header) => header,
            Err(detail) => {
                reading.flaw_at(FlawKind::Malformed, chunk.part(), chunk.at, detail);
                return After::End;
            }
        };
        let image = header.image();
        self.refused = !holds(reading, image.clone());
        if let Some(detail) = header.too_large() {
            reading.flaw_at(FlawKind::TooLarge, chunk.part(), chunk.at, detail);
            self.refused = true;
        }
        self.header = Some(header);
        self.image = Some(image);
        After::Next
    }

    /// A palette with transparency has an alpha channel for TensorFlow.
    fn transparent(&mut self) {
        if let Some(image) = self.image.as_mut()
            && self.header.as_ref().is_some_and(Header::is_palette)
            && self.palette
        {
            image.channels = 4;
        }
    }

    fn animated(&mut self, bytes: &[u8]) {
        if let Some((frames, _)) = bytes.split_first_chunk::<4>()
            && let Some(image) = self.image.as_mut()
        {
            image.frames = u32::from_be_bytes(*frames).max(1);
        }
    }

    /// The last chunk; what follows is nobody's.
    fn finish(&mut self, reading: &mut Reading<'_>, chunk: &Chunk) {
        if !self.refused {
            reading.facts.extent = Extent::Full;
        }
        if self.pixels.as_ref().is_some_and(Pixels::is_over) {
            let detail = "there are more pixels than the header says";
            reading.flaw(FlawKind::Contradiction, Part::Pixels, detail);
        }
        let end = chunk.at + AROUND + u64::from(chunk.length);
        let over = reading.source.size().saturating_sub(end);
        if over > 0 {
            let detail = format!("{over} bytes follow the last chunk");
            reading.flaw_at(FlawKind::TrailingBytes, Part::End, end, detail);
        }
    }
}

/// Reads a chunk's bytes through: whether its checksum is right, and its first bytes.
fn content(
    reading: &mut Reading<'_>,
    chunk: &Chunk,
    mut pixels: Option<&mut Pixels>,
) -> io::Result<(bool, Vec<u8>)> {
    let mut sum = Crc::new();
    sum.update(&chunk.name);
    let mut block = vec![0; BLOCK.min(chunk.length as usize)];
    let mut small = Vec::new();
    let mut left = chunk.length as usize;
    while left > 0 {
        let wanted = left.min(block.len());
        let part = block.get_mut(..wanted).unwrap_or_default();
        reading.source.read_exact(part)?;
        sum.update(part);
        if small.is_empty() {
            small.extend(part.iter().take(64));
        }
        if let Some(pixels) = pixels.as_mut() {
            pixels.inflate(part);
        }
        left -= wanted;
    }
    let mut stored = [0; 4];
    reading.source.read_exact(&mut stored)?;
    Ok((sum.sum() == u32::from_be_bytes(stored), small))
}
