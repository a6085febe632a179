//! The headers of an ELF file: for which machine it is, and where its segments lie.

use crashlens_core::survey::Truncation;
use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use object::{BigEndian, Endian, LittleEndian};

use super::ElfError;
use super::arch::x86_64;
use super::source::{Source, records};

/// More headers than any linker writes.
const MAX_HEADERS: u16 = 4096;

/// What the headers say.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// `x86-64`, `aarch64`, …
    pub(crate) architecture: String,
    /// Whether it has 64-bit addresses and little-endian numbers: the only form that is read further.
    pub(crate) is_readable: bool,
    /// Whether it is a shared object (or a position-independent executable).
    pub(crate) is_shared: bool,
    /// Set where the file ends before what its headers promise.
    pub(crate) truncation: Option<Truncation>,
    /// Program headers.
    pub(crate) segments: Vec<Segment>,
    /// Section headers, as far as they are there; many files are without.
    pub(crate) sections: Vec<Section>,
}

/// One program header.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment {
    pub(crate) kind: elf::ProgramType,
    pub(crate) flags: u32,
    pub(crate) offset: u64,
    pub(crate) address: u64,
    pub(crate) file_size: u64,
    pub(crate) memory_size: u64,
}

/// One section header.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Section {
    pub(crate) kind: elf::SectionType,
    pub(crate) flags: u64,
    pub(crate) address: u64,
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

impl Layout {
    /// Reads all headers.
    pub(crate) fn read(source: &impl Source) -> Result<Self, ElfError> {
        let start = source.bytes(
            0,
            source
                .size()
                .min(size_of::<FileHeader64<LittleEndian>>() as u64),
        )?;
        let ident = start.get(..16).unwrap_or(&start);
        if !ident.starts_with(&elf::ELFMAG) {
            return Err(ElfError::NotElf(super::stranger::name(&start)));
        }
        match (ident.get(4), ident.get(5)) {
            (Some(2), Some(1)) => {
                Self::parse::<FileHeader64<LittleEndian>>(&start, LittleEndian, source)
            }
            (Some(2), Some(2)) => Self::parse::<FileHeader64<BigEndian>>(&start, BigEndian, source),
            (Some(1), Some(1)) => {
                Self::parse::<FileHeader32<LittleEndian>>(&start, LittleEndian, source)
            }
            (Some(1), Some(2)) => Self::parse::<FileHeader32<BigEndian>>(&start, BigEndian, source),
            (Some(_), Some(_)) => Err(ElfError::Malformed("neither 32 nor 64 bits")),
            _ => Err(cut(64, source)),
        }
    }

    fn parse<H: FileHeader>(
        start: &[u8],
        endian: H::Endian,
        source: &impl Source,
    ) -> Result<Self, ElfError> {
        let Some(header) = records::<H>(start).first() else {
            return Err(cut(size_of::<H>() as u64, source));
        };
        let kind = header.e_type(endian);
        let is_64 = header.is_type_64();
        let mut layout = Self {
            architecture: architecture(header.e_machine(endian), is_64, endian.is_big_endian()),
            is_readable: is_64 && endian.is_little_endian(),
            is_shared: kind == elf::ET_DYN,
            ..Self::default()
        };
        let count = header.e_phnum(endian);
        if count > MAX_HEADERS {
            return Err(ElfError::Malformed("too many program headers"));
        }
        let size = u64::from(count) * size_of::<H::ProgramHeader>() as u64;
        let end = header.e_phoff(endian).into().checked_add(size);
        let end = end.ok_or(ElfError::Malformed("its program headers are nowhere"))?;
        if end > source.size() {
            layout.truncation = Some(truncation(end, source));
            return Ok(layout);
        }
        let bytes = source.bytes(header.e_phoff(endian).into(), size)?;
        layout.segments = records::<H::ProgramHeader>(&bytes)
            .iter()
            .map(|header| segment(header, endian))
            .collect();
        layout.sections = sections(header, endian, source).unwrap_or_default();
        layout.truncation = layout.missing_end(source)?;
        Ok(layout)
    }

