//! The memory of a core: which addresses, and which of their bytes are in the file.

use crashlens_core::Gaps;
use object::LittleEndian;
use object::elf::{self, ProgramHeader64};

use super::headers::LE;

/// One mapping of the process as the core's program headers have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    /// First address.
    pub(super) start: u64,
    /// First address after it.
    pub(super) end: u64,
    /// Where its bytes are in the core.
    pub(super) file_offset: u64,
    /// How many bytes from `start` on are in the core.
    pub(super) dumped: u64,
    /// What the process was allowed to do there.
    pub(super) access: Access,
}

/// What a process was allowed to do with a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access(pub(super) elf::ProgramFlags);

impl Access {
    pub(super) fn may_write(self) -> bool {
        self.0.contains(elf::PF_W)
    }

    pub(super) fn may_execute(self) -> bool {
        self.0.contains(elf::PF_X)
    }

    /// Whether it was allowed nothing at all.
    pub(super) fn is_none(self) -> bool {
        !self.0.contains(elf::PF_R) && !self.may_write() && !self.may_execute()
    }

    /// As in `/proc/PID/maps`. A core does not tell private mappings from shared ones: all are called private.
    pub(super) fn permissions(self) -> String {
        let letter = |flag, letter| if self.0.contains(flag) { letter } else { '-' };
        [
            letter(elf::PF_R, 'r'),
            letter(elf::PF_W, 'w'),
            letter(elf::PF_X, 'x'),
            'p',
        ]
        .iter()
        .collect()
    }
}

/// All segments of a core, ascending and apart from each other.
#[derive(Debug, Clone, Default)]
pub(super) struct Segments(Vec<Segment>);

impl Segments {
    /// From the program headers of a core of `length` bytes.
    pub(super) fn load(
        headers: &[ProgramHeader64<LittleEndian>],
        length: u64,
        gaps: &mut Gaps,
    ) -> Self {
        let mut missing = Missing::default();
        let mut segments: Vec<Segment> = headers
            .iter()
            .filter(|header| header.p_type.get(LE) == elf::PT_LOAD)
            .filter_map(|header| segment(header, length, &mut missing))
            .collect();
        missing.report(segments.len(), length, gaps);
        segments.sort_by_key(|segment| segment.start);
        separate(&mut segments, gaps);
        Self(segments)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Segment> {
        self.0.iter()
    }

    /// The segment that holds `address`.
    pub(super) fn at(&self, address: u64) -> Option<&Segment> {
        let after = self.0.partition_point(|segment| segment.start <= address);
        self.0
            .get(after.checked_sub(1)?)
            .filter(|segment| address < segment.end)
    }

    /// The first address from `address` on that is in a segment.
    pub(super) fn next_start(&self, address: u64) -> Option<u64> {
        let after = self.0.partition_point(|segment| segment.start <= address);
        self.0.get(after).map(|segment| segment.start)
    }
}

impl Segment {
    /// The bytes of the core from `address` to the end of what was dumped of this segment.
    pub(super) fn bytes_from<'a>(&self, core: &'a [u8], address: u64) -> Option<&'a [u8]> {
        let skipped = address.checked_sub(self.start)?;
        let length = self
            .dumped
            .checked_sub(skipped)
            .filter(|length| *length > 0)?;
        let from = usize::try_from(self.file_offset.checked_add(skipped)?).ok()?;
        core.get(from..)?.get(..usize::try_from(length).ok()?)
    }
}

fn segment(
    header: &ProgramHeader64<LittleEndian>,
    length: u64,
    missing: &mut Missing,
) -> Option<Segment> {
    let start = header.p_vaddr.get(LE);
    let promised = header.p_filesz.get(LE);
    let end = start.saturating_add(header.p_memsz.get(LE).max(promised));
    let file_offset = header.p_offset.get(LE);
    let dumped = promised
        .min(length.saturating_sub(file_offset))
        .min(end - start);
    missing.count(promised - dumped);
    (end > start).then_some(Segment {
        start,
        end,
        file_offset,
        dumped,
        access: Access(header.p_flags.get(LE)),
    })
}

/// Cuts overlapping segments, so that every address has one home; only a damaged core has any.
fn separate(segments: &mut Vec<Segment>, gaps: &mut Gaps) {
    let mut taken = 0;
    let mut overlaps = 0;
    segments.retain_mut(|segment| {
        let covered = taken.max(segment.start) - segment.start;
        taken = taken.max(segment.end);
        if covered == 0 {
            return true;
        }
        overlaps += 1;
        segment.start = segment.start.saturating_add(covered).min(segment.end);
        segment.file_offset = segment.file_offset.saturating_add(covered);
        segment.dumped = segment.dumped.saturating_sub(covered);
        segment.start < segment.end
    });
    if overlaps > 0 {
        gaps.add(
            "memory of the core",
            format!("{overlaps} of its segments overlap others, so it is damaged"),
            None,
        );
    }
}

/// What the program headers promise and the file does not hold.
#[derive(Debug, Default)]
struct Missing {
    segments: u64,
    bytes: u64,
}

impl Missing {
    fn count(&mut self, bytes: u64) {
        self.segments += u64::from(bytes > 0);
        self.bytes = self.bytes.saturating_add(bytes);
    }

    fn report(&self, segments: usize, length: u64, gaps: &mut Gaps) {
        if self.segments == 0 {
            return;
        }
        gaps.add(
            "memory of the core",
            format!(
                "the file ends at {length} bytes: {} bytes of {} of its {segments} segments are missing",
                self.bytes, self.segments
            ),
            Some("Check `ulimit -c` and the free disk space, then let the program crash again."),
        );
    }
}
