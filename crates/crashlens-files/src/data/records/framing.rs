//! The frame of TFRecord: a length with its checksum, data with its checksum, again and again.

use std::io::{self, Read};

/// Length and its checksum.
pub(crate) const HEAD: usize = 12;
/// Checksum behind the data.
const FOOT: usize = 4;
/// Bytes that are read at a time: small enough to stay in the processor's cache until they are summed up.
const BLOCK: usize = 256 * 1024;

/// A record, as it comes.
pub(crate) enum Record<'a> {
    /// With right checksums.
    Whole(&'a [u8]),
    /// The same, too large to be looked into.
    Large,
    /// Its data is not that of its checksum.
    Damaged,
}

/// How the records ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// After a record.
    Clean,
    /// So many bytes into the head of a record.
    InHead {
        few: usize,
        /// They are a length and the begin of its checksum: a record was begun there.
        is_begun: bool,
    },
    /// At a length whose checksum is wrong.
    BadLength,
    /// At a length beyond the end.
    Beyond { length: u64, left: u64 },
}

/// The records of a stream.
pub(crate) struct Frames<R> {
    input: R,
    /// Bytes of the stream, where that is known.
    size: Option<u64>,
    window: Vec<u8>,
    start: usize,
    end: usize,
    /// Byte of the stream where the next record begins.
    at: u64,
    /// Records above this are not held in memory.
    most_whole: u64,
}

/// The checksum as TFRecord stores it.
pub(crate) fn masked(crc: u32) -> u32 {
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}

/// The length that a head tells, where its checksum is right.
pub(crate) fn length_of(head: &[u8]) -> Option<u64> {
    let length = head.first_chunk::<8>()?;
    let stored = head.get(8..)?.first_chunk::<4>()?;
    (u32::from_le_bytes(*stored) == masked(crc32c::crc32c(length)))
        .then(|| u64::from_le_bytes(*length))
}

/// Whether a head that is cut has the begin of its checksum, and a right one.
fn is_begun(head: &[u8]) -> bool {
    head.split_first_chunk::<8>().is_some_and(|(length, sum)| {
        let right = masked(crc32c::crc32c(length)).to_le_bytes();
        !sum.is_empty() && right.starts_with(sum)
    })
}

impl<R: Read> Frames<R> {
    pub(crate) fn new(input: R, size: Option<u64>, most_whole: u64) -> Self {
        Self {
            input,
            size,
            window: vec![0; BLOCK],
            start: 0,
            end: 0,
            at: 0,
            most_whole,
        }
    }

    /// Byte of the stream where the record begins that is not read yet.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    pub(crate) fn input(&self) -> &R {
        &self.input
    }

    /// So many bytes of the window, or as many as there are.
    fn window(&self, length: usize) -> &[u8] {
        let end = self.end.min(self.start.saturating_add(length));
        self.window.get(self.start..end).unwrap_or_default()
    }

    /// Has `wanted` bytes in the window, where there are as many; how many there are.
    fn fill(&mut self, wanted: usize) -> io::Result<usize> {
        if self.end - self.start >= wanted {
            return Ok(wanted);
        }
        self.window.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        while self.end < wanted {
            if self.end == self.window.len() {
                // Grows with the bytes that are there, never by the word of a length alone.
                let larger = (self.window.len() * 2).min(wanted.max(BLOCK));
                self.window.resize(larger, 0);
            }
            let space = self.window.get_mut(self.end..).unwrap_or_default();
            match self.input.read(space) {
                Ok(0) => break,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.end.min(wanted))
    }

    /// Hands every record to `visit`, with its number and its byte, up to the end.
    pub(crate) fn walk(
        &mut self,
        mut visit: impl FnMut(u64, u64, Record<'_>),
    ) -> io::Result<(u64, End)> {
        let mut count = 0;
        loop {
            match self.fill(HEAD)? {
                0 => return Ok((count, End::Clean)),
                HEAD => {}
                few => {
                    let is_begun = is_begun(self.window(few));
                    return Ok((count, End::InHead { few, is_begun }));
                }
            }
            let Some(length) = length_of(self.window(HEAD)) else {
                return Ok((count, End::BadLength));
            };
            self.start += HEAD;
            let left = self.size.map(|size| {
                size.saturating_sub(self.at)
                    .saturating_sub((HEAD + FOOT) as u64)
            });
            if let Some(left) = left.filter(|left| *left < length) {
                return Ok((count, End::Beyond { length, left }));
            }
            let at = self.at;
            let outcome = if length <= self.most_whole {
                self.whole(length as usize, |record| visit(count, at, record))?
            } else {
                self.large(length, |record| visit(count, at, record))?
            };
            if let Err(left) = outcome {
                return Ok((count, End::Beyond { length, left }));
            }
            self.at += length + (HEAD + FOOT) as u64;
            count += 1;
        }
    }

    /// A record that fits into memory; `Err` tells how much of it there is.
    fn whole(
        &mut self,
        length: usize,
        visit: impl FnOnce(Record<'_>),
    ) -> io::Result<Result<(), u64>> {
        let there = self.fill(length + FOOT)?;
        if there < length + FOOT {
            return Ok(Err(there as u64));
        }
        let (data, foot) = self.window(length + FOOT).split_at(length);
        let right = foot == masked(crc32c::crc32c(data)).to_le_bytes();
        visit(if right {
            Record::Whole(data)
        } else {
            Record::Damaged
        });
        self.start += length + FOOT;
        Ok(Ok(()))
    }

    /// A record that does not: it is summed up piece by piece.
    fn large(
        &mut self,
        length: u64,
        visit: impl FnOnce(Record<'_>),
    ) -> io::Result<Result<(), u64>> {
        let (mut crc, mut left) = (0, length);
        while left > 0 {
            let piece = usize::try_from(left).unwrap_or(BLOCK).min(BLOCK);
            let there = self.fill(piece)?;
            crc = crc32c::crc32c_append(crc, self.window(there));
            self.start += there;
            left -= there as u64;
            if there < piece {
                return Ok(Err(length - left));
            }
        }
        if self.fill(FOOT)? < FOOT {
            return Ok(Err(length));
        }
        let right = self.window(FOOT) == masked(crc).to_le_bytes();
        self.start += FOOT;
        visit(if right {
            Record::Large
        } else {
            Record::Damaged
        });
        Ok(Ok(()))
    }
}
