//! One chunk of a data set: that it is there, and unpacks to what it should.

use crashlens_core::files::{FlawKind, Part};

use super::dataset::{DataSet, Stored};
use super::pipeline::{is_summed, missing, undo};
use super::tree::{Hdf5, inside};
use crate::fault::{Fault, Stop};

/// Chunks of one data set that are looked at.
pub(super) const MOST_CHUNKS: u64 = 1_000_000;
/// Bytes of a chunk that are held.
const LARGEST_CHUNK: u64 = 32 << 20;
/// Heaps of a file that are looked at for the sake of data sets; a block of values is gone through to its end.
const MOST_HEAPS: usize = 5000;

/// The chunks of a data set, while they are walked.
pub(super) struct Chunks {
    /// Those of a chunk; the last is that of an element.
    pub(super) sizes: Vec<u64>,
    /// Bytes of a chunk when it is unpacked.
    pub(super) length: u64,
    /// Chunks at the edges are stored without going through the filters.
    pub(super) has_plain_edges: bool,
    pub(super) seen: u64,
    pub(super) stored: Stored,
}

/// Where a chunk is, as its index says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Of the entry of the index.
    pub(super) entry: u64,
    pub(super) at: u64,
    pub(super) size: u64,
    /// Filters that were left out.
    pub(super) mask: u32,
}

impl Chunks {
    /// The chunks of a data set; `None` where they do not go with its shape.
    pub(super) fn of(set: &DataSet<'_>, sizes: Vec<u64>) -> Option<Self> {
        let length = sizes
            .iter()
            .try_fold(1_u64, |all, one| all.checked_mul(*one))?;
        let fits = sizes.len() == set.shape.len() + 1
            && sizes.last() == Some(&u64::from(set.element.size))
            && sizes.iter().all(|size| *size > 0);
        fits.then(|| Self {
            sizes,
            length,
            has_plain_edges: false,
            seen: 0,
            stored: Stored::default(),
        })
    }
}

impl Hdf5<'_, '_> {
    /// Looks at a chunk: its checksum, where it has one; with `full` what it unpacks to.
    pub(super) fn chunk(
        &mut self,
        set: &DataSet<'_>,
        place: Place,
        walk: &mut Chunks,
    ) -> Result<(), Stop> {
        let Place {
            entry,
            at,
            size,
            mask,
        } = place;
        inside(self, set.part, at, size, "a chunk of its values")?;
        if set.filters.is_empty() && size != walk.length {
            let detail = format!("a chunk has {size} bytes and needs {}", walk.length);
            let fault = set.fault(entry, detail);
            return Err(fault.of_kind(FlawKind::Contradiction).into());
        }
        walk.stored.bytes = walk.stored.bytes.saturating_add(size);
        // Which of them are at the edges is not followed.
        if walk.has_plain_edges {
            return Ok(());
        }
        if let Some(detail) = missing(&set.filters, mask) {
            let part = Part::Filter.written(set.part.words());
            let fault = Fault::malformed(part, at, detail);
            return Err(fault.of_kind(FlawKind::Unsupported).into());
        }
        let is_small = size <= LARGEST_CHUNK && walk.length <= LARGEST_CHUNK;
        let float = set.float();
        let has_filters = !set.filters.is_empty();
        let is_asked = set.full && (has_filters || float.is_some() || set.is_far());
        if !is_small || !(is_asked || is_summed(&set.filters, mask)) {
            return Ok(());
        }
        let bytes = self.pages.stretch(at, size as usize)?;
        let values = undo(&set.filters, mask, bytes, walk.length, set.full)
            .map_err(|(kind, detail)| set.fault(at, detail).of_kind(kind))?;
        match values.filter(|_| set.full) {
            Some(values) => self.values(set, &values, &mut walk.stored),
            None => Ok(()),
        }
    }

    /// Looks at values as they are in memory.
    pub(super) fn values(
        &mut self,
        set: &DataSet<'_>,
        values: &[u8],
        stored: &mut Stored,
    ) -> Result<(), Stop> {
        if let Some(float) = set.float() {
            stored.not_finite += float.not_finite(values);
        }
        if set.is_far() && self.heaps.len() < MOST_HEAPS {
            self.far_values(set.part, values, set.element.is_far_text)?;
        }
        Ok(())
    }
}
