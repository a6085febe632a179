//! Zip archives as Python's `zipfile` reads them: directory, heads of members, checksums of what they unpack to.
//!
//! Not by the crate `zip`, which takes archives that `zipfile` refuses and refuses some that it takes: what counts is
//! whether Keras and NumPy will read the file.

use std::io::{self, BufReader, Read, Seek as _, SeekFrom};
use std::time::Instant;

use crashlens_core::files::{FlawKind, Part};
use flate2::read::DeflateDecoder;

use crate::fault::{Fault, Stop};
use crate::pages::Pages;
use crate::source::{ReadAt, Source};

/// The end of the directory is looked for so far from the end of the file.
const LONGEST_COMMENT: u64 = 65_535;
const END: u64 = 22;
/// More members than any model has.
const MOST_MEMBERS: u64 = 100_000;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
const BLOCK: usize = 256 * 1024;

/// A member of an archive, by the directory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Member {
    pub(crate) name: String,
    raw_name: Vec<u8>,
    flags: u16,
    method: u16,
    pub(crate) sum: u32,
    packed: u64,
    pub(crate) size: u64,
    header: u64,
}

impl Member {
    fn fault(&self, detail: impl Into<String>) -> Fault {
        Fault::malformed(Part::Member.named(&self.name), self.header, detail)
    }

    /// Its bytes stand in the archive as they are.
    pub(crate) fn is_stored(&self) -> bool {
        self.method == STORED
    }
}

fn damaged(at: u64, detail: &str) -> Stop {
    Fault::malformed(Part::Directory, at, detail).into()
}

/// The members that the directory at the end of the archive lists.
pub(crate) fn members(source: &mut Source) -> Result<Vec<Member>, Stop> {
    let mut pages = Pages::of(source);
    let Some(end) = find_end(&mut pages)? else {
        let detail = "it is not there; it should stand at the end";
        let fault = Fault::malformed(Part::Directory, None, detail);
        return Err(fault.of_kind(FlawKind::CutShort).into());
    };
    let small = (
        u64::from(pages.u32(end + 12)?),
        u64::from(pages.u32(end + 16)?),
        end,
    );
    let (length, offset, behind) = large_end(&mut pages, end)?.unwrap_or(small);
    let Some(start) = behind.checked_sub(length) else {
        return Err(damaged(end, "it would begin before the file"));
    };
    // What stands in front of the archive moves every offset, and so do bytes that were lost.
    let moved = i64::try_from(i128::from(start) - i128::from(offset)).unwrap_or(i64::MAX);
    let mut members = Vec::new();
    let mut at = start;
    while at < behind {
        if at + 46 > behind || pages.u32(at)? != 0x0201_4b50 {
            return Err(damaged(at, "an entry of it is not where it should be"));
        }
        if members.len() as u64 >= MOST_MEMBERS {
            return Err(damaged(at, "it has too many entries"));
        }
        let (mut member, length) = entry(&mut pages, at)?;
        // One that would be before the file is nowhere, and the others are where they are.
        let header = member.header.checked_add_signed(moved);
        member.header = header.unwrap_or(u64::MAX);
        at += length;
        members.push(member);
    }
    Ok(members)
}

/// An entry of the directory, and how long it is.
fn entry(pages: &mut Pages<'_>, at: u64) -> Result<(Member, u64), Stop> {
    // The byte behind it tells the system; it is not asked for.
    if pages.u16(at + 6)? & 0xff > 63 {
        let detail = "an entry asks for a newer version of the format";
        return Err(damaged(at, detail));
    }
    let lengths = [
        pages.u16(at + 28)?,
        pages.u16(at + 30)?,
        pages.u16(at + 32)?,
    ];
    let [name, extra, comment] = lengths.map(u64::from);
    let raw_name = pages.stretch(at + 46, name as usize)?;
    let flags = pages.u16(at + 8)?;
    if flags & 0x800 != 0 && std::str::from_utf8(&raw_name).is_err() {
        return Err(damaged(at, "the name of an entry is not UTF-8"));
    }
    let mut member = Member {
        name: String::from_utf8_lossy(&raw_name).into_owned(),
        raw_name,
        flags,
        method: pages.u16(at + 10)?,
        sum: pages.u32(at + 16)?,
        packed: u64::from(pages.u32(at + 20)?),
        size: u64::from(pages.u32(at + 24)?),
        header: u64::from(pages.u32(at + 42)?),
    };
    let extra_bytes = pages.stretch(at + 46 + name, extra as usize)?;
    if !widen(&mut member, &extra_bytes) {
        return Err(damaged(at, "the extra fields of an entry are damaged"));
    }
    Ok((member, 46 + name + extra + comment))
}

