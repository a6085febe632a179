//! The chunks of a WebP file, and what libwebp refuses in them.

use std::io;

use crashlens_core::files::{FlawKind, NamedPart, Part};

use crate::source::Source;

/// Bytes of a chunk before its content: name and length.
const HEAD: u64 = 8;
/// Where the first chunk begins.
const FIRST: u64 = 12;
const MOST_PAYLOAD: u32 = u32::MAX - 9;
const EXTENDED: u32 = 10;
/// Bytes of a frame before its chunks: place, size, duration, flags.
const FRAME: u64 = 16;
const ALPHA: u8 = 0x10;
const ANIMATION: u8 = 0x02;
const MOST_AREA: u64 = 1 << 32;
/// So many chunks of one file are walked.
const MOST_CHUNKS: u32 = 1 << 20;

/// What the chunks say.
#[derive(Debug, Default)]
pub(super) struct Picture {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) alpha: bool,
    pub(super) animated: bool,
    pub(super) frames: u32,
    pub(super) coding: &'static str,
    /// Where the file ends by its header.
    pub(super) end: u64,
    /// A frame's picture is smaller than the frame, or not its first chunk: libwebp takes it, and our decoder does not.
    pub(super) has_odd_frame: bool,
}

pub(super) enum Stop {
    Refused {
        kind: FlawKind,
        part: NamedPart,
        at: u64,
        detail: String,
    },
    Io(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn refuse<T>(
    kind: FlawKind,
    part: impl Into<NamedPart>,
    at: u64,
    detail: impl Into<String>,
) -> Result<T, Stop> {
    Err(Stop::Refused {
        kind,
        part: part.into(),
        at,
        detail: detail.into(),
    })
}

struct Chunk {
    at: u64,
    name: [u8; 4],
    length: u32,
}

impl Chunk {
    fn part(&self) -> NamedPart {
        Part::Chunk.number(String::from_utf8_lossy(&self.name).trim_end())
    }

    fn content(&self) -> u64 {
        self.at + HEAD
    }

    /// Where the next one begins: at an even byte.
    fn end(&self) -> u64 {
        self.content() + u64::from(self.length) + u64::from(self.length & 1)
    }

    fn is_picture(&self) -> bool {
        matches!(&self.name, b"VP8 " | b"VP8L")
    }
}

/// Walks the chunks of the whole file.
pub(super) fn walk(source: &mut Source) -> Result<Picture, Stop> {
    let head = source.bytes_at(0, FIRST as usize)?;
    let form = (head.get(..4), head.get(8..));
    let length = head.get(4..8).and_then(|bytes| bytes.try_into().ok());
    let length = length.map(u32::from_le_bytes).unwrap_or_default();
    if form != (Some(b"RIFF"), Some(b"WEBP")) || source.size() <= FIRST {
        return refuse(
            FlawKind::Malformed,
            Part::Header,
            0,
            "it is not a RIFF file of the form WEBP",
        );
    }
    let end = HEAD + u64::from(length);
    if u64::from(length) < 12 || length > MOST_PAYLOAD {
        return refuse(
            FlawKind::Malformed,
            Part::Header,
            4,
            format!("its length cannot be {length}"),
        );
    }
    if end > source.size() {
        let detail = format!("it declares {end} bytes, and {} are there", source.size());
        return refuse(FlawKind::CutShort, Part::Header, source.size(), detail);
    }
    let mut walk = Walk {
        source,
        picture: Picture {
            end,
            ..Picture::default()
        },
    };
    let first = walk.chunk(FIRST)?;
    if &first.name == b"VP8X" {
        walk.extended(&first)?;
    } else {
        walk.still(&first)?;
    }
    Ok(walk.picture)
}

struct Walk<'a> {
    source: &'a mut Source,
    picture: Picture,
}

impl Walk<'_> {
    fn chunk(&mut self, at: u64) -> Result<Chunk, Stop> {
        let head = self.source.bytes_at(at, HEAD as usize)?;
        let Ok([n0, n1, n2, n3, l0, l1, l2, l3]) = <[u8; 8]>::try_from(head) else {
            return refuse(
                FlawKind::CutShort,
                Part::Chunks,
                at,
                "the file ends here, without a picture",
            );
        };
        let chunk = Chunk {
            at,
            name: [n0, n1, n2, n3],
            length: u32::from_le_bytes([l0, l1, l2, l3]),
        };
        if chunk.length > MOST_PAYLOAD {
            let detail = format!("its length cannot be {}", chunk.length);
            return refuse(FlawKind::Malformed, chunk.part(), at, detail);
        }
        Ok(chunk)
    }

