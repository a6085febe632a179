//! One object being read: in parts, ahead of the reader, within bounds of memory.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crashlens_files::ReadAt;
use object_store::ObjectMeta;
use tokio::runtime::Handle;

use crate::bucket::{Bucket, Head};
use crate::worker::{Pending, after, begin};

/// What is asked for where a reader jumps about: more than it wants, as it often goes on from there.
const SMALLEST: u64 = 256 << 10;
/// What is asked for at a time where it reads on and on. One such part is held and one is under way.
const LARGEST: u64 = 4 << 20;

/// An object, from the moment it was opened.
pub(crate) struct Object {
    handle: Handle,
    bucket: Bucket,
    meta: ObjectMeta,
    /// Kept: readers come back to the beginning.
    head: Arc<Vec<u8>>,
    part: (u64, Vec<u8>),
    ahead: Option<(Range<u64>, Pending<Vec<u8>>)>,
    /// How much is asked for next.
    step: u64,
    /// For a single part, where no time is set for all of them.
    patience: Duration,
    deadline: Option<Instant>,
}

impl Object {
    pub(crate) fn new(handle: Handle, bucket: Bucket, head: Head, patience: Duration) -> Self {
        let end = head.bytes.len() as u64;
        Self {
            handle,
            bucket,
            meta: head.meta,
            head: head.bytes,
            part: (end, Vec::new()),
            ahead: None,
            step: SMALLEST,
            patience,
            deadline: None,
        }
    }

    /// The bytes that are held from there on.
    fn held(&self, offset: u64) -> Option<&[u8]> {
        let (start, part) = &self.part;
        let within = |bytes: &[u8], start: u64| -> Option<usize> {
            let at = usize::try_from(offset.checked_sub(start)?).ok()?;
            (at < bytes.len()).then_some(at)
        };
        if let Some(at) = within(part, *start) {
            return part.get(at..);
        }
        self.head.get(within(&self.head, 0)?..)
    }

    /// Gets the part at this place, and begins with the next where the reader reads on.
    fn get(&mut self, offset: u64, wanted: u64) -> io::Result<()> {
        let goes_on = offset == self.part.0.saturating_add(self.part.1.len() as u64);
        let (start, bytes) = match self.ahead.take() {
            Some((range, pending)) if range.contains(&offset) => {
                self.grow();
                (range.start, pending.wait(self.deadline())?)
            }
            _ => {
                if goes_on {
                    self.grow();
                } else {
                    self.step = SMALLEST;
                }
                let range = self.range(offset, self.step.max(wanted.min(LARGEST)));
                let start = range.start;
                (start, self.begin(range).wait(self.deadline())?)
            }
        };
        let end = start.saturating_add(bytes.len() as u64);
        self.part = (start, bytes);
        if goes_on && end < self.meta.size {
            let range = self.range(end, self.step);
            self.ahead = Some((range.clone(), self.begin(range)));
        }
        Ok(())
    }

    fn deadline(&self) -> Instant {
        self.deadline.unwrap_or_else(|| after(self.patience))
    }

    fn grow(&mut self) {
        self.step = self.step.saturating_mul(2).min(LARGEST);
    }

    fn range(&self, start: u64, length: u64) -> Range<u64> {
        start..start.saturating_add(length).min(self.meta.size)
    }

    fn begin(&self, range: Range<u64>) -> Pending<Vec<u8>> {
        let (bucket, meta) = (self.bucket.clone(), self.meta.clone());
        begin(&self.handle, async move { bucket.part(&meta, range).await })
    }
}

impl ReadAt for Object {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if buffer.is_empty() || offset >= self.meta.size {
            return Ok(0);
        }
        if self.held(offset).is_none() {
            self.get(offset, buffer.len() as u64)?;
        }
        let held = self.held(offset).unwrap_or_default();
        let length = held.len().min(buffer.len());
        let (Some(to), Some(from)) = (buffer.get_mut(..length), held.get(..length)) else {
            return Ok(0);
        };
        to.copy_from_slice(from);
        Ok(length)
    }

    fn set_deadline(&mut self, deadline: Instant) {
        self.deadline = Some(deadline);
    }
}
