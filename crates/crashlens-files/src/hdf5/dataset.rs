//! Where the values of a data set are, and whether they are all there.

use crashlens_core::files::{FlawKind, NamedPart};

use super::chunk::{Chunks, MOST_CHUNKS, Place};
use super::message::Cursor;
use super::pipeline::Filter;
use super::tree::{Hdf5, NOWHERE, inside, too_many};
use super::types::{ElementType, FAR};
use crate::fault::{Fault, Stop};
use crate::values::Float;

const BLOCK: u64 = 1 << 20;

/// A data set.
pub(super) struct DataSet<'a> {
    pub(super) part: &'a NamedPart,
    pub(super) element: &'a ElementType,
    pub(super) shape: &'a [u64],
    pub(super) filters: Vec<Filter>,
    pub(super) full: bool,
}

/// What its values came to.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Stored {
    pub(super) bytes: u64,
    pub(super) not_finite: u64,
}

impl DataSet<'_> {
    fn bytes(&self) -> Option<u64> {
        let element = u64::from(self.element.size);
        self.shape
            .iter()
            .try_fold(element, |all, one| all.checked_mul(*one))
    }

    pub(super) fn float(&self) -> Option<Float> {
        Float::named(&self.element.name).filter(|_| self.element.is_little)
    }

    /// Whether its values are of no fixed length, and stand elsewhere.
    pub(super) fn is_far(&self) -> bool {
        self.element.class == FAR && self.element.size == 16
    }

    pub(super) fn fault(&self, at: impl Into<Option<u64>>, detail: impl Into<String>) -> Fault {
        Fault::malformed(self.part, at, detail)
    }

    /// Its chunks, of these sizes.
    pub(super) fn chunks(&self, sizes: Vec<u64>) -> Result<Chunks, Stop> {
        let detail = format!(
            "its chunks of {sizes:?} do not go with its shape {:?}",
            self.shape
        );
        let walk = Chunks::of(self, sizes);
        walk.ok_or_else(|| self.fault(None, detail).into())
    }
}

impl Hdf5<'_, '_> {
    /// Holds the layout message against shape and file.
    pub(super) fn layout(&mut self, set: &DataSet<'_>, body: &[u8]) -> Result<Stored, Stop> {
        let Some(needed) = set.bytes() else {
            return Err(set
                .fault(None, format!("its shape is {:?}", set.shape))
                .into());
        };
        let cut = || set.fault(None, "the message of its layout is cut short");
        let mut cursor = Cursor::of(body);
        let version = cursor.u8().ok_or_else(cut)?;
        match version {
            // The form of files of HDF5 2 is not followed.
            5 => return Ok(Stored::default()),
            1 | 2 => {
                let found = self.old_layout(set, &mut cursor, needed)?;
                return found.ok_or_else(|| cut().into());
            }
            3 | 4 => {}
            _ => {
                let detail = format!("its layout is of version {version}, which there is not");
                return Err(set.fault(None, detail).into());
            }
        }
        match cursor.u8().ok_or_else(cut)? {
            0 => {
                let size = u64::from(cursor.u16().ok_or_else(cut)?);
                let values = cursor.take(size as usize).ok_or_else(cut)?;
                Self::must_hold(set, size, needed)?;
                let float = set.float().filter(|_| set.full);
                Ok(Stored {
                    bytes: size,
                    not_finite: float.map_or(0, |float| float.not_finite(values)),
                })
            }
            1 => {
                let address = cursor.u64().ok_or_else(cut)?;
                let size = cursor.u64().ok_or_else(cut)?;
                self.contiguous(set, address, size, needed)
            }
            2 => {
                let found = match version {
                    3 => {
                        let rank = cursor.u8().ok_or_else(cut)?;
                        self.chunked(set, rank, &mut cursor)
                    }
                    _ => self.indexed(set, &mut cursor),
                };
                found?.ok_or_else(|| cut().into())
            }
            // Parts of other files.
            3 if version == 4 => Ok(Stored::default()),
            class => {
                let detail = format!("its layout is of class {class}, which there is not");
                Err(set.fault(None, detail).into())
            }
        }
    }

