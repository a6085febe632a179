//! Symbol tables of ELF files. The bytes are foreign: every step may fail, and then says nothing.

use object::elf::{self, FileHeader64, Sym64};
use object::read::elf::{FileHeader, SectionHeader, SectionTable, Sym, SymbolTable};
use object::{Endianness, LittleEndian, SectionIndex};

use crate::image::hex;

type Elf = FileHeader64<Endianness>;

/// Longer names are cut: TensorFlow has some of 20 000 characters that say nothing more.
const MAX_NAME: usize = 16 << 10;

/// Tables with more symbols are not searched for a name: that would read all names of a library of
/// 500 MB. Interpreters have a tenth as many symbols.
const MAX_SEARCHED: usize = 200_000;

/// A symbol that covers an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Symbol {
    /// As in the table: mangled.
    pub(super) name: String,
    /// From the symbol's start.
    pub(super) offset: u64,
}

/// Names for addresses of the file, in one pass over its best table.
pub(super) fn name_addresses(
    module: &[u8],
    debug: Option<&[u8]>,
    addresses: &[u64],
) -> Vec<Option<Symbol>> {
    let mut found: Vec<Option<Candidate>> = vec![None; addresses.len()];
    let mut order: Vec<usize> = (0..addresses.len()).collect();
    order.sort_by_key(|index| addresses[*index]);
    let mut names = vec![None; addresses.len()];
    for (bytes, kind) in debug
        .map(|bytes| (bytes, elf::SHT_SYMTAB))
        .into_iter()
        .chain([(module, elf::SHT_SYMTAB), (module, elf::SHT_DYNSYM)])
    {
        let Some(table) = table(bytes, kind) else {
            continue;
        };
        scan(&table, addresses, &order, &mut found);
        for (name, candidate) in names.iter_mut().zip(&mut found) {
            if name.is_none()
                && let Some(candidate) = candidate.take()
            {
                *name = candidate.name(&table);
            }
        }
        if names.iter().all(Option::is_some) {
            break;
        }
    }
    names
}

/// A symbol that may name an address.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    symbol: Sym64<Endianness>,
    offset: u64,
}

impl Candidate {
    fn name(&self, table: &SymbolTable<'_, Elf>) -> Option<Symbol> {
        let name = table.symbol_name(Endianness::Little, &self.symbol).ok()?;
        let name = String::from_utf8_lossy(&name[..name.len().min(MAX_NAME)]).into_owned();
        Some(Symbol {
            name,
            offset: self.offset,
        })
    }

    /// Best first: closest start, then a global name before a local alias.
    fn rank(&self) -> (u64, bool) {
        (self.offset, self.symbol.st_bind() == elf::STB_LOCAL)
    }
}

/// Finds, for each address, the closest function symbol that covers it.
fn scan(
    table: &SymbolTable<'_, Elf>,
    addresses: &[u64],
    order: &[usize],
    found: &mut [Option<Candidate>],
) {
    let endian = Endianness::Little;
    let (Some(lowest), Some(highest)) = (order.first(), order.last()) else {
        return;
    };
    let (lowest, highest) = (addresses[*lowest], addresses[*highest]);
    for symbol in table.iter() {
        let start = symbol.st_value(endian);
        // Assembly without a size is taken to cover what follows it closely.
        let size = match symbol.st_size(endian) {
            0 => 64,
            size => size,
        };
        let end = start.saturating_add(size);
        let is_code = matches!(
            symbol.st_type(),
            elf::STT_FUNC | elf::STT_GNU_IFUNC | elf::STT_NOTYPE
        );
        if start > highest || end <= lowest || !is_code || symbol.st_shndx(endian) == elf::SHN_UNDEF
        {
            continue;
        }
        let from = order.partition_point(|index| addresses[*index] < start);
        for index in &order[from..] {
            if addresses[*index] >= end {
                break;
            }
            let candidate = Candidate {
                symbol: *symbol,
                offset: addresses[*index] - start,
            };
            let best = &mut found[*index];
            if best.is_none_or(|best| candidate.rank() < best.rank()) {
                *best = Some(candidate);
            }
        }
    }
}

/// Address in the file of the symbol `name`: by the hash table of exported symbols, else in `.symtab`.
pub(super) fn address_of(bytes: &[u8], name: &str) -> Option<u64> {
    exported(bytes, name).or_else(|| {
        let table = table(bytes, elf::SHT_SYMTAB).filter(|table| table.len() <= MAX_SEARCHED)?;
        table.iter().find_map(|symbol| {
            let defined = symbol.st_shndx(Endianness::Little) != elf::SHN_UNDEF;
            let matches =
                defined && table.symbol_name(Endianness::Little, symbol) == Ok(name.as_bytes());
            matches.then(|| symbol.st_value(Endianness::Little))
        })
    })
}

fn exported(bytes: &[u8], name: &str) -> Option<u64> {
    let endian = Endianness::Little;
    let sections = sections(bytes)?;
    let symbols = sections.symbols(endian, bytes, elf::SHT_DYNSYM).ok()?;
    if let Some((hashes, _)) = sections.gnu_hash(endian, bytes).ok()? {
        let hash = elf::gnu_hash(name.as_bytes());
        let versions = object::read::elf::VersionTable::default();
        let (_, symbol) = hashes.find(endian, name.as_bytes(), hash, None, &symbols, &versions)?;
        return Some(symbol.st_value(endian));
    }
    let defined = |symbol: &&Sym64<Endianness>| symbol.st_shndx(endian) != elf::SHN_UNDEF;
    let mut defined = symbols.iter().filter(defined);
    let symbol =
        defined.find(|symbol| symbols.symbol_name(endian, *symbol) == Ok(name.as_bytes()))?;
    Some(symbol.st_value(endian))
}

/// Address in the file and size of a section.
pub(super) fn section(bytes: &[u8], name: &str) -> Option<(u64, u64)> {
    let (_, section) = sections(bytes)?.section_by_name(Endianness::Little, name.as_bytes())?;
    Some((
        section.sh_addr(Endianness::Little),
        section.sh_size(Endianness::Little),
    ))
}

/// Whether the file has a full symbol table.
pub(super) fn has_symtab(bytes: &[u8]) -> bool {
    table(bytes, elf::SHT_SYMTAB).is_some()
}

/// The GNU build id, in hexadecimal.
pub(super) fn build_id(bytes: &[u8]) -> Option<String> {
    let header = object::elf::FileHeader64::<LittleEndian>::parse(bytes).ok()?;
    let segments = header.program_headers(LittleEndian, bytes).ok()?;
    for segment in segments {
        use object::read::elf::ProgramHeader;
        let Ok(Some(mut notes)) = segment.notes(LittleEndian, bytes) else {
            continue;
        };
        while let Ok(Some(note)) = notes.next() {
            if note.name() == elf::ELF_NOTE_GNU && note.n_type(LittleEndian) == elf::NT_GNU_BUILD_ID
            {
                return Some(hex(note.desc()));
            }
        }
    }
    None
}

fn sections(bytes: &[u8]) -> Option<SectionTable<'_, Elf>> {
    Elf::parse(bytes)
        .ok()?
        .sections(Endianness::Little, bytes)
        .ok()
}

fn table(bytes: &[u8], kind: elf::SectionType) -> Option<SymbolTable<'_, Elf>> {
    let table = sections(bytes)?
        .symbols(Endianness::Little, bytes, kind)
        .ok()?;
    (table.section() != SectionIndex(0) && !table.is_empty()).then_some(table)
}
