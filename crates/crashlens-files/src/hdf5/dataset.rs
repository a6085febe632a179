//! Where the values of a data set are, and whether they are all there.

use std::io::Read;

use crashlens_core::files::FlawKind;

use super::checksum::fletcher32;
use super::message::{Cursor, Message};
use super::tree::{Hdf5, NOWHERE, inside, too_many};
use super::types::ElementType;
use crate::fault::{Fault, Stop};
use crate::values::Float;

/// Chunks of one data set that are looked at.
const MOST_CHUNKS: u64 = 1_000_000;
/// Bytes of a chunk that are held.
const LARGEST_CHUNK: u64 = 32 << 20;
const BLOCK: u64 = 1 << 20;
const DEFLATE: u16 = 1;
const SHUFFLE: u16 = 2;
const FLETCHER32: u16 = 3;

/// A data set.
pub(super) struct DataSet<'a> {
    pub(super) part: &'a str,
    pub(super) element: &'a ElementType,
    pub(super) shape: &'a [u64],
    pub(super) filters: Vec<u16>,
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

    fn float(&self) -> Option<Float> {
        Float::named(&self.element.name).filter(|_| self.element.is_little)
    }

    fn fault(&self, at: impl Into<Option<u64>>, detail: impl Into<String>) -> Fault {
        Fault::malformed(self.part, at, detail)
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
            // The forms of very old files and of the newest ones are not followed.
            1 | 2 | 4 | 5 => return Ok(Stored::default()),
            3 => {}
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
            2 => self
                .chunked(set, &mut cursor)
                .and_then(|found| found.ok_or_else(|| cut().into())),
            class => {
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
        if let Some(float) = set.float().filter(|_| set.full) {
            let mut at = start;
            while at < start + needed {
                let length = (start + needed - at).min(BLOCK);
                let block = self.pages.stretch(at, length as usize)?;
                stored.not_finite += float.not_finite(&block);
                at += length;
            }
        }
        Ok(stored)
    }

    /// `None` where the message ends too soon.
    fn chunked(
        &mut self,
        set: &DataSet<'_>,
        cursor: &mut Cursor<'_>,
    ) -> Result<Option<Stored>, Stop> {
        let (Some(rank), Some(tree)) = (cursor.u8(), cursor.u64()) else {
            return Ok(None);
        };
        let sizes: Option<Vec<u32>> = (0..rank).map(|_| cursor.u32()).collect();
        let Some(sizes) = sizes else { return Ok(None) };
        let length = sizes
            .iter()
            .try_fold(1_u64, |all, one| all.checked_mul(u64::from(*one)));
        let fits = usize::from(rank) == set.shape.len() + 1
            && sizes.last() == Some(&set.element.size)
            && sizes.iter().all(|size| *size > 0);
        let Some(length) = length.filter(|_| fits) else {
            let detail = format!(
                "its chunks of {sizes:?} do not go with its shape {:?}",
                set.shape
            );
            return Err(set.fault(None, detail).into());
        };
        if tree == NOWHERE {
            return Ok(Some(Stored::default()));
        }
        let mut walk = Chunks {
            sizes,
            length,
            seen: 0,
            stored: Stored::default(),
        };
        let tree = self.place(tree);
        self.chunks(set, tree, None, &mut walk)?;
        Ok(Some(walk.stored))
    }

    fn chunks(
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
                self.chunks(set, child, Some(below), walk)?;
                continue;
            }
            inside(self, set.part, child, size, "a chunk of its values")?;
            if set.filters.is_empty() && size != walk.length {
                let detail = format!("a chunk has {size} bytes and needs {}", walk.length);
                return Err(set
                    .fault(entry, detail)
                    .of_kind(FlawKind::Contradiction)
                    .into());
            }
            walk.stored.bytes += size;
            self.chunk(set, child, size, mask, walk)?;
        }
        Ok(())
    }

    /// A chunk begins at multiples of its sizes.
    fn corner(&mut self, set: &DataSet<'_>, key: u64, sizes: &[u32]) -> Result<(), Stop> {
        for (number, size) in sizes.iter().enumerate() {
            let place = self.pages.u64(key + 8 + 8 * number as u64)?;
            if place % u64::from(*size).max(1) != 0 {
                let detail = format!("a chunk begins at {place}, no multiple of {size}");
                return Err(set.fault(key, detail).into());
            }
        }
        Ok(())
    }

    /// The checksum of a chunk, where it has one; with `full` what it unpacks to.
    fn chunk(
        &mut self,
        set: &DataSet<'_>,
        at: u64,
        size: u64,
        mask: u32,
        walk: &mut Chunks,
    ) -> Result<(), Stop> {
        let last = set.filters.len().saturating_sub(1);
        let is_summed = set.filters.last() == Some(&FLETCHER32) && mask >> last & 1 == 0;
        if size > LARGEST_CHUNK || !(is_summed || set.full) {
            return Ok(());
        }
        let bytes = self.pages.stretch(at, size as usize)?;
        let mut packed = bytes.as_slice();
        if is_summed {
            let Some((body, sum)) = packed.split_last_chunk::<4>() else {
                return Err(set
                    .fault(at, "a chunk is too short for its checksum")
                    .into());
            };
            let (stored, found) = (u32::from_le_bytes(*sum), fletcher32(body));
            // An old library wrote the halves with their bytes swapped; readers take both.
            let swapped = (found & 0x00ff_00ff) << 8 | (found >> 8 & 0x00ff_00ff);
            if stored != found && stored != swapped {
                let detail =
                    format!("a chunk has the checksum {stored:08x}, and it is {found:08x}");
                let fault = set.fault(at, detail).of_kind(FlawKind::ChecksumMismatch);
                return Err(fault.into());
            }
            packed = body;
        }
        if set.full && mask == 0 {
            Self::unpack(set, at, packed, walk)?;
        }
        Ok(())
    }

    fn unpack(set: &DataSet<'_>, at: u64, packed: &[u8], walk: &mut Chunks) -> Result<(), Stop> {
        let is_known = |filter: &u16| matches!(*filter, DEFLATE | SHUFFLE | FLETCHER32);
        if !set.filters.iter().all(is_known) || walk.length > LARGEST_CHUNK {
            return Ok(());
        }
        let is_shuffled = set.filters.contains(&SHUFFLE);
        if !set.filters.contains(&DEFLATE) {
            if let Some(float) = set.float().filter(|_| !is_shuffled) {
                walk.stored.not_finite += float.not_finite(packed);
            }
            return Ok(());
        }
        let mut values = Vec::new();
        let mut inflate = flate2::read::ZlibDecoder::new(packed).take(walk.length + 1);
        let outcome = inflate.read_to_end(&mut values);
        if outcome.is_err() || values.len() as u64 != walk.length {
            let detail = format!(
                "a chunk unpacks to {} of {} bytes",
                values.len().min(walk.length as usize + 1),
                walk.length
            );
            return Err(set.fault(at, detail).into());
        }
        if let Some(float) = set.float() {
            if is_shuffled {
                values = unshuffled(&values, float.bytes());
            }
            walk.stored.not_finite += float.not_finite(&values);
        }
        Ok(())
    }
}