    /// Whether a segment ends beyond the file. Files that hold only what debuggers want have kept the program headers of
    /// the file they were cut from; their sections say so.
    fn missing_end(&self, source: &impl Source) -> Result<Option<Truncation>, ElfError> {
        let mut promised = 0;
        for segment in self.segments_of(elf::PT_LOAD) {
            let end = segment.offset.checked_add(segment.file_size);
            promised = promised.max(end.ok_or(ElfError::Malformed("a segment without end"))?);
        }
        if promised <= source.size() {
            return Ok(None);
        }
        let is_for_debuggers = self.sections.iter().any(|section| {
            section.kind == elf::SHT_NOBITS && section.flags & elf::SHF_EXECINSTR.0 != 0
        });
        if is_for_debuggers {
            return Err(ElfError::NotElf("it holds only what debuggers want"));
        }
        Ok(Some(truncation(promised, source)))
    }

    /// The segments of a kind.
    pub(crate) fn segments_of(&self, kind: elf::ProgramType) -> impl Iterator<Item = &Segment> {
        self.segments
            .iter()
            .filter(move |segment| segment.kind == kind)
    }

    /// Where in the file an address is, and how many bytes of the file follow it in its segment.
    pub(crate) fn place(&self, address: u64) -> Option<(u64, u64)> {
        self.segments_of(elf::PT_LOAD).find_map(|segment| {
            let within = address.checked_sub(segment.address)?;
            let rest = segment
                .file_size
                .checked_sub(within)
                .filter(|rest| *rest > 0)?;
            Some((segment.offset.checked_add(within)?, rest))
        })
    }
}

fn segment<P: ProgramHeader>(header: &P, endian: P::Endian) -> Segment {
    Segment {
        kind: header.p_type(endian),
        flags: header.p_flags(endian).0,
        offset: header.p_offset(endian).into(),
        address: header.p_vaddr(endian).into(),
        file_size: header.p_filesz(endian).into(),
        memory_size: header.p_memsz(endian).into(),
    }
}

/// Section headers are a hint only: the loader does not look at them, and strippers take them away.
fn sections<H: FileHeader>(
    header: &H,
    endian: H::Endian,
    source: &impl Source,
) -> Result<Vec<Section>, ElfError> {
    let count = header.e_shnum(endian).min(MAX_HEADERS);
    let size = u64::from(count) * size_of::<H::SectionHeader>() as u64;
    let bytes = source.bytes(header.e_shoff(endian).into(), size)?;
    Ok(records::<H::SectionHeader>(&bytes)
        .iter()
        .map(|section| Section {
            kind: section.sh_type(endian),
            flags: section.sh_flags(endian).0,
            address: section.sh_addr(endian).into(),
            offset: section.sh_offset(endian).into(),
            size: section.sh_size(endian).into(),
        })
        .collect())
}

fn truncation(promised: u64, source: &impl Source) -> Truncation {
    Truncation {
        promised,
        present: source.size(),
    }
}

fn cut(promised: u64, source: &impl Source) -> ElfError {
    ElfError::CutShort(truncation(promised, source))
}

/// The name of a machine, as people write it.
pub(crate) fn architecture(machine: elf::Machine, is_64: bool, is_big: bool) -> String {
    let name = match (machine, is_64, is_big) {
        (elf::EM_X86_64, true, _) => x86_64::NAME,
        (elf::EM_X86_64, false, _) => "x32",
        (elf::EM_386, ..) => "x86",
        (elf::EM_AARCH64, _, false) => "aarch64",
        (elf::EM_AARCH64, _, true) => "aarch64_be",
        (elf::EM_ARM, ..) => "arm",
        (elf::EM_PPC64, _, false) => "ppc64le",
        (elf::EM_PPC64, _, true) => "ppc64",
        (elf::EM_PPC, ..) => "ppc",
        (elf::EM_S390, true, _) => "s390x",
        (elf::EM_S390, false, _) => "s390",
        (elf::EM_RISCV, true, _) => "riscv64",
        (elf::EM_RISCV, false, _) => "riscv32",
        (elf::EM_LOONGARCH, true, _) => "loongarch64",
        (elf::EM_MIPS, ..) => "mips",
        _ => return format!("machine {}", machine.0),
    };
    name.to_owned()
}
