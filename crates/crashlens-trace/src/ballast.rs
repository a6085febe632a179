//! Memory that is held back for the moment when there is none left.
//!
//! In a container crashlens shares the limit with the program. When the program is killed for memory, it stands
//! still at its exit until it has been read, and frees nothing; what crashlens needs for reading is refused, and
//! both wait for each other until, two seconds later, the kernel takes the program's memory away unread.
//! Memory that crashlens gives back at that moment breaks the circle.

use memmap2::MmapMut;

/// Reading a process with TensorFlow takes this much.
const WANTED: usize = 16 << 20;
/// At most this part of the limit is held back. A program that needs the very last of its limit dies of it, as it
/// may of the memory that any supervisor in its group needs.
const LARGEST_PART: u64 = 64;
/// Less helps nobody.
const SMALLEST: usize = 1 << 20;
const PAGE: usize = 4096;

/// Memory held back.
#[derive(Debug, Default)]
pub(crate) struct Ballast(Option<MmapMut>);

impl Ballast {
    /// Holds memory back, unless that is done already or the limit leaves no room for it.
    pub(crate) fn take(&mut self, limit: u64, used: u64) {
        if self.0.is_some() {
            return;
        }
        let size = usize::try_from(limit / LARGEST_PART).map_or(WANTED, |part| part.min(WANTED));
        let left = limit.saturating_sub(used);
        if size < SMALLEST || left < 4 * size as u64 {
            return;
        }
        let Ok(mut memory) = MmapMut::map_anon(size) else {
            return;
        };
        // Only pages that were written to count.
        memory.iter_mut().step_by(PAGE).for_each(|byte| *byte = 1);
        self.0 = Some(memory);
    }

    /// Gives it back.
    pub(crate) fn release(&mut self) {
        self.0 = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_part_of_a_limit_is_held_back_while_there_is_room() {
        let mut ballast = Ballast::default();
        ballast.take(10 << 20, 0);
        assert!(ballast.0.is_none(), "the limit is too low");
        ballast.take(1 << 30, (1 << 30) - (20 << 20));
        assert!(ballast.0.is_none(), "too little is left");
        ballast.take(512 << 20, 100 << 20);
        assert_eq!(ballast.0.as_ref().map(|memory| memory.len()), Some(8 << 20));
        ballast.take(100 << 30, 0);
        assert_eq!(ballast.0.as_ref().map(|memory| memory.len()), Some(8 << 20));
        ballast.release();
        assert!(ballast.0.is_none());
    }
}