    /// A chunk must end within the file, as the header gives it.
    fn fits(&self, chunk: &Chunk, end: u64) -> Result<(), Stop> {
        if end > self.picture.end {
            let detail = format!(
                "it declares {} bytes, and {} are left",
                chunk.length,
                self.picture.end.saturating_sub(chunk.content())
            );
            return refuse(FlawKind::Malformed, chunk.part(), chunk.at, detail);
        }
        Ok(())
    }

    fn extended(&mut self, first: &Chunk) -> Result<(), Stop> {
        let bytes = self.source.bytes_at(first.content(), EXTENDED as usize)?;
        let Ok([flags, _, _, _, w0, w1, w2, h0, h1, h2]) = <[u8; 10]>::try_from(bytes) else {
            return refuse(
                FlawKind::CutShort,
                first.part(),
                first.at,
                "the file ends inside it",
            );
        };
        let width = 1 + u32::from_le_bytes([w0, w1, w2, 0]);
        let height = 1 + u32::from_le_bytes([h0, h1, h2, 0]);
        if first.length != EXTENDED || u64::from(width) * u64::from(height) >= MOST_AREA {
            let detail = format!(
                "it has {} bytes, and declares {width} by {height} pixels",
                first.length
            );
            return refuse(FlawKind::Malformed, first.part(), first.at, detail);
        }
        (self.picture.width, self.picture.height) = (width, height);
        self.picture.alpha = flags & ALPHA != 0;
        if flags & ANIMATION != 0 {
            self.picture.animated = true;
            self.picture.coding = "animated";
            return self.frames(first.end());
        }
        let mut at = first.end();
        for _ in 0..MOST_CHUNKS {
            let chunk = self.chunk(at)?;
            self.fits(&chunk, chunk.end())?;
            if chunk.is_picture() {
                return self.still(&chunk);
            }
            self.picture.alpha |= &chunk.name == b"ALPH";
            at = chunk.end();
        }
        refuse(
            FlawKind::Malformed,
            Part::Chunks,
            at,
            "there is no picture among them",
        )
    }

    /// The picture's own header.
    fn still(&mut self, chunk: &Chunk) -> Result<(), Stop> {
        if !chunk.is_picture() {
            let detail = "it is the first chunk, and no picture";
            return refuse(FlawKind::Malformed, chunk.part(), chunk.at, detail);
        }
        self.fits(chunk, chunk.content() + u64::from(chunk.length))?;
        let (width, height, alpha) = self.size(chunk)?;
        let canvas = (self.picture.width, self.picture.height);
        if canvas != (0, 0) && canvas != (width, height) {
            let detail = format!(
                "it is {width} by {height}, and the canvas {} by {}",
                canvas.0, canvas.1
            );
            return refuse(FlawKind::Malformed, chunk.part(), chunk.at, detail);
        }
        (self.picture.width, self.picture.height) = (width, height);
        self.picture.alpha |= alpha;
        self.picture.frames = 1;
        let lossless = &chunk.name == b"VP8L";
        self.picture.coding = if lossless { "lossless" } else { "lossy" };
        Ok(())
    }

    /// Width, height and whether there is alpha, by a picture's own header.
    fn size(&mut self, chunk: &Chunk) -> Result<(u32, u32, bool), Stop> {
        let head = self.source.bytes_at(chunk.content(), 10)?;
        let size = if &chunk.name == b"VP8L" {
            lossless_size(&head)
        } else {
            lossy_size(&head, chunk.length)
        };
        match size {
            Some(size) => Ok(size),
            None => refuse(
                FlawKind::Malformed,
                chunk.part(),
                chunk.at,
                "its header is none of a picture",
            ),
        }
    }

