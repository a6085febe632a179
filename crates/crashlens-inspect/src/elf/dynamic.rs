//! The dynamic segment: where the loader's tables are.

use object::LittleEndian;
use object::elf::{self, Dyn64};

use super::ElfError;
use super::layout::Layout;
use super::source::{Source, records};

/// More entries than any linker writes.
const MAX_SIZE: u64 = 1 << 20;

/// What the loader is told. Places are addresses; strings are places in the table of strings.
#[derive(Debug, Default)]
pub(crate) struct Dynamic {
    pub(crate) symbols: Option<u64>,
    pub(crate) strings: Option<u64>,
    pub(crate) strings_size: u64,
    pub(crate) hash: Option<u64>,
    pub(crate) gnu_hash: Option<u64>,
    pub(crate) symbol_versions: Option<u64>,
    pub(crate) version_needs: Option<u64>,
    pub(crate) version_definitions: Option<u64>,
    pub(crate) relocations: [Option<u64>; 2],
    pub(crate) relocation_sizes: [u64; 2],
    pub(crate) flags: u64,
    pub(crate) soname: Option<u64>,
    pub(crate) rpath: Option<u64>,
    pub(crate) runpath: Option<u64>,
    pub(crate) needed: Vec<u64>,
}

impl Dynamic {
    /// Reads it; `None` for a file that the loader has nothing to do for.
    pub(crate) fn read(source: &impl Source, layout: &Layout) -> Result<Option<Self>, ElfError> {
        let Some(segment) = layout.segments_of(elf::PT_DYNAMIC).next() else {
            return Ok(None);
        };
        let bytes = source.bytes(segment.offset, segment.file_size.min(MAX_SIZE))?;
        let mut dynamic = Self::default();
        for entry in records::<Dyn64<LittleEndian>>(&bytes) {
            let tag = entry.d_tag.get(LittleEndian);
            if tag == elf::DT_NULL {
                break;
            }
            dynamic.take(tag, entry.d_val.get(LittleEndian));
        }
        Ok(Some(dynamic))
    }

    fn take(&mut self, tag: elf::DynamicTag, value: u64) {
        match tag {
            elf::DT_SYMTAB => self.symbols = Some(value),
            elf::DT_STRTAB => self.strings = Some(value),
            elf::DT_STRSZ => self.strings_size = value,
            elf::DT_HASH => self.hash = Some(value),
            elf::DT_GNU_HASH => self.gnu_hash = Some(value),
            elf::DT_VERSYM => self.symbol_versions = Some(value),
            elf::DT_VERNEED => self.version_needs = Some(value),
            elf::DT_VERDEF => self.version_definitions = Some(value),
            elf::DT_RELA => self.relocations[0] = Some(value),
            elf::DT_RELASZ => self.relocation_sizes[0] = value,
            elf::DT_JMPREL => self.relocations[1] = Some(value),
            elf::DT_PLTRELSZ => self.relocation_sizes[1] = value,
            elf::DT_FLAGS => self.flags = value,
            elf::DT_SONAME => self.soname = Some(value),
            elf::DT_RPATH => self.rpath = Some(value),
            elf::DT_RUNPATH => self.runpath = Some(value),
            elf::DT_NEEDED => self.needed.push(value),
            _ => {}
        }
    }
}
