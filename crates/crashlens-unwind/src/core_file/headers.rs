//! The ELF header and the program headers of a core, as far as they can be read.

use crashlens_core::Gaps;
use object::elf::{self, FileHeader64, ProgramHeader64, SectionHeader64};
use object::read::ReadRef as _;
use object::read::elf::FileHeader as _;
use object::{LittleEndian, pod};

use super::CoreError;
use crate::arch;

/// Cores we read are little endian.
pub(super) const LE: LittleEndian = LittleEndian;
/// No process has more mappings; the most Linux allows by default is 65 530.
const MAX_HEADERS: u64 = 1 << 20;
const HEADER_SIZE: u64 = size_of::<ProgramHeader64<LittleEndian>>() as u64;

/// The header, once it is known to be that of an x86-64 core.
pub(super) fn file_header(bytes: &[u8]) -> Result<&FileHeader64<LittleEndian>, CoreError> {
    if bytes.is_empty() {
        return Err(CoreError::Empty);
    }
    let magic = bytes.get(..4).unwrap_or(bytes);
    if !elf::ELFMAG.starts_with(magic) {
        return Err(CoreError::NotElf);
    }
    let too_short = CoreError::TooShort {
        length: bytes.len(),
    };
    let Some(&[class, encoding]) = bytes.get(4..6) else {
        return Err(too_short);
    };
    if elf::FileClass(class) == elf::ELFCLASS32 {
        return Err(CoreError::Bits32);
    }
    if elf::FileClass(class) != elf::ELFCLASS64 {
        return Err(CoreError::NotElf);
    }
    if elf::DataEncoding(encoding) != elf::ELFDATA2LSB {
        return Err(CoreError::OtherProcessor {
            machine: "big endian".to_owned(),
        });
    }
    let Ok((header, _)) = pod::from_bytes::<FileHeader64<LittleEndian>>(bytes) else {
        return Err(too_short);
    };
    // The kind comes first: a user who gives a library of another machine has made that mistake first.
    match header.e_type(LE) {
        elf::ET_CORE => {}
        elf::ET_EXEC => return Err(CoreError::NotACore { kind: "a program" }),
        elf::ET_DYN => {
            return Err(CoreError::NotACore {
                kind: "a program or a shared library",
            });
        }
        elf::ET_REL => {
            return Err(CoreError::NotACore {
                kind: "an object file",
            });
        }
        _ => {
            return Err(CoreError::NotACore {
                kind: "of an unknown kind",
            });
        }
    }
    match header.e_machine(LE) {
        arch::ELF_MACHINE => Ok(header),
        elf::EM_AARCH64 => Err(CoreError::OtherProcessor {
            machine: "aarch64".to_owned(),
        }),
        other => Err(CoreError::OtherProcessor {
            machine: format!("ELF machine {}", other.0),
        }),
    }
}

/// All program headers that are in the file.
pub(super) fn program_headers<'a>(
    header: &FileHeader64<LittleEndian>,
    bytes: &'a [u8],
    gaps: &mut Gaps,
) -> &'a [ProgramHeader64<LittleEndian>] {
    const PART: &str = "program headers of the core";
    let start = header.e_phoff(LE);
    let size = u64::from(header.e_phentsize(LE));
    if size != HEADER_SIZE {
        gaps.add(
            PART,
            format!("they are said to be {size} bytes each, not {HEADER_SIZE}"),
            None,
        );
        return &[];
    }
    let present = (bytes.len() as u64).saturating_sub(start) / HEADER_SIZE;
    let promised = promised_headers(header, bytes, gaps);
    if promised == 0 {
        gaps.add(
            PART,
            "the core has none, so it holds no memory and no threads",
            None,
        );
    } else if promised > present {
        gaps.add(
            PART,
            format!("the file ends after {present} of {promised}"),
            None,
        );
    } else if promised > MAX_HEADERS {
        gaps.add(
            PART,
            format!("only {MAX_HEADERS} of {promised} are read"),
            None,
        );
    }
    let count = promised.min(present).min(MAX_HEADERS);
    bytes.read_slice_at(start, count as usize).unwrap_or(&[])
}

/// How many program headers the core is meant to have.
fn promised_headers(header: &FileHeader64<LittleEndian>, bytes: &[u8], gaps: &mut Gaps) -> u64 {
    let count = header.e_phnum(LE);
    if count < elf::PN_XNUM {
        return u64::from(count);
    }
    let section = Some(header.e_shoff(LE))
        .filter(|offset| *offset != 0)
        .and_then(|offset| bytes.read_at::<SectionHeader64<LittleEndian>>(offset).ok());
    if let Some(section) = section {
        return u64::from(section.sh_info.get(LE));
    }
    // Linux writes the section header that holds the count at the very end of the core (`fill_extnum_info` in
    // fs/binfmt_elf.c), so a truncated core of a process with more than 65 534 mappings has lost it. But the
    // notes follow the last program header at once, and the first header says where they are. Without this the
    // mappings above the 65 535th, which are the libraries and the stack, would be gone.
    let table = header.e_phoff(LE);
    let first = bytes.read_at::<ProgramHeader64<LittleEndian>>(table).ok();
    let inferred = first
        .map(|first| first.p_offset.get(LE))
        .and_then(|offset| offset.checked_sub(table))
        .map(|length| length / HEADER_SIZE)
        .filter(|inferred| *inferred >= u64::from(elf::PN_XNUM));
    let reason = "the section header with their number is missing, as in a truncated core";
    if let Some(inferred) = inferred {
        gaps.add(
            "number of program headers",
            format!("{reason}; {inferred} by the place of the notes"),
            None,
        );
        return inferred;
    }
    gaps.add("number of program headers", reason, None);
    u64::from(elf::PN_XNUM)
}
