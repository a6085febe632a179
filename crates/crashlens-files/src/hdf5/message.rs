//! Object headers: the messages that say what a group or a data set is.

use super::checksum::lookup3;
use super::tree::{Hdf5, inside};
use crate::fault::{Fault, Stop};
use crashlens_core::files::NamedPart;

/// Messages of one object, and bytes of them.
const MOST_MESSAGES: usize = 100_000;
const MOST_BYTES: u64 = 16 << 20;
/// Continuations of one header.
const MOST_CHUNKS: usize = 4096;
const CONTINUATION: u16 = 0x10;
const FILL_VALUE: u16 = 5;

/// A message of an object header.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) kind: u16,
    pub(super) flags: u8,
    pub(super) body: Vec<u8>,
}

/// Numbers one after another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    pub(super) fn skip(&mut self, length: usize) -> Option<()> {
        self.take(length).map(|_| ())
    }

    /// A number of up to 8 bytes.
    pub(super) fn number(&mut self, width: usize) -> Option<u64> {
        let bytes = self.take(width)?;
        let mut whole = [0; 8];
        whole.get_mut(..width)?.copy_from_slice(bytes);
        Some(u64::from_le_bytes(whole))
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.take(2)?
            .first_chunk()
            .map(|it| u16::from_le_bytes(*it))
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.take(4)?
            .first_chunk()
            .map(|it| u32::from_le_bytes(*it))
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.take(8)?
            .first_chunk()
            .map(|it| u64::from_le_bytes(*it))
    }
}

impl Hdf5<'_, '_> {
    /// The messages of the object whose header is at `at`.
    pub(super) fn messages(&mut self, part: &NamedPart, at: u64) -> Result<Vec<Message>, Stop> {
        inside(self, part, at, 16, "its header")?;
        let head: [u8; 4] = self.pages.bytes(at)?;
        if &head == b"OHDR" {
            return self.new_header(part, at);
        }
        if head[0] != 1 {
            let detail = format!("its header begins with {:#04x}", head[0]);
            return Err(Fault::malformed(part, at, detail).into());
        }
        let declared = usize::from(self.pages.u16(at + 2)?);
        let length = u64::from(self.pages.u32(at + 8)?);
        if declared == 0 || length == 0 {
            let detail = format!("its header declares {declared} messages in {length} bytes");
            return Err(Fault::malformed(part, at, detail).into());
        }
        let mut messages = Vec::new();
        let mut chunks = vec![(at + 16, length)];
        let mut seen = 0;
        while let Some((start, length)) = chunks.pop() {
            seen += 1;
            if seen > MOST_CHUNKS {
                return Err(Fault::malformed(part, at, "its header goes on without end").into());
            }
            // Where it goes on is said from the superblock on.
            let start = if seen == 1 { start } else { self.place(start) };
            let bytes = self.block(part, start, length)?;
            Self::old_messages(part, start, &bytes, &mut messages, &mut chunks)?;
        }
        Ok(messages)
    }

    /// The body of a message, which may stand in another header; `None` where it is kept in a way that is not followed.
    pub(super) fn shared(
        &mut self,
        part: &NamedPart,
        message: &Message,
    ) -> Result<Option<Vec<u8>>, Stop> {
        if message.flags & 2 == 0 {
            return Ok(Some(message.body.clone()));
        }
        let mut cursor = Cursor::of(&message.body);
        let reserved = match (cursor.u8(), cursor.u8()) {
            (Some(1), Some(_)) => 6,
            (Some(2), Some(_)) | (Some(3), Some(2)) => 0,
            _ => return Ok(None),
        };
        let Some(address) = cursor.skip(reserved).and_then(|()| cursor.u64()) else {
            return Ok(None);
        };
        let at = self.place(address);
        let there = self.messages(part, at)?.into_iter();
        let mut there = there.filter(|it| it.kind == message.kind && it.flags & 2 == 0);
        Ok(there.next().map(|it| it.body))
    }

    fn block(&mut self, part: &NamedPart, start: u64, length: u64) -> Result<Vec<u8>, Stop> {
        inside(self, part, start, length, "its header")?;
        if length > MOST_BYTES {
            let detail = format!("its header has {length} bytes");
            return Err(Fault::malformed(part, start, detail).into());
        }
        Ok(self.pages.stretch(start, length as usize)?)
    }

    fn old_messages(
        part: &NamedPart,
        start: u64,
        bytes: &[u8],
        messages: &mut Vec<Message>,
        chunks: &mut Vec<(u64, u64)>,
    ) -> Result<(), Stop> {
        let mut cursor = Cursor::of(bytes);
        while cursor.rest.len() >= 8 && messages.len() < MOST_MESSAGES {
            let at = start + (bytes.len() - cursor.rest.len()) as u64;
            let (Some(kind), Some(size), Some(flags)) = (cursor.u16(), cursor.u16(), cursor.u8())
            else {
                break;
            };
            let body = cursor.skip(3).and_then(|()| cursor.take(usize::from(size)));
            let Some(body) = body else {
                let detail = format!("a message of {size} bytes does not fit into its header");
                return Err(Fault::malformed(part, at, detail).into());
            };
            if size % 8 != 0 {
                let detail = format!("a message has {size} bytes, no multiple of 8");
                return Err(Fault::malformed(part, at, detail).into());
            }
            keep(part, at, kind, flags, body, messages, chunks)?;
        }
        Ok(())
    }

