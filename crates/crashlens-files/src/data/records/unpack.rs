//! GZIP and ZLIB streams, unpacked as TensorFlow's reader does: everything that can be had, then how it ended.

use std::io::{self, Read};

use crashlens_core::files::Part;
use flate2::{Crc, Decompress, FlushDecompress, Status};

/// Compressed bytes that are read at a time.
const INPUT: usize = 128 * 1024;
/// A header of GZIP, file name and comment included, is not longer.
const LONGEST_HEADER: usize = 64 * 1024;
/// Largest prime below 2^16, the modulus of Adler-32.
const ADLER: u32 = 65_521;
/// So many bytes can be summed up before a sum of 32 bits may overflow.
const ADLER_RUN: usize = 5552;

/// What the stream is wrapped in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrapping {
    Gzip,
    Zlib,
}

impl Wrapping {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "GZIP",
            Self::Zlib => "ZLIB",
        }
    }

    /// The parts of a file that is wrapped so.
    pub(super) fn stream(self) -> Part {
        match self {
            Self::Gzip => Part::GzipStream,
            Self::Zlib => Part::ZlibStream,
        }
    }

    pub(super) fn trailer(self) -> Part {
        match self {
            Self::Gzip => Part::GzipTrailer,
            Self::Zlib => Part::ZlibTrailer,
        }
    }

    pub(super) fn end(self) -> Part {
        match self {
            Self::Gzip => Part::GzipEnd,
            Self::Zlib => Part::ZlibEnd,
        }
    }
}

/// How a stream ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Not yet.
    Open,
    /// As it should.
    Whole,
    /// Its data is all there, and the checksum behind it is not.
    NoTrailer,
    /// Within its header or its data.
    Cut,
    /// In bytes that are none of its own, at this byte of the file.
    Damaged { at: u64, why: &'static str },
    /// Its checksum is not that of the data; of the stream that ends at this byte.
    BadChecksum { at: u64 },
    /// Whole, with bytes behind it that TensorFlow does not look at, from this byte on.
    Trailed { at: u64, by_another: bool },
    /// It became larger than allowed.
    TooLarge,
}

/// Where in the stream the next byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Header,
    Body,
    Trailer,
    End,
}

/// Unpacks while it is read. Ends like a file does; `ending` tells how.
pub(crate) struct Unpacker<R> {
    inner: R,
    wrapping: Wrapping,
    inflate: Decompress,
    input: Vec<u8>,
    at: usize,
    /// Byte of the file where `input` begins.
    base: u64,
    place: Place,
    ending: Ending,
    crc: Crc,
    adler: (u32, u32),
    produced: u64,
    most: u64,
}

impl<R: Read> Unpacker<R> {
    /// Of at most `most` unpacked bytes.
    pub(crate) fn new(inner: R, wrapping: Wrapping, most: u64) -> Self {
        Self {
            inner,
            wrapping,
            inflate: Decompress::new(false),
            input: Vec::new(),
            at: 0,
            base: 0,
            place: Place::Header,
            ending: Ending::Open,
            crc: Crc::new(),
            adler: (1, 0),
            produced: 0,
            most,
        }
    }

    pub(crate) fn ending(&self) -> &Ending {
        &self.ending
    }

    fn rest(&self) -> &[u8] {
        self.input.get(self.at..).unwrap_or_default()
    }

