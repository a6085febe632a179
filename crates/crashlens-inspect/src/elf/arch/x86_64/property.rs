//! The notes in which a file says what it asks of the processor.

use object::LittleEndian;
use object::elf::{self, FileHeader64};
use object::read::elf::NoteIterator;

use crate::elf::layout::Layout;
use crate::elf::source::Source;

/// Notes are small; what is longer is none.
const MAX_NOTES: u64 = 64 << 10;

const LEVELS: [(u32, &str); 4] = [
    (1, "x86-64-baseline"),
    (2, "x86-64-v2"),
    (4, "x86-64-v3"),
    (8, "x86-64-v4"),
];

/// The levels of x86-64 that the loader will insist on, lowest first.
pub(crate) fn levels(source: &impl Source, layout: &Layout) -> Vec<String> {
    let mut bits = 0;
    let notes = [
        (elf::PT_GNU_PROPERTY, 8),
        (elf::PT_NOTE, 8),
        (elf::PT_NOTE, 4),
    ];
    for (kind, alignment) in notes {
        for segment in layout.segments_of(kind) {
            if let Ok(bytes) = source.bytes(segment.offset, segment.file_size.min(MAX_NOTES)) {
                bits |= needed(&bytes, alignment);
            }
        }
    }
    LEVELS
        .iter()
        .filter(|(bit, _)| bits & bit != 0)
        .map(|(_, name)| (*name).to_owned())
        .collect()
}

fn needed(bytes: &[u8], alignment: u64) -> u32 {
    let notes = NoteIterator::<FileHeader64<LittleEndian>>::new(LittleEndian, alignment, bytes);
    let properties = notes
        .into_iter()
        .flatten()
        .map_while(Result::ok)
        .filter_map(|note| note.gnu_properties(LittleEndian))
        .flat_map(|properties| properties.map_while(Result::ok));
    properties
        .filter(|property| property.pr_type() == elf::GNU_PROPERTY_X86_ISA_1_NEEDED)
        .filter_map(|property| {
            property
                .pr_data()
                .first_chunk()
                .copied()
                .map(u32::from_le_bytes)
        })
        .fold(0, |all, bits| all | bits)
}
