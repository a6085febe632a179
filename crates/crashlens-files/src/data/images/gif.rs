//! GIF, as giflib and TensorFlow around it read it: every block, and the pixels unpacked.
//!
//! TensorFlow reads all frames before it gives the first. From 2.15 on it goes on with what giflib had when it failed,
//! unless a frame's pixels ended too soon; before, every failure was one.
//!
//! Not the `gif` crate: it fails at other places than giflib, and how giflib fails decides what TensorFlow returns.

mod blocks;
mod lzw;

use std::io;

use crashlens_core::files::{Contents, Extent, Flaw, FlawKind, Image, NamedPart, Part};

use self::blocks::{Blocks, Frame};
use self::lzw::{Colours, End, Unpacker};
use crate::reading::Reading;

const EXTENSION: u8 = b'!';
const IMAGE: u8 = b',';
const TERMINATOR: u8 = b';';
const GRAPHIC_CONTROL: u8 = 0xF9;

pub(super) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    let size = reading.source.size();
    let most_pixels = reading.options.limits.pixels;
    let mut file = File {
        blocks: Blocks::new(reading.reader()?),
        global: None,
        transparent: None,
        image: Image {
            channels: 3,
            bits: 8,
            coding: "palette".to_owned(),
            ..Image::default()
        },
        pixels: 0,
        most_pixels,
        flaws: Vec::new(),
    };
    let outcome = file.run(size);
    let at = file.blocks.position();
    let (image, mut flaws) = (file.image, file.flaws);
    match outcome {
        Ok(()) => {}
        Err(Stop::Flaw(flaw)) => flaws.push(*flaw),
        Err(Stop::Io(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
            flaws.push(ended(image.frames, at));
        }
        Err(Stop::Io(error)) => return Err(error),
    }
    let stopped = flaws.iter().any(|flaw| flaw.kind == FlawKind::TooLarge);
    for flaw in flaws {
        reading.flaw_at(flaw.kind, flaw.part, flaw.at, flaw.detail);
    }
    if image.frames > 0 {
        reading.holds(Contents::Image(image));
    }
    if !stopped {
        reading.facts.extent = Extent::Full;
    }
    Ok(())
}

/// Why reading ends before the terminator.
enum Stop {
    Flaw(Box<Flaw>),
    Io(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn flaw(kind: FlawKind, part: impl Into<NamedPart>, at: u64, detail: impl Into<String>) -> Flaw {
    Flaw {
        kind,
        part: part.into(),
        at: Some(at),
        detail: detail.into(),
    }
}

fn stop<T>(flaw: Flaw) -> Result<T, Stop> {
    Err(Stop::Flaw(Box::new(flaw)))
}

/// The end came where it must not.
fn ended(frames: u32, at: u64) -> Flaw {
    let detail = match frames {
        0 => "the file ends here, before its first frame".to_owned(),
        _ => format!("the file ends here, in frame {frames} or right behind it"),
    };
    flaw(FlawKind::CutShort, Part::Blocks, at, detail)
}

struct File<'a> {
    blocks: Blocks<'a>,
    /// Colours of the table that frames without their own use.
    global: Option<u16>,
    /// Colour that the next frame leaves out.
    transparent: Option<u8>,
    image: Image,
    pixels: u64,
    most_pixels: u64,
    flaws: Vec<Flaw>,
}

impl File<'_> {
    fn run(&mut self, size: u64) -> Result<(), Stop> {
        if self.blocks.take::<4>()? != *b"GIF8" {
            return stop(flaw(
                FlawKind::Malformed,
                Part::Header,
                0,
                "it does not begin with GIF8",
            ));
        }
        self.blocks.take::<2>()?;
        self.global = self.blocks.screen()?;
        loop {
            let at = self.blocks.position();
            // Where only the terminator is missing, giflib fails and late TensorFlow does not.
            if at == size && self.image.frames > 0 {
                let detail = format!("the file ends behind {} whole frame(s)", self.image.frames);
                return stop(flaw(FlawKind::CutShort, Part::Terminator, at, detail));
            }
            match self.blocks.byte()? {
                EXTENSION => self.extension()?,
                IMAGE => self.frame(at)?,
                TERMINATOR => return self.end(size),
                other if at + 1 == size && self.image.frames > 0 => {
                    let detail = format!("the last byte is {other:#04x}, behind all frames");
                    return stop(flaw(FlawKind::CutShort, Part::Terminator, at, detail));
                }
                other => {
                    let detail = format!("byte {other:#04x} begins no block");
                    return stop(flaw(self.by_frames(), Part::Blocks, at, detail));
                }
            }
        }
    }

    /// A failure of giflib: TensorFlow from 2.15 on shows what frames there are, where there are any.
    fn by_frames(&self) -> FlawKind {
        if self.image.frames == 0 {
            FlawKind::Malformed
        } else {
            FlawKind::Contradiction
        }
    }

