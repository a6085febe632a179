//! The groups of a file and what is in them: symbol tables of the old kind, links of the new one.

use std::collections::HashMap;

use super::message::Cursor;
use crate::fault::{Fault, Stop};
use crate::pages::Pages;
use crashlens_core::files::FlawKind;

/// Nodes of all trees.
const MOST_NODES: u64 = 200_000;
/// Levels of a tree.
const DEEPEST: u8 = 16;
/// Bytes of a name.
const LONGEST_NAME: usize = 1024;
/// What ends a list of unused stretches.
const END_OF_LIST: u64 = 1;
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
    part: &str,
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
        let part = "the superblock";
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
            inside(self, part, base + 32, 40, "the entry of the root group")?;
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

    pub(super) fn place(&self, address: u64) -> u64 {
        self.base.saturating_add(address)
    }

    fn letters(&mut self, part: &str, at: u64, wanted: [u8; 4]) -> Result<(), Stop> {
        inside(self, part, at, 8, "a node")?;
        let found: [u8; 4] = self.pages.bytes(at)?;
        if found == wanted {
            return Ok(());
        }
        let wanted = String::from_utf8_lossy(&wanted);
        Err(Fault::malformed(part, at, format!("the letters {wanted} are not there")).into())
    }

    /// Names and headers of what is in a group of the old kind.
    pub(super) fn symbols(
        &mut self,
        part: &str,
        tree: u64,
        heap: u64,
    ) -> Result<Vec<(String, u64)>, Stop> {
        let heap = self.place(heap);
        self.letters(part, heap, *b"HEAP")?;
        inside(self, part, heap, 32, "the heap of its names")?;
        let (length, names) = (self.pages.u64(heap + 8)?, self.pages.u64(heap + 24)?);
        let names = self.place(names);
        inside(self, part, names, length, "the heap of its names")?;
        self.free_list(part, heap, names, length)?;
        let mut entries = Vec::new();
        let mut nodes = Vec::new();
        let tree = self.place(tree);
        self.leaves(part, tree, None, &mut nodes)?;
        for node in nodes {
            self.letters(part, node, *b"SNOD")?;
            let count = u64::from(self.pages.u16(node + 6)?);
            inside(self, part, node, 8 + 40 * count, "a list of its members")?;
            for number in 0..count {
                let entry = node + 8 + 40 * number;
                let (name, header) = (self.pages.u64(entry)?, self.pages.u64(entry + 8)?);
                if name >= length {
                    let detail = format!("a name would be at {name} of {length} bytes of names");
                    return Err(Fault::malformed(part, entry, detail).into());
                }
                let name = self.text(names + name, length - name)?;
                // Links by name lead elsewhere and have no header.
                if self.pages.u32(entry + 16)? != 2 {
                    entries.push((name, header));
                }
            }
        }
        Ok(entries)
    }

    /// The unused stretches of a heap of names, which readers walk through.
    fn free_list(&mut self, part: &str, heap: u64, names: u64, length: u64) -> Result<(), Stop> {
        let mut free = self.pages.u64(heap + 16)?;
        for _ in 0..=length / 16 {
            if free == END_OF_LIST {
                return Ok(());
            }
            let is_inside = free.checked_add(16).is_some_and(|end| end <= length);
            let size = if is_inside {
                self.pages.u64(names + free + 8)?
            } else {
                0
            };
            if !is_inside || free.checked_add(size).is_none_or(|end| end > length) || size == 0 {
                let detail = format!("the list of unused names leads to {free} of {length} bytes");
                return Err(Fault::malformed(part, heap, detail).into());
            }
            free = self.pages.u64(names + free)?;
        }
        Err(Fault::malformed(part, heap, "the list of unused names goes in a circle").into())
    }

    /// A text that ends with a zero.
    fn text(&mut self, at: u64, most: u64) -> Result<String, Stop> {
        let most = usize::try_from(most)
            .unwrap_or(usize::MAX)
            .min(LONGEST_NAME);
        let bytes = self.pages.stretch(at, most)?;
        let end = memchr::memchr(0, &bytes).unwrap_or(bytes.len());
        Ok(String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned())
    }

    /// The lists of members that a tree leads to.
    fn leaves(
        &mut self,
        part: &str,
        at: u64,
        wanted: Option<u8>,
        leaves: &mut Vec<u64>,
    ) -> Result<(), Stop> {
        let (level, count) = self.node(part, at, 0, wanted)?;
        inside(self, part, at, 24 + 8 + 16 * count, "a node of its tree")?;
        for number in 0..count {
            let child = self.pages.u64(at + 32 + 16 * number)?;
            let child = self.place(child);
            match level.checked_sub(1) {
                None => leaves.push(child),
                below => self.leaves(part, child, below, leaves)?,
            }
        }
        Ok(())
    }

    /// Level and entries of a node of a tree; below the root the level is known.
    pub(super) fn node(
        &mut self,
        part: &str,
        at: u64,
        kind: u8,
        wanted: Option<u8>,
    ) -> Result<(u8, u64), Stop> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err(too_many(part, at));
        }
        self.letters(part, at, *b"TREE")?;
        inside(self, part, at, 24, "a node of its tree")?;
        let (found, level) = (self.pages.u8(at + 4)?, self.pages.u8(at + 5)?);
        if found != kind || level > DEEPEST || wanted.is_some_and(|wanted| wanted != level) {
            let detail = format!("a node of its tree is of kind {found} and level {level}");
            return Err(Fault::malformed(part, at, detail).into());
        }
        Ok((level, u64::from(self.pages.u16(at + 6)?)))
    }
}

pub(super) fn too_many(part: &str, at: u64) -> Stop {
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