    fn position(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Reads more input behind what is left of it; whether there was any.
    fn refill(&mut self) -> io::Result<bool> {
        self.base += self.at as u64;
        self.input.drain(..self.at);
        self.at = 0;
        let kept = self.input.len();
        self.input.resize(kept + INPUT, 0);
        let read = self
            .inner
            .read(self.input.get_mut(kept..).unwrap_or_default());
        self.input.truncate(kept + *read.as_ref().unwrap_or(&0));
        Ok(read? > 0)
    }

    /// Has at least so many bytes of input, where there are as many.
    fn want(&mut self, length: usize) -> io::Result<bool> {
        while self.rest().len() < length {
            if !self.refill()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn end(&mut self, ending: Ending) {
        self.place = Place::End;
        self.ending = ending;
    }

    fn damaged(&mut self, why: &'static str) {
        let at = self.position();
        self.end(Ending::Damaged { at, why });
    }

    fn header(&mut self) -> io::Result<()> {
        let parsed = loop {
            let parsed = match self.wrapping {
                Wrapping::Gzip => gzip_header(self.rest()),
                Wrapping::Zlib => zlib_header(self.rest()),
            };
            match parsed {
                Ok(None) if self.rest().len() < LONGEST_HEADER => {
                    if !self.refill()? {
                        self.end(Ending::Cut);
                        return Ok(());
                    }
                }
                other => break other,
            }
        };
        match parsed {
            Ok(Some(length)) => {
                self.at += length;
                self.inflate.reset(false);
                self.crc = Crc::new();
                self.adler = (1, 0);
                self.place = Place::Body;
            }
            Ok(None) => self.damaged("its header does not end"),
            Err(why) => self.damaged(why),
        }
        Ok(())
    }

    fn body(&mut self, output: &mut [u8]) -> io::Result<usize> {
        if self.rest().is_empty() && !self.refill()? {
            self.end(Ending::Cut);
            return Ok(0);
        }
        let (input, output_before) = (self.input.get(self.at..), self.inflate.total_out());
        let input_before = self.inflate.total_in();
        let status =
            self.inflate
                .decompress(input.unwrap_or_default(), output, FlushDecompress::None);
        self.at += (self.inflate.total_in() - input_before) as usize;
        let made = (self.inflate.total_out() - output_before) as usize;
        match status {
            Ok(Status::StreamEnd) => self.place = Place::Trailer,
            Ok(Status::Ok | Status::BufError) => {}
            Err(_) => self.damaged("its compressed data breaks the rules"),
        }
        let made_bytes = output.get(..made).unwrap_or_default();
        match self.wrapping {
            Wrapping::Gzip => self.crc.update(made_bytes),
            Wrapping::Zlib => self.adler = adler(self.adler, made_bytes),
        }
        self.produced += made as u64;
        if self.produced > self.most {
            self.end(Ending::TooLarge);
        }
        Ok(made)
    }

    fn trailer(&mut self) -> io::Result<()> {
        let length = match self.wrapping {
            Wrapping::Gzip => 8,
            Wrapping::Zlib => 4,
        };
        if !self.want(length)? {
            self.end(Ending::NoTrailer);
            return Ok(());
        }
        let stored = self.rest().first_chunk().copied().unwrap_or_default();
        let right = match self.wrapping {
            Wrapping::Gzip => {
                let size = self.rest().get(4..).and_then(<[u8]>::first_chunk).copied();
                u32::from_le_bytes(stored) == self.crc.sum()
                    && size.map(u32::from_le_bytes) == Some(self.crc.amount())
            }
            Wrapping::Zlib => u32::from_be_bytes(stored) == (self.adler.1 << 16 | self.adler.0),
        };
        self.at += length;
        if !right {
            let at = self.position();
            self.end(Ending::BadChecksum { at });
        } else if !self.want(1)? {
            self.end(Ending::Whole);
        } else if self.wrapping == Wrapping::Gzip && self.want(2)? {
            // TensorFlow goes on with the next member, whatever bytes it finds there; a single one tells it nothing.
            self.place = Place::Header;
        } else {
            self.want(2)?;
            let by_another = matches!(zlib_header(self.rest()), Ok(Some(_)));
            let at = self.position();
            self.end(Ending::Trailed { at, by_another });
        }
        Ok(())
    }
}

impl<R: Read> Read for Unpacker<R> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        if output.is_empty() {
            return Ok(0);
        }
        loop {
            match self.place {
                Place::Header => self.header()?,
                Place::Body => {
                    let made = self.body(output)?;
                    if made > 0 {
                        return Ok(made);
                    }
                }
                Place::Trailer => self.trailer()?,
                Place::End => return Ok(0),
            }
        }
    }
}

/// The length of a header of GZIP; `None` where it goes on.
fn gzip_header(bytes: &[u8]) -> Result<Option<usize>, &'static str> {
    if !b"\x1f\x8b".starts_with(bytes.get(..bytes.len().min(2)).unwrap_or_default()) {
        return Err("there is no GZIP header");
    }
    let Some(fixed) = bytes.get(..10) else {
        return Ok(None);
    };
    if fixed[2] != 8 {
        return Err("its compression method is unknown");
    }
    let flags = fixed[3];
    if flags & 0xe0 != 0 {
        return Err("its header has unknown flags");
    }
    let mut length = 10;
    if flags & 4 != 0 {
        let Some(extra) = bytes.get(length..).and_then(<[u8]>::first_chunk) else {
            return Ok(None);
        };
        length += 2 + usize::from(u16::from_le_bytes(*extra));
    }
    // The name and the comment, each ended by a zero.
    for flag in [8, 16] {
        if flags & flag != 0 {
            let rest = bytes.get(length..).unwrap_or_default();
            let Some(end) = memchr::memchr(0, rest) else {
                return Ok(None);
            };
            length += end + 1;
        }
    }
    if flags & 2 != 0 {
        let Some(stored) = bytes.get(length..).and_then(<[u8]>::first_chunk) else {
            return Ok(None);
        };
        let mut crc = Crc::new();
        crc.update(bytes.get(..length).unwrap_or_default());
        if u32::from(u16::from_le_bytes(*stored)) != crc.sum() & 0xffff {
            return Err("the checksum of its header is wrong");
        }
        length += 2;
    }
    Ok((length <= bytes.len()).then_some(length))
}

/// The length of a header of ZLIB; `None` where it goes on.
fn zlib_header(bytes: &[u8]) -> Result<Option<usize>, &'static str> {
    let Some([first, second]) = bytes.first_chunk() else {
        return Ok(None);
    };
    if !(u16::from(*first) << 8 | u16::from(*second)).is_multiple_of(31) {
        return Err("there is no ZLIB header");
    }
    if first & 15 != 8 || first >> 4 > 7 {
        return Err("its compression method is unknown");
    }
    if second & 32 != 0 {
        return Err("it needs a dictionary");
    }
    Ok(Some(2))
}

fn adler(sums: (u32, u32), bytes: &[u8]) -> (u32, u32) {
    bytes
        .chunks(ADLER_RUN)
        .fold(sums, |(mut low, mut high), run| {
            for byte in run {
                low += u32::from(*byte);
                high += low;
            }
            (low % ADLER, high % ADLER)
        })
}
