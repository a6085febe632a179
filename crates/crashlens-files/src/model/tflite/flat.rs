//! Values of a flatbuffer's tables. Offsets are followed as they are: bounds are checked on reading, sense is not.

use std::io;

use crate::pages::Pages;

/// The zero that ends a text is looked for so far.
const LONGEST_SEARCH: u64 = 1 << 20;

/// A flatbuffer.
pub(super) struct Flat<'a, 'b> {
    pub(super) pages: &'a mut Pages<'b>,
}

/// A table that was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) at: u64,
    /// Where the list of its fields stands, and how many bytes that has.
    pub(super) list: u64,
    pub(super) length: u64,
}

impl Flat<'_, '_> {
    /// The table at `at`.
    pub(super) fn table(&mut self, at: u64) -> io::Result<Found> {
        let back = i64::from(self.pages.i32(at)?);
        let list = at.checked_add_signed(-back);
        let list = list.ok_or(io::ErrorKind::UnexpectedEof)?;
        let length = u64::from(self.pages.u16(list)?);
        Ok(Found { at, list, length })
    }

    /// Where a field is in its table; `None` where it is not given.
    pub(super) fn field_offset(&mut self, table: &Found, id: usize) -> io::Result<Option<u64>> {
        let entry = 4 + 2 * id as u64;
        if entry + 2 > table.length {
            return Ok(None);
        }
        let offset = self.pages.u16(table.list + entry)?;
        Ok((offset != 0).then_some(u64::from(offset)))
    }

    fn place(&mut self, table: &Found, id: usize) -> io::Result<Option<u64>> {
        let offset = self.field_offset(table, id)?;
        Ok(offset.map(|offset| table.at + offset))
    }

    pub(super) fn u8(&mut self, table: &Found, id: usize) -> io::Result<u8> {
        let place = self.place(table, id)?;
        place.map_or(Ok(0), |at| self.pages.u8(at))
    }

    pub(super) fn u32(&mut self, table: &Found, id: usize) -> io::Result<u32> {
        let place = self.place(table, id)?;
        place.map_or(Ok(0), |at| self.pages.u32(at))
    }

    pub(super) fn i32(&mut self, table: &Found, id: usize) -> io::Result<i32> {
        self.u32(table, id).map(u32::cast_signed)
    }

    pub(super) fn u64(&mut self, table: &Found, id: usize) -> io::Result<u64> {
        let place = self.place(table, id)?;
        place.map_or(Ok(0), |at| self.pages.u64(at))
    }

    /// Where a field leads to.
    pub(super) fn target(&mut self, table: &Found, id: usize) -> io::Result<Option<u64>> {
        let Some(at) = self.place(table, id)? else {
            return Ok(None);
        };
        Ok(Some(at + u64::from(self.pages.u32(at)?)))
    }

    /// The table that a field leads to.
    pub(super) fn child(&mut self, table: &Found, id: usize) -> io::Result<Option<Found>> {
        let target = self.target(table, id)?;
        target.map(|target| self.table(target)).transpose()
    }

    /// Where the items of a vector or text begin, and how many; none where it is not given.
    pub(super) fn vector(&mut self, table: &Found, id: usize) -> io::Result<Option<(u64, u64)>> {
        let Some(at) = self.place(table, id)? else {
            return Ok(None);
        };
        let start = at + u64::from(self.pages.u32(at)?);
        let count = u64::from(self.pages.u32(start)?);
        Ok(Some((start + 4, count)))
    }

    /// The tables of a vector; at most `most`. All of it must be there.
    pub(super) fn children(
        &mut self,
        table: &Found,
        id: usize,
        most: u64,
    ) -> io::Result<Vec<Found>> {
        let Some((start, count)) = self.items(table, id, 4)? else {
            return Ok(Vec::new());
        };
        let items = (0..count.min(most)).map(|number| start + 4 * number);
        items
            .map(|at| {
                let target = at + u64::from(self.pages.u32(at)?);
                self.table(target)
            })
            .collect()
    }

    /// The same as [`Self::vector`], with all items of so many bytes within what may be read.
    pub(super) fn items(
        &mut self,
        table: &Found,
        id: usize,
        bytes: u64,
    ) -> io::Result<Option<(u64, u64)>> {
        let vector = self.vector(table, id)?;
        match vector {
            Some((start, count)) if start + count * bytes > self.pages.end() => {
                Err(io::ErrorKind::UnexpectedEof.into())
            }
            vector => Ok(vector),
        }
    }

    /// The numbers of a vector of 32 bits each; at most `most`. All of it must be there.
    pub(super) fn numbers(&mut self, table: &Found, id: usize, most: u64) -> io::Result<Vec<i32>> {
        let Some((start, count)) = self.items(table, id, 4)? else {
            return Ok(Vec::new());
        };
        let items = (0..count.min(most)).map(|number| start + 4 * number);
        items.map(|at| self.pages.i32(at)).collect()
    }

    /// A text up to its first zero, as C reads it whatever its length says; what is longer than `most` bytes is cut.
    pub(super) fn text(
        &mut self,
        table: &Found,
        id: usize,
        most: u64,
    ) -> io::Result<Option<Vec<u8>>> {
        let Some((start, _)) = self.vector(table, id)? else {
            return Ok(None);
        };
        let mut text = Vec::new();
        for at in start..start + LONGEST_SEARCH {
            let byte = self.pages.u8(at)?;
            if byte == 0 {
                break;
            }
            if (text.len() as u64) < most {
                text.push(byte);
            }
        }
        Ok(Some(text))
    }
}
