//! Where a file begins, the nodes of its trees, and links of the new kind.

use std::collections::HashMap;

use super::message::Cursor;
use crate::fault::{Fault, Stop};
use crate::pages::Pages;
use crashlens_core::files::{FlawKind, NamedPart, Part};

/// Nodes of all trees.
const MOST_NODES: u64 = 200_000;
/// Levels of a tree.
pub(super) const DEEPEST: u8 = 16;
/// Bytes of a block of an index.
const LARGEST_BLOCK: u64 = 16 << 20;
/// Of the file's state: open for writing, whole, written while it is read.
const KNOWN_FLAGS: u32 = 7;
/// No address.
pub(super) const NOWHERE: u64 = u64::MAX;

/// A file being walked.
pub(super) struct Hdf5<'a, 'b> {
    pub(super) pages: &'a mut Pages<'b>,
    /// Where addresses count from.
    pub(super) base: u64,
    /// Global heaps that were walked: by their addresses, what is in them.
    pub(super) heaps: HashMap<u64, Vec<HeapObject>>,
    /// Nodes of trees that were walked.
    pub(super) nodes: u64,
    /// Members that a list of them has room for, and children that a node of such a tree has.
    pub(super) room: [u64; 2],
    /// Keras reads it, which does not look everywhere.
    pub(super) is_model: bool,
}

/// Something in a global heap.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeapObject {
    pub(super) index: u32,
    pub(super) at: u64,
    pub(super) size: u64,
}

/// Where the root group is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Root {
    pub(super) header: u64,
    /// Where the file should end.
    pub(super) end: u64,
}

/// That so many bytes lie within the file.
pub(super) fn inside(
    file: &Hdf5<'_, '_>,
    part: &NamedPart,
    at: u64,
    length: u64,
    what: &str,
) -> Result<(), Stop> {
    let size = file.pages.size();
    if at.checked_add(length).is_some_and(|end| end <= size) {
        return Ok(());
    }
    let detail =
        format!("{what} would be {length} bytes at byte {at}, and the file ends at {size}");
    Err(Fault::malformed(part, at, detail).into())
}

impl Hdf5<'_, '_> {
    /// Reads the superblock, which stands at byte 0 or at a power of two from 512 on.
    pub(super) fn superblock(&mut self, start: u64) -> Result<Root, Stop> {
        let part = &Part::Superblock.into();
        inside(self, part, start, 48, "it")?;
        let version = self.pages.u8(start + 8)?;
        let (widths, base) = match version {
            0 => (start + 13, start + 24),
            1 => (start + 13, start + 28),
            2 | 3 => (start + 9, start + 12),
            _ => {
                let detail = format!("there is no version {version}");
                return Err(Fault::malformed(part, start + 8, detail).into());
            }
        };
        let widths = (self.pages.u8(widths)?, self.pages.u8(widths + 1)?);
        if widths != (8, 8) {
            let detail = format!(
                "its addresses have {} bytes and its lengths {}",
                widths.0, widths.1
            );
            return Err(Fault::malformed(part, start, detail).into());
        }
        inside(self, part, base, 32, "it")?;
        self.base = self.pages.u64(base)?;
        let end = self.pages.u64(base + 16)?;
        let header = if version < 2 {
            // Each is said by its half.
            let halves = [self.pages.u16(start + 16)?, self.pages.u16(start + 18)?];
            self.room = halves.map(|half| 2 * u64::from(half));
            if [9, 10, 12]
                .iter()
                .any(|at| !matches!(self.pages.u8(start + at), Ok(0)))
            {
                return Err(Fault::malformed(part, start + 9, "a version in it is not 0").into());
            }
            if self.pages.u64(base + 8)? != NOWHERE {
                let detail = "it has an extension, which old ones cannot have";
                return Err(Fault::malformed(part, base + 8, detail).into());
            }
            let driver = self.pages.u64(base + 24)?;
            if driver != NOWHERE && self.is_asked_for(driver) {
                let detail = "it names a driver of its own, which its readers do not have";
                return Err(Fault::malformed(part, base + 24, detail).into());
            }
            if self.pages.u32(start + 20)? & !KNOWN_FLAGS != 0 {
                return Err(Fault::malformed(part, start + 20, "it has unknown flags").into());
            }
            inside(self, part, base + 32, 40, "the entry of the root group")?;
            if self.pages.u32(base + 48)? > 2 {
                let detail = "the root group is kept in a way that there is not";
                return Err(Fault::malformed(part, base + 48, detail).into());
            }
            self.pages.u64(base + 40)?
        } else {
            let mut body = [0; 44];
            self.pages.fill(start, &mut body)?;
            let stored = self.pages.u32(start + 44)?;
            Self::sum(part, start, &body, stored)?;
            self.pages.u64(base + 24)?
        };
        Ok(Root { header, end })
    }

