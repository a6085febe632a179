//! ELF files as they are mapped: found and read in the process's memory, not on disk.
//!
//! Headers, build id and unwind tables of a module are part of what the loader maps, so they are
//! read from there: that works for deleted files, for other mount namespaces and for recordings.
//! Symbol tables are not mapped; `symbols` reads those from files.

use crashlens_core::{Address, Mapping, Module};
use object::elf::{self, FileHeader64, ProgramHeader64};
use object::read::elf::{FileHeader, NoteIterator, ProgramHeader};
use object::{Endianness, LittleEndian};

use crate::{ProcessSnapshot, ReadMemory};

/// Real modules have a dozen program headers.
const MAX_PROGRAM_HEADERS: usize = 256;
/// Build id notes sit in segments of a few hundred bytes.
const MAX_NOTES: u64 = 4096;

/// A mapped ELF file.
#[derive(Debug, Clone)]
pub(crate) struct Image {
    /// What reports show of it.
    pub(crate) module: Module,
    /// Address of `.eh_frame_hdr`, which leads to the unwind tables.
    pub(crate) eh_frame_hdr: Option<u64>,
    /// Address of the table for the loader, which names the libraries it needs.
    pub(crate) dynamic: Option<u64>,
}

/// All images of a process, in ascending order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Images(Vec<Image>);

impl Images {
    /// Finds every ELF file among the mappings. One that cannot be read is listed without details.
    pub(crate) fn find(snapshot: &ProcessSnapshot, memory: &dyn ReadMemory) -> Self {
        let mut images: Vec<Image> = Vec::new();
        for (index, mapping) in snapshot.maps.iter().enumerate() {
            let Some(path) = mapping
                .path
                .as_deref()
                .filter(|path| path.starts_with('/') || *path == "[vdso]")
            else {
                continue;
            };
            if mapping.offset != 0 {
                continue;
            }
            let parts = parts_of_image(&snapshot.maps[index..], path);
            if let Some(image) = read_image(memory, path, parts) {
                images.push(image);
            }
        }
        Self(images)
    }

    /// The image whose segments span `address`.
    pub(crate) fn at(&self, address: u64) -> Option<&Image> {
        let after = self
            .0
            .partition_point(|image| image.module.start.0 <= address);
        // Images do not nest, but a file mapped as plain data may start between two of another image's parts.
        self.0[..after]
            .iter()
            .rev()
            .take(4)
            .find(|image| address < image.module.end.0)
    }

    /// What reports show of them.
    pub(crate) fn modules(&self) -> Vec<Module> {
        self.0.iter().map(|image| image.module.clone()).collect()
    }
}

/// The mappings of one image: those of the same file up to the next one that starts the file again.
fn parts_of_image<'maps>(from: &'maps [Mapping], path: &str) -> &'maps [Mapping] {
    let mut length = 1;
    for (index, mapping) in from.iter().enumerate().skip(1) {
        match mapping.path.as_deref() {
            Some(other) if other == path && mapping.offset != 0 => length = index + 1,
            // Anonymous parts belong to an image when they lie between its parts, and only then.
            None => {}
            _ => break,
        }
    }
    &from[..length]
}

fn read_image(memory: &dyn ReadMemory, path: &str, parts: &[Mapping]) -> Option<Image> {
    let first = parts.first()?;
    let is_code = parts.iter().any(Mapping::is_executable);
    let mut image = Image {
        module: Module {
            name: path
                .trim_end_matches(" (deleted)")
                .rsplit('/')
                .next()
                .unwrap_or(path)
                .to_owned(),
            path: path.to_owned(),
            start: first.start,
            end: parts.last()?.end,
            bias: first.start,
            build_id: None,
            package: None,
        },
        eh_frame_hdr: None,
        dynamic: None,
    };
    let Ok(bytes) = memory.array::<64>(first.start.0) else {
        // Without its header a mapping with code is still worth a name.
        return is_code.then_some(image);
    };
    let endian = Endianness::Little;
    let header = FileHeader64::<Endianness>::parse(bytes.as_slice()).ok()?;
    let segments = program_headers(memory, header, parts).unwrap_or_default();
    let loads = segments
        .iter()
        .filter(|segment| segment.p_type(endian) == elf::PT_LOAD);
    if let Some(lowest) = loads
        .clone()
        .map(|load| load.p_vaddr(endian) & !0xfff)
        .min()
    {
        image.module.bias = Address(first.start.0.wrapping_sub(lowest));
    }
    let bias = image.module.bias.0;
    if let Some(highest) = loads
        .map(|load| load.p_vaddr(endian).saturating_add(load.p_memsz(endian)))
        .max()
    {
        let end = bias.wrapping_add(highest);
        // A header that claims more than the address space holds is not believed.
        if end > image.module.end.0 && end - image.module.end.0 < 1 << 32 {
            image.module.end = Address(end);
        }
    }
    for segment in &segments {
        let address = bias.wrapping_add(segment.p_vaddr(endian));
        if segment.p_type(endian) == elf::PT_GNU_EH_FRAME {
            image.eh_frame_hdr = Some(address);
        } else if segment.p_type(endian) == elf::PT_DYNAMIC {
            image.dynamic = Some(address);
        } else if segment.p_type(endian) == elf::PT_NOTE && image.module.build_id.is_none() {
            image.module.build_id = build_id(
                memory,
                address,
                segment.p_memsz(endian),
                segment.p_align(endian),
            );
        }
    }
    Some(image)
}

