//! Which files were mapped where.

use crashlens_core::Gaps;

use super::super::bounded;

/// A range of addresses that showed a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct MappedFile {
    /// First address.
    pub(in super::super) start: u64,
    /// First address after it.
    pub(in super::super) end: u64,
    /// Offset in the file, in bytes.
    pub(in super::super) offset: u64,
    /// Index of the path among [`MappedFiles::paths`].
    pub(in super::super) path: usize,
}

/// All mapped files, ascending and apart from each other.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct MappedFiles {
    ranges: Vec<MappedFile>,
    /// Every path once.
    pub(in super::super) paths: Vec<String>,
}

impl MappedFiles {
    /// From the note `NT_FILE`: a count, a unit of offsets, the ranges, then as many paths.
    pub(super) fn from_note(bytes: &[u8], gaps: &mut Gaps) -> Self {
        const PART: &str = "list of mapped files";
        let (Some(count), Some(unit)) = (bounded::u64(bytes, 0), bounded::u64(bytes, 8)) else {
            super::too_short(PART, bytes, gaps);
            return Self::default();
        };
        let room = (bytes.len() as u64 - 16) / 24;
        let names_start = count.min(room) as usize * 24 + 16;
        let names = bytes.get(names_start..).unwrap_or(&[]);
        let mut files = Self::default();
        let mut known = std::collections::HashMap::new();
        let mut cursor = 0;
        for index in 0..count.min(room) as usize {
            let rest = names.get(cursor..).unwrap_or(&[]);
            let Some(length) = memchr::memchr(0, rest) else {
                break;
            };
            cursor += length + 1;
            let path = *known.entry(&rest[..length]).or_insert_with(|| {
                files
                    .paths
                    .push(String::from_utf8_lossy(&rest[..length]).into_owned());
                files.paths.len() - 1
            });
            let word = |place: usize| bounded::u64(bytes, 16 + index * 24 + place * 8).unwrap_or(0);
            let range = MappedFile {
                start: word(0),
                end: word(1),
                offset: word(2).saturating_mul(unit),
                path,
            };
            files.ranges.push(range);
        }
        let read = files.ranges.len() as u64;
        if read < count {
            gaps.add(
                PART,
                format!("its note is damaged: {read} of {count} entries can be read"),
                None,
            );
        }
        files.ranges.sort_by_key(|range| range.start);
        let mut taken = 0;
        files.ranges.retain(|range| {
            let apart = range.start >= taken && range.end > range.start;
            taken = taken.max(range.end);
            apart
        });
        files
    }

    /// All ranges, ascending.
    pub(in super::super) fn ranges(&self) -> &[MappedFile] {
        &self.ranges
    }

    /// The range that holds `address`.
    pub(in super::super) fn at(&self, address: u64) -> Option<&MappedFile> {
        let after = self.ranges.partition_point(|range| range.start <= address);
        self.ranges
            .get(after.checked_sub(1)?)
            .filter(|range| address < range.end)
    }

    /// The path of a range.
    pub(in super::super) fn path(&self, range: &MappedFile) -> &str {
        self.paths.get(range.path).map_or("", String::as_str)
    }
}