    fn extension(&mut self) -> io::Result<()> {
        let function = self.blocks.byte()?;
        if let Some([flags, _, _, index]) = self.blocks.block()?
            && function == GRAPHIC_CONTROL
        {
            self.transparent = (flags & 1 == 1).then_some(*index);
        }
        // giflib asks for the next block even where the first was the empty one that ends them.
        while self.blocks.block()?.is_some() {}
        Ok(())
    }

    fn frame(&mut self, at: u64) -> Result<(), Stop> {
        let frame = self.blocks.frame()?;
        let part = Part::Frame.number(self.image.frames + 1);
        let Frame { width, height, .. } = frame;
        if frame.code_size > 8 {
            let detail = format!(
                "its codes begin with {} bits; 8 is the most",
                frame.code_size
            );
            return stop(flaw(self.by_frames(), part, at, detail));
        }
        if width == 0 || height == 0 {
            let detail = format!("it has {width} by {height} pixels");
            return stop(flaw(FlawKind::Malformed, part, at, detail));
        }
        let pixels = u64::from(width) * u64::from(height);
        self.pixels = self.pixels.saturating_add(pixels);
        self.image.width = self.image.width.max(width);
        self.image.height = self.image.height.max(height);
        self.image.frames += 1;
        if self.pixels > self.most_pixels {
            let detail = format!(
                "with {part} there are {} pixels; it is {}",
                self.pixels, self.most_pixels
            );
            let part = Part::ThisCheck;
            return stop(flaw(FlawKind::TooLarge, part, at, detail));
        }
        let transparent = self.transparent.take();
        let Some(colours) = frame.colours.or(self.global) else {
            return stop(flaw(
                FlawKind::Malformed,
                part,
                at,
                "it has no colour table",
            ));
        };
        self.unpack(
            &frame,
            pixels,
            Colours {
                colours,
                transparent,
            },
            &part,
            at,
        )
    }

    fn unpack(
        &mut self,
        frame: &Frame,
        pixels: u64,
        colours: Colours,
        part: &NamedPart,
        at: u64,
    ) -> Result<(), Stop> {
        let mut unpacker = Unpacker::new(frame.code_size, pixels, colours);
        loop {
            let Some(block) = self.blocks.block()? else {
                let detail = format!(
                    "its data ends, and {} pixels are missing",
                    unpacker.missing()
                );
                return stop(flaw(FlawKind::Contradiction, part, at, detail));
            };
            match unpacker.block(block) {
                None => {}
                Some(End::Complete) => break,
                Some(End::TooSoon) => {
                    let detail = format!(
                        "its end code comes when {} pixels are missing",
                        unpacker.missing()
                    );
                    // The frames before it are given, where there are any.
                    let kind = match self.image.frames {
                        1 => FlawKind::Malformed,
                        _ => FlawKind::Contradiction,
                    };
                    return stop(flaw(kind, part, at, detail));
                }
                Some(End::NoSuchCode) => {
                    let detail = "its data has a code that means nothing yet";
                    return stop(flaw(FlawKind::Contradiction, part, at, detail));
                }
            }
        }
        while self.blocks.block()?.is_some() {}
        if let Some(index) = unpacker.outside() {
            let detail = format!(
                "a pixel has colour {index}, and there are {} colours",
                colours.colours
            );
            return stop(flaw(FlawKind::Malformed, part, at, detail));
        }
        if unpacker.outside_and_transparent() {
            let detail = "its transparent colour is none of its colour table";
            self.flaws
                .push(flaw(FlawKind::Unsupported, part, at, detail));
        }
        Ok(())
    }

    fn end(&mut self, size: u64) -> Result<(), Stop> {
        let at = self.blocks.position();
        if self.image.frames == 0 {
            return stop(flaw(
                FlawKind::Malformed,
                Part::Blocks,
                at,
                "there is no frame",
            ));
        }
        if size > at {
            let detail = format!("{} bytes follow the terminator", size - at);
            self.flaws
                .push(flaw(FlawKind::TrailingBytes, Part::End, at, detail));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::fuzzing::examine_bytes;

    const STILL: &[u8] = include_bytes!("../../../fixtures/images/still.gif");

    fn flaws(bytes: &[u8]) -> Vec<(FlawKind, String)> {
        let facts = examine_bytes("a.gif", bytes, &Options::default());
        let flaws = facts.flaws.into_iter();
        flaws
            .map(|flaw| (flaw.kind, flaw.part.to_string()))
            .collect()
    }

    #[test]
    fn an_empty_extension_swallows_what_follows() {
        let frame = STILL.windows(5).position(|window| window == b",\0\0\0\0");
        let (before, behind) = STILL.split_at(frame.expect("a frame"));
        let with = |extension: &[u8]| [before, extension, behind].concat();
        assert_eq!(flaws(&with(b"\x21\xfe\x02ab\0")), []);
        assert_ne!(flaws(&with(b"\x21\xfe\0")), []);
    }

    #[test]
    fn with_another_last_byte_only_the_terminator_is_missing() {
        let (_, frames) = STILL.split_last().expect("bytes");
        let told = (FlawKind::CutShort, "the terminator".to_owned());
        assert_eq!(flaws(&[frames, b"G"].concat()), [told]);
    }
}