    /// One frame: its picture must lie within the canvas.
    fn frame(&mut self, frame: &Chunk) -> Result<(), Stop> {
        self.picture.frames += 1;
        let part = Part::Frame.number(self.picture.frames);
        let head = self.source.bytes_at(frame.content(), FRAME as usize)?;
        let Some(&[x0, x1, x2, y0, y1, y2, w0, w1, w2, h0, h1, h2]) = head.first_chunk() else {
            return refuse(
                FlawKind::CutShort,
                &part,
                frame.at,
                "the file ends inside it",
            );
        };
        let number = |low, middle, high| u32::from_le_bytes([low, middle, high, 0]);
        let mut at = frame.content() + FRAME;
        // Our decoder knows a picture alone, and one behind its alpha channel.
        let (mut is_usual, mut has_alpha) = (true, false);
        while at < frame.end() {
            let chunk = self.chunk(at)?;
            self.fits(&chunk, chunk.content() + u64::from(chunk.length))?;
            if chunk.is_picture() {
                let (width, height, _) = self.size(&chunk)?;
                let right = 2 * number(x0, x1, x2) + width;
                let bottom = 2 * number(y0, y1, y2) + height;
                if right > self.picture.width || bottom > self.picture.height {
                    let detail = format!(
                        "it is {width} by {height} pixels and reaches beyond the canvas of {} by {}",
                        self.picture.width, self.picture.height
                    );
                    return refuse(FlawKind::Malformed, &part, chunk.at, detail);
                }
                let declared = (1 + number(w0, w1, w2), 1 + number(h0, h1, h2));
                is_usual &= !has_alpha || &chunk.name == b"VP8 ";
                self.picture.has_odd_frame |= !is_usual || declared != (width, height);
                return Ok(());
            }
            is_usual &= !has_alpha && &chunk.name == b"ALPH";
            has_alpha = true;
            at = chunk.end();
        }
        refuse(
            FlawKind::Malformed,
            &part,
            frame.at,
            "there is no picture in it",
        )
    }

    /// The frames of an animation, counted. They must fill the file to its end.
    fn frames(&mut self, mut at: u64) -> Result<(), Stop> {
        for _ in 0..MOST_CHUNKS {
            if at >= self.picture.end {
                break;
            }
            let chunk = self.chunk(at)?;
            self.fits(&chunk, chunk.end())?;
            if &chunk.name == b"ANMF" {
                self.frame(&chunk)?;
            }
            at = chunk.end();
        }
        if self.picture.frames == 0 {
            let detail = "it is an animation without a frame";
            return refuse(FlawKind::Malformed, Part::Chunks, at, detail);
        }
        Ok(())
    }
}

/// Of the first bytes of a lossy picture: a key frame that is shown, of a known profile, with a sane first partition.
fn lossy_size(head: &[u8], length: u32) -> Option<(u32, u32, bool)> {
    let &[b0, b1, b2, 0x9d, 0x01, 0x2a, w0, w1, h0, h1] = head else {
        return None;
    };
    let bits = u32::from_le_bytes([b0, b1, b2, 0]);
    let size = |low, high| u32::from(u16::from_le_bytes([low, high]) & 0x3FFF);
    let (width, height) = (size(w0, w1), size(h0, h1));
    let sane = bits & 1 == 0 && bits >> 1 & 7 <= 3 && bits >> 4 & 1 == 1 && bits >> 5 < length;
    (sane && width > 0 && height > 0).then_some((width, height, false))
}

/// Of the first bytes of a lossless picture.
fn lossless_size(head: &[u8]) -> Option<(u32, u32, bool)> {
    let (&[0x2f, rest @ ..], _) = head.split_first_chunk::<5>()? else {
        return None;
    };
    let bits = u32::from_le_bytes(rest);
    let side = |bits: u32| (bits & 0x3FFF) + 1;
    (bits >> 29 == 0).then_some((side(bits), side(bits >> 14), bits >> 28 & 1 == 1))
}