    /// As very old files have it; `None` where the message ends too soon.
    fn old_layout(
        &mut self,
        set: &DataSet<'_>,
        cursor: &mut Cursor<'_>,
        needed: u64,
    ) -> Result<Option<Stored>, Stop> {
        let (Some(rank), Some(class)) = (cursor.u8(), cursor.u8()) else {
            return Ok(None);
        };
        if cursor.skip(5).is_none() {
            return Ok(None);
        }
        match class {
            // Values in the header itself are not looked at.
            0 => Ok(Some(Stored::default())),
            1 => match cursor.u64() {
                Some(address) => self.contiguous(set, address, needed, needed).map(Some),
                None => Ok(None),
            },
            2 => self.chunked(set, rank, cursor),
            _ => {
                let detail = format!("its layout is of class {class}, which there is not");
                Err(set.fault(None, detail).into())
            }
        }
    }

    fn must_hold(set: &DataSet<'_>, stored: u64, needed: u64) -> Result<(), Stop> {
        if stored >= needed {
            return Ok(());
        }
        let detail = format!(
            "{:?} of {} needs {needed} bytes and {stored} are stored",
            set.shape, set.element.name
        );
        Err(set
            .fault(None, detail)
            .of_kind(FlawKind::Contradiction)
            .into())
    }

    fn contiguous(
        &mut self,
        set: &DataSet<'_>,
        address: u64,
        size: u64,
        needed: u64,
    ) -> Result<Stored, Stop> {
        // Values that were never written are filled in by the reader.
        if address == NOWHERE {
            return Ok(Stored::default());
        }
        if needed == 0 && size > 0 {
            let detail = format!("its shape is {:?}, and {size} bytes are stored", set.shape);
            let fault = set.fault(None, detail);
            return Err(fault.of_kind(FlawKind::Contradiction).into());
        }
        Self::must_hold(set, size, needed)?;
        let start = self.place(address);
        inside(self, set.part, start, needed, "its values")?;
        let mut stored = Stored {
            bytes: needed,
            not_finite: 0,
        };
        if set.full && (set.float().is_some() || set.is_far()) {
            let mut at = start;
            while at < start + needed {
                let length = (start + needed - at).min(BLOCK);
                let block = self.pages.stretch(at, length as usize)?;
                self.values(set, &block, &mut stored)?;
                at += length;
            }
        }
        Ok(stored)
    }

    /// `None` where the message ends too soon.
    fn chunked(
        &mut self,
        set: &DataSet<'_>,
        rank: u8,
        cursor: &mut Cursor<'_>,
    ) -> Result<Option<Stored>, Stop> {
        let Some(tree) = cursor.u64() else {
            return Ok(None);
        };
        let sizes: Option<Vec<u64>> = (0..rank).map(|_| cursor.u32().map(u64::from)).collect();
        let Some(sizes) = sizes else { return Ok(None) };
        let mut walk = set.chunks(sizes)?;
        if tree == NOWHERE {
            return Ok(Some(Stored::default()));
        }
        let tree = self.place(tree);
        self.old_chunks(set, tree, None, &mut walk)?;
        Ok(Some(walk.stored))
    }

    fn old_chunks(
        &mut self,
        set: &DataSet<'_>,
        at: u64,
        wanted: Option<u8>,
        walk: &mut Chunks,
    ) -> Result<(), Stop> {
        let (level, count) = self.node(set.part, at, 1, wanted)?;
        let key = 8 + 8 * walk.sizes.len() as u64;
        inside(
            self,
            set.part,
            at,
            24 + count * (key + 8) + key,
            "a node of its tree",
        )?;
        for number in 0..=count {
            self.corner(set, at + 24 + number * (key + 8), &walk.sizes)?;
        }
        for number in 0..count {
            walk.seen += 1;
            if walk.seen > MOST_CHUNKS {
                return Err(too_many(set.part, at));
            }
            let entry = at + 24 + number * (key + 8);
            let size = u64::from(self.pages.u32(entry)?);
            let mask = self.pages.u32(entry + 4)?;
            let child = self.pages.u64(entry + key)?;
            let child = self.place(child);
            if let Some(below) = level.checked_sub(1) {
                self.old_chunks(set, child, Some(below), walk)?;
                continue;
            }
            let place = Place {
                entry,
                at: child,
                size,
                mask,
            };
            self.chunk(set, place, walk)?;
        }
        Ok(())
    }

    /// A chunk begins at multiples of its sizes.
    fn corner(&mut self, set: &DataSet<'_>, key: u64, sizes: &[u64]) -> Result<(), Stop> {
        for (number, size) in sizes.iter().enumerate() {
            let place = self.pages.u64(key + 8 + 8 * number as u64)?;
            if place % (*size).max(1) != 0 {
                let detail = format!("a chunk begins at {place}, no multiple of {size}");
                return Err(set.fault(key, detail).into());
            }
        }
        Ok(())
    }
}