    /// The library passes over a driver that would stand behind the end of the file; where an address counts as negative,
    /// it gives up.
    fn is_asked_for(&self, driver: u64) -> bool {
        let end = self.place(driver).saturating_add(16);
        end <= self.pages.size() || driver > i64::MAX as u64
    }

    pub(super) fn place(&self, address: u64) -> u64 {
        self.base.saturating_add(address)
    }

    pub(super) fn letters(
        &mut self,
        part: &NamedPart,
        at: u64,
        wanted: [u8; 4],
    ) -> Result<(), Stop> {
        inside(self, part, at, 8, "a node")?;
        let found: [u8; 4] = self.pages.bytes(at)?;
        if found == wanted {
            return Ok(());
        }
        let wanted = String::from_utf8_lossy(&wanted);
        Err(Fault::malformed(part, at, format!("the letters {wanted} are not there")).into())
    }

    /// Blocks may lead to each other as they like; so many are looked at in a file.
    pub(super) fn spend(&mut self, part: &NamedPart, at: u64, nodes: u64) -> Result<(), Stop> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > MOST_NODES {
            return Err(too_many(part, at));
        }
        Ok(())
    }

    /// The bytes of a stretch that ends in its checksum, without that.
    pub(super) fn summed(
        &mut self,
        part: &NamedPart,
        at: u64,
        length: u64,
    ) -> Result<Vec<u8>, Stop> {
        self.spend(part, at, 1)?;
        inside(self, part, at, length, "a block of its index")?;
        if length > LARGEST_BLOCK {
            let detail = format!("a block of its index has {length} bytes");
            let fault = Fault::malformed(part, at, detail);
            return Err(fault.of_kind(FlawKind::TooLarge).into());
        }
        let mut bytes = self.pages.stretch(at, length as usize)?;
        let Some((body, sum)) = bytes.split_last_chunk::<4>() else {
            let detail = "a block of its index is too short";
            return Err(Fault::malformed(part, at, detail).into());
        };
        Self::sum(part, at, body, u32::from_le_bytes(*sum))?;
        bytes.truncate(bytes.len() - 4);
        Ok(bytes)
    }

    /// The same for one that begins with letters and the version 0.
    pub(super) fn sealed(
        &mut self,
        part: &NamedPart,
        at: u64,
        length: u64,
        letters: [u8; 4],
    ) -> Result<Vec<u8>, Stop> {
        self.letters(part, at, letters)?;
        let bytes = self.summed(part, at, length)?;
        match bytes.get(4) {
            Some(0) => Ok(bytes),
            version => {
                let detail = format!("a block of its index is of version {version:?}");
                Err(Fault::malformed(part, at, detail).into())
            }
        }
    }

    /// Level and entries of a node of a tree; below the root the level is known.
    pub(super) fn node(
        &mut self,
        part: &NamedPart,
        at: u64,
        kind: u8,
        wanted: Option<u8>,
    ) -> Result<(u8, u64), Stop> {
        self.spend(part, at, 1)?;
        self.letters(part, at, *b"TREE")?;
        inside(self, part, at, 24, "a node of its tree")?;
        let (found, level) = (self.pages.u8(at + 4)?, self.pages.u8(at + 5)?);
        if found != kind || level > DEEPEST || wanted.is_some_and(|wanted| wanted != level) {
            let detail = format!("a node of its tree is of kind {found} and level {level}");
            return Err(Fault::malformed(part, at, detail).into());
        }
        let count = u64::from(self.pages.u16(at + 6)?);
        if kind == 0 && count > self.room[1] {
            let detail = format!("a node of its tree has {count} children");
            return Err(Fault::malformed(part, at, detail).into());
        }
        Ok((level, count))
    }
}

pub(super) fn too_many(part: &NamedPart, at: u64) -> Stop {
    let fault = Fault::malformed(
        part,
        at,
        format!("its trees have more than {MOST_NODES} nodes"),
    );
    fault.of_kind(FlawKind::TooLarge).into()
}

/// Name and header of a link message; `None` where it leads elsewhere.
pub(super) fn link(body: &[u8]) -> Option<(String, u64)> {
    let mut cursor = Cursor::of(body);
    let (version, flags) = (cursor.u8()?, cursor.u8()?);
    let kind = if flags & 8 != 0 { cursor.u8()? } else { 0 };
    if flags & 4 != 0 {
        cursor.skip(8)?;
    }
    if flags & 16 != 0 {
        cursor.skip(1)?;
    }
    let length = match flags & 3 {
        0 => u64::from(cursor.u8()?),
        1 => u64::from(cursor.u16()?),
        2 => u64::from(cursor.u32()?),
        _ => cursor.u64()?,
    };
    let name = cursor.take(usize::try_from(length).ok()?)?;
    let name = String::from_utf8_lossy(name).into_owned();
    (version == 1 && kind == 0).then_some((name, cursor.u64()?))
}