    fn new_header(&mut self, part: &NamedPart, at: u64) -> Result<Vec<Message>, Stop> {
        let version = self.pages.u8(at + 4)?;
        let flags = self.pages.u8(at + 5)?;
        if version != 2 || flags & 0xc0 != 0 {
            let detail = format!("its header is of version {version}, flags {flags:#04x}");
            return Err(Fault::malformed(part, at, detail).into());
        }
        let times = if flags & 0x20 != 0 { 16 } else { 0 };
        let limits = if flags & 0x10 != 0 { 4 } else { 0 };
        let width = 1_u64 << (flags & 3);
        let size_at = at + 6 + times + limits;
        inside(self, part, size_at, width, "its header")?;
        let mut size = [0; 8];
        self.pages.fill(size_at, &mut size[..width as usize])?;
        let length = u64::from_le_bytes(size);
        let prefix = size_at + width - at;
        let mut messages = Vec::new();
        let mut chunks = Vec::new();
        let whole = prefix.saturating_add(length).saturating_add(4);
        self.new_chunk(part, at, whole, prefix, flags, &mut messages, &mut chunks)?;
        let mut seen = 0;
        while let Some((start, length)) = chunks.pop() {
            seen += 1;
            if seen > MOST_CHUNKS {
                return Err(Fault::malformed(part, at, "its header goes on without end").into());
            }
            let start = self.place(start);
            self.new_chunk(part, start, length, 4, flags, &mut messages, &mut chunks)?;
        }
        Ok(messages)
    }

    /// A chunk with a checksum at its end; `prefix` bytes come before the messages.
    #[expect(
        clippy::too_many_arguments,
        reason = "where it is, what it is, and where the messages go"
    )]
    fn new_chunk(
        &mut self,
        part: &NamedPart,
        start: u64,
        length: u64,
        prefix: u64,
        flags: u8,
        messages: &mut Vec<Message>,
        chunks: &mut Vec<(u64, u64)>,
    ) -> Result<(), Stop> {
        let bytes = self.block(part, start, length)?;
        let split = bytes.split_last_chunk::<4>();
        let Some((body, sum)) = split.filter(|(body, _)| body.len() as u64 >= prefix) else {
            return Err(Fault::malformed(part, start, "its header is too short").into());
        };
        Self::sum(part, start, body, u32::from_le_bytes(*sum))?;
        let mut cursor = Cursor::of(body.get(prefix as usize..).unwrap_or_default());
        let head = if flags & 4 != 0 { 6 } else { 4 };
        while cursor.rest.len() >= head && messages.len() < MOST_MESSAGES {
            let at = start + (body.len() - cursor.rest.len()) as u64;
            let (Some(kind), Some(size), Some(bits)) = (cursor.u8(), cursor.u16(), cursor.u8())
            else {
                break;
            };
            let body = cursor
                .skip(head - 4)
                .and_then(|()| cursor.take(usize::from(size)));
            let Some(body) = body else {
                let detail = format!("a message of {size} bytes does not fit into its header");
                return Err(Fault::malformed(part, at, detail).into());
            };
            keep(part, at, u16::from(kind), bits, body, messages, chunks)?;
        }
        Ok(())
    }

    /// Holds a checksum against its bytes.
    pub(super) fn sum(part: &NamedPart, at: u64, bytes: &[u8], stored: u32) -> Result<(), Stop> {
        let found = lookup3(bytes);
        if found == stored {
            return Ok(());
        }
        let detail = format!("the checksum stored is {stored:08x}, that of the bytes {found:08x}");
        let fault = Fault::malformed(part, at, detail);
        Err(fault
            .of_kind(crashlens_core::files::FlawKind::ChecksumMismatch)
            .into())
    }
}

/// A fill value has its bytes, where it is there.
fn has_whole_fill(body: &[u8]) -> bool {
    let mut cursor = Cursor::of(body);
    let (Some(version), Some(flags)) = (cursor.u8(), cursor.u8()) else {
        return false;
    };
    let is_there = match version {
        1 | 2 => match (cursor.u8(), cursor.u8()) {
            (Some(_), Some(defined)) => version == 1 || defined != 0,
            _ => return false,
        },
        3 => flags & 0x20 != 0,
        _ => return false,
    };
    if !is_there {
        return true;
    }
    let size = cursor.u32().map(u32::cast_signed);
    size.is_some_and(|size| usize::try_from(size).map_or(true, |size| size <= cursor.rest.len()))
}

fn keep(
    part: &NamedPart,
    at: u64,
    kind: u16,
    flags: u8,
    body: &[u8],
    messages: &mut Vec<Message>,
    chunks: &mut Vec<(u64, u64)>,
) -> Result<(), Stop> {
    // Shared and never to be shared; unknown, and not to be marked so; and the like.
    let has = |bits: u8| flags & bits == bits;
    if has(0x06) || has(0x28) || has(0x20) && !has(0x10) {
        let detail = format!("the flags {flags:#04x} of a message contradict each other");
        return Err(Fault::malformed(part, at, detail).into());
    }
    if kind == FILL_VALUE && !has_whole_fill(body) {
        return Err(Fault::malformed(part, at, "its fill value is damaged").into());
    }
    if kind == CONTINUATION {
        let mut cursor = Cursor::of(body);
        let (Some(start), Some(length)) = (cursor.u64(), cursor.u64()) else {
            return Err(Fault::malformed(part, at, "a continuation has no address").into());
        };
        chunks.push((start, length));
    }
    messages.push(Message {
        kind,
        flags,
        body: body.to_vec(),
    });
    Ok(())
}
