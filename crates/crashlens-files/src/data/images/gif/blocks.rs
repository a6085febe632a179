//! The blocks of a GIF file.

use std::io::{self, BufReader, Read as _};

use crate::source::Source;

/// A frame's header.
pub(super) struct Frame {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Colours of its own table.
    pub(super) colours: Option<u16>,
    /// Bits of the first codes, without the two special ones.
    pub(super) code_size: u8,
}

pub(super) struct Blocks<'a> {
    reader: BufReader<&'a mut Source>,
    position: u64,
    block: [u8; 255],
}

impl<'a> Blocks<'a> {
    pub(super) fn new(reader: BufReader<&'a mut Source>) -> Self {
        Self {
            reader,
            position: 0,
            block: [0; 255],
        }
    }

    /// Byte of the file that is read next.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    pub(super) fn take<const LENGTH: usize>(&mut self) -> io::Result<[u8; LENGTH]> {
        let mut bytes = [0; LENGTH];
        self.reader.read_exact(&mut bytes)?;
        self.position += LENGTH as u64;
        Ok(bytes)
    }

    pub(super) fn byte(&mut self) -> io::Result<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    /// The next block of data; `None` is the empty one that ends them.
    pub(super) fn block(&mut self) -> io::Result<Option<&[u8]>> {
        let length = usize::from(self.byte()?);
        let block = self.block.get_mut(..length).unwrap_or_default();
        self.reader.read_exact(block)?;
        self.position += length as u64;
        Ok(if block.is_empty() { None } else { Some(block) })
    }

    /// The screen; how many colours its table has.
    pub(super) fn screen(&mut self) -> io::Result<Option<u16>> {
        let [_, _, _, _, flags, _, _] = self.take()?;
        self.colours(flags)
    }

    /// A frame's header and colour table.
    pub(super) fn frame(&mut self) -> io::Result<Frame> {
        let [_, _, _, _, w0, w1, h0, h1, flags] = self.take()?;
        Ok(Frame {
            width: u32::from(u16::from_le_bytes([w0, w1])),
            height: u32::from(u16::from_le_bytes([h0, h1])),
            colours: self.colours(flags)?,
            code_size: self.byte()?,
        })
    }

    /// Passes over a colour table, where the flags say that there is one.
    fn colours(&mut self, flags: u8) -> io::Result<Option<u16>> {
        if flags & 0x80 == 0 {
            return Ok(None);
        }
        let colours = 2 << (flags & 7);
        for _ in 0..colours {
            self.take::<3>()?;
        }
        Ok(Some(colours))
    }
}