/// The program header table, wherever it was mapped.
///
/// It usually follows the file header, but patchelf moves it to a segment of its own near the end of
/// the file, and every wheel repaired by auditwheel has been through patchelf.
fn program_headers(
    memory: &dyn ReadMemory,
    header: &FileHeader64<Endianness>,
    parts: &[Mapping],
) -> Option<Vec<ProgramHeader64<Endianness>>> {
    let endian = Endianness::Little;
    let offset = header.e_phoff(endian);
    let count = usize::from(header.e_phnum(endian)).min(MAX_PROGRAM_HEADERS);
    let (part, place) = parts
        .iter()
        .filter(|part| part.path.is_some())
        .find_map(|part| {
            let place = offset.checked_sub(part.offset)?;
            (place < part.end.0.checked_sub(part.start.0)?).then_some((part, place))
        })?;
    let address = part.start.0.checked_add(place)?;
    let bytes = memory
        .bytes(address, count * size_of::<ProgramHeader64<Endianness>>())
        .ok()?;
    let (headers, _) =
        object::pod::slice_from_bytes::<ProgramHeader64<Endianness>>(&bytes, count).ok()?;
    Some(headers.to_vec())
}

fn build_id(memory: &dyn ReadMemory, address: u64, size: u64, align: u64) -> Option<String> {
    let bytes = memory.bytes(address, size.min(MAX_NOTES) as usize).ok()?;
    let mut notes =
        NoteIterator::<FileHeader64<LittleEndian>>::new(LittleEndian, align, &bytes).ok()?;
    while let Ok(Some(note)) = notes.next() {
        if note.name() == elf::ELF_NOTE_GNU && note.n_type(LittleEndian) == elf::NT_GNU_BUILD_ID {
            return Some(hex(note.desc()));
        }
    }
    None
}

/// Bytes as lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unreadable;

    /// An ELF header everywhere, whose program headers are at the end of all offsets.
    struct Headers;

    impl ReadMemory for Headers {
        fn read(&self, _: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
            let mut header = [0xff; 64];
            header[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\x00");
            for (byte, value) in buffer.iter_mut().zip(header.into_iter().cycle()) {
                *byte = value;
            }
            Ok(())
        }
    }

    fn mapping(start: u64, end: u64, offset: u64) -> Mapping {
        Mapping {
            start: Address(start),
            end: Address(end),
            permissions: "r-xp".to_owned(),
            offset,
            inode: 1,
            path: Some("/lib/libx.so".to_owned()),
        }
    }

    #[test]
    fn mappings_that_cannot_be_are_no_reason_to_fail() {
        let places = [
            (0x3000, 0x2000, u64::MAX),
            (0x3000, 0x4000, u64::MAX),
            (u64::MAX - 1, u64::MAX, u64::MAX - 1),
        ];
        for (start, end, offset) in places {
            let snapshot = ProcessSnapshot {
                pid: 1,
                threads: Vec::new(),
                crashed_thread: None,
                maps: vec![mapping(0x1000, 0x2000, 0), mapping(start, end, offset)],
                signal: None,
            };
            let modules = Images::find(&snapshot, &Headers).modules();
            assert_eq!(modules[0].name, "libx.so");
        }
    }
}