fn find_end(pages: &mut Pages<'_>) -> Result<Option<u64>, Stop> {
    let size = pages.size();
    let Some(last) = size.checked_sub(END) else {
        return Ok(None);
    };
    let first = last.saturating_sub(LONGEST_COMMENT);
    let tail = pages.stretch(first, (size - first) as usize)?;
    let found = memchr::memmem::rfind(&tail, b"PK\x05\x06");
    Ok(found.map(|it| first + it as u64).filter(|at| *at <= last))
}

/// Length, offset and end of a directory whose numbers need 64 bits.
fn large_end(pages: &mut Pages<'_>, end: u64) -> Result<Option<(u64, u64, u64)>, Stop> {
    let Some(locator) = end.checked_sub(20) else {
        return Ok(None);
    };
    let Some(record) = locator.checked_sub(56) else {
        return Ok(None);
    };
    if pages.u32(locator)? != 0x0706_4b50 || pages.u32(record)? != 0x0606_4b50 {
        return Ok(None);
    }
    let (length, offset) = (pages.u64(record + 40)?, pages.u64(record + 48)?);
    Ok(Some((length, offset, record)))
}

/// Takes 64-bit numbers from the extra fields; `false` where those do not fit.
fn widen(member: &mut Member, extra: &[u8]) -> bool {
    let mut rest = extra;
    while let Some((head, later)) = rest.split_first_chunk::<4>() {
        let kind = u16::from_le_bytes([head[0], head[1]]);
        let length = usize::from(u16::from_le_bytes([head[2], head[3]]));
        let Some((body, later)) = later.split_at_checked(length) else {
            return false;
        };
        rest = later;
        if kind != 1 {
            continue;
        }
        let mut numbers = body
            .as_chunks::<8>()
            .0
            .iter()
            .map(|it| u64::from_le_bytes(*it));
        for number in [&mut member.size, &mut member.packed, &mut member.header] {
            if *number == u64::from(u32::MAX) {
                match numbers.next() {
                    Some(wide) => *number = wide,
                    None => return false,
                }
            }
        }
    }
    true
}

/// Where the bytes of a member begin.
pub(crate) fn start_of(source: &mut Source, member: &Member) -> Result<u64, Stop> {
    let mut pages = Pages::of(source);
    let end = member.header.checked_add(30);
    if end.is_none_or(|end| end > pages.size()) {
        return Err(member.fault("its head would be outside of the file").into());
    }
    if pages.u32(member.header)? != 0x0403_4b50 {
        return Err(member
            .fault("its head is not where the directory says")
            .into());
    }
    let lengths = [
        pages.u16(member.header + 26)?,
        pages.u16(member.header + 28)?,
    ];
    let [name, extra] = lengths.map(u64::from);
    let found = pages.stretch(member.header + 30, name as usize)?;
    if found != member.raw_name {
        let found = String::from_utf8_lossy(&found).into_owned();
        return Err(member.fault(format!("its head calls it `{found}`")).into());
    }
    if member.flags & 0x61 != 0 {
        return Err(member.fault("it is encrypted or patched data").into());
    }
    let start = member.header + 30 + name + extra;
    // What is packed tells its own end; of what is not, no more is read than it has.
    let needed = match member.method {
        STORED => member.packed.min(member.size),
        _ => 0,
    };
    if start
        .checked_add(needed)
        .is_none_or(|end| end > pages.size())
    {
        let fault = member.fault(format!(
            "it declares {} bytes, beyond the end",
            member.packed
        ));
        return Err(fault.of_kind(FlawKind::CutShort).into());
    }
    let known = match member.method {
        STORED | DEFLATED => return Ok(start),
        method => other_packing(method, &pages.stretch(start, 4).unwrap_or_default()),
    };
    let fault = if let Some(name) = known {
        let detail = format!("it is compressed with {name}, which is not looked into here");
        member.fault(detail).of_kind(FlawKind::Blemish)
    } else {
        let method = member.method;
        member.fault(format!(
            "it is compressed with method {method}, which nobody knows"
        ))
    };
    Err(fault.into())
}