struct Chunks {
    /// Those of a chunk; the last is that of an element.
    sizes: Vec<u32>,
    /// Bytes of a chunk when it is unpacked.
    length: u64,
    seen: u64,
    stored: Stored,
}

/// First bytes of all elements stand first, then the second ones.
fn unshuffled(bytes: &[u8], width: usize) -> Vec<u8> {
    let count = bytes.len() / width;
    let at = |element: usize, place: usize| bytes.get(place * count + element).copied();
    let places = (0..count).flat_map(|element| (0..width).map(move |place| (element, place)));
    places
        .filter_map(|(element, place)| at(element, place))
        .collect()
}

/// The filters that a message lists, first applied first; `None` where it is damaged.
pub(super) fn filters(message: &Message) -> Option<Vec<u16>> {
    let mut cursor = Cursor::of(&message.body);
    let (version, count) = (cursor.u8()?, cursor.u8()?);
    if !(1..=2).contains(&version) || count > 32 {
        return None;
    }
    if version == 1 {
        cursor.skip(6)?;
    }
    let mut filters = Vec::new();
    for _ in 0..count {
        let id = cursor.u16()?;
        let name = if version == 1 || id >= 256 {
            cursor.u16()?
        } else {
            0
        };
        cursor.skip(2)?;
        let values = usize::from(cursor.u16()?);
        let padded = if version == 1 {
            name.next_multiple_of(8)
        } else {
            name
        };
        cursor.skip(usize::from(padded))?;
        let odd = if version == 1 { values % 2 } else { 0 };
        cursor.skip(4 * (values + odd))?;
        filters.push(id);
    }
    Some(filters)
}