/// Ways to compress that Python's `zipfile` reads and we do not: by their number, and how their bytes begin.
fn other_packing(method: u16, start: &[u8]) -> Option<&'static str> {
    match (method, start) {
        (12, [b'B', b'Z', b'h', ..]) => Some("bzip2"),
        // A version, and the length of the properties.
        (14, [_, _, 5, 0]) => Some("LZMA"),
        _ => None,
    }
}

/// The bytes of a member, unpacked.
fn unpacked<'a>(source: &'a mut Source, member: &Member) -> Result<Box<dyn Read + 'a>, Stop> {
    let start = start_of(source, member)?;
    source.seek(SeekFrom::Start(start))?;
    let packed = BufReader::with_capacity(BLOCK, source.take(member.packed));
    Ok(match member.method {
        STORED => Box::new(packed),
        _ => Box::new(DeflateDecoder::new(packed)),
    })
}

/// A member as a stream: as many bytes as the directory says, with an error where their checksum is wrong.
pub(crate) struct Stream<'a> {
    inner: Box<dyn Read + 'a>,
    left: u64,
    sum: flate2::Crc,
    wanted: u32,
    /// It ended before all bytes that the directory says were there; nobody checks its sum then.
    pub(crate) is_short: bool,
}

impl<'a> Stream<'a> {
    pub(crate) fn of(source: &'a mut Source, member: &Member) -> Result<Self, Stop> {
        Ok(Self {
            inner: unpacked(source, member)?,
            left: member.size,
            sum: flate2::Crc::new(),
            wanted: member.sum,
            is_short: false,
        })
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        let most = most.min(buffer.len());
        if most == 0 {
            return Ok(0);
        }
        let read = self
            .inner
            .read(buffer.get_mut(..most).unwrap_or_default())?;
        self.is_short |= read == 0;
        self.sum.update(buffer.get(..read).unwrap_or_default());
        self.left -= read as u64;
        if self.left == 0 && self.sum.sum() != self.wanted {
            let wrong = "the checksum is wrong";
            return Err(io::Error::new(io::ErrorKind::InvalidData, wrong));
        }
        Ok(read)
    }
}

/// Reads a member to its end, and its checksum against its bytes; keeps up to `keep` bytes.
pub(crate) fn check(source: &mut Source, member: &Member, keep: u64) -> Result<Vec<u8>, Stop> {
    let mut unpacked = unpacked(source, member)?;
    let mut sum = flate2::Crc::new();
    let mut kept = Vec::new();
    let mut left = member.size;
    let mut block = vec![0; BLOCK];
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(BLOCK).min(BLOCK);
        let read = match unpacked.read(&mut block[..most]) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(error.into()),
            Err(error) => {
                let detail = format!("it cannot be unpacked: {error}");
                return Err(member.fault(detail).into());
            }
        };
        if read == 0 {
            break;
        }
        let bytes = block.get(..read).unwrap_or_default();
        sum.update(bytes);
        left -= read as u64;
        if kept.len() as u64 + read as u64 <= keep {
            kept.extend_from_slice(bytes);
        }
    }
    if left > 0 {
        let fault = member.fault(format!("{left} of its {} bytes are missing", member.size));
        return Err(fault.of_kind(FlawKind::CutShort).into());
    }
    if sum.sum() != member.sum {
        let detail = format!(
            "its checksum is {:08x}, and {:08x} is stored",
            sum.sum(),
            member.sum
        );
        return Err(member
            .fault(detail)
            .of_kind(FlawKind::ChecksumMismatch)
            .into());
    }
    Ok(kept)
}

/// A part of a file as a file of its own.
pub(crate) struct Window {
    pub(crate) source: Source,
    pub(crate) start: u64,
}

impl ReadAt for Window {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.source
            .seek(SeekFrom::Start(self.start.saturating_add(offset)))?;
        self.source.read(buffer)
    }

    fn set_deadline(&mut self, deadline: Instant) {
        self.source.set_deadline(deadline);
    }
}
