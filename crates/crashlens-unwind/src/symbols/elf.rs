//! Symbol tables of ELF files. The bytes are foreign: every step may fail, and then says nothing.

use object::elf::{self, FileHeader64, Sym64};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, SectionTable, Sym, SymbolTable};
use object::{Endianness, LittleEndian, SectionIndex, SymbolIndex};

use crate::image::hex;

type Elf = FileHeader64<Endianness>;

/// Longer names are cut: TensorFlow has some of 20 000 characters that say nothing more.
const MAX_NAME: usize = 16 << 10;
/// Linkers leave some forty sections; a damaged count would be searched again for every question.
const MAX_SECTIONS: usize = 1024;
/// Names of all sections together are a few hundred bytes.
const MAX_SECTION_NAMES: u64 = 64 << 10;
/// Symbols in a table with the same hash value, or close: honest tables have less than ten.
const MAX_CHAIN: usize = 4096;
/// Linkers write one to three note segments.
const MAX_NOTE_SEGMENTS: usize = 64;
/// Functions hardly overlap, so that an address meets a few symbols; a damaged table may cover all with each.
const MAX_COMPARISONS: usize = 50_000_000;

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
        let Some((table, text)) = table_with_names(bytes, kind) else {
            continue;
        };
        scan(&table, addresses, &order, &mut found);
        for (name, candidate) in names.iter_mut().zip(&mut found) {
            if name.is_none()
                && let Some(candidate) = candidate.take()
            {
                *name = candidate.name(text);
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
    fn name(&self, names: &[u8]) -> Option<Symbol> {
        let rest = names.get(self.symbol.st_name(Endianness::Little) as usize..)?;
        let rest = rest.get(..MAX_NAME).unwrap_or(rest);
        let end = memchr::memchr(0, rest).unwrap_or(rest.len());
        Some(Symbol {
            name: String::from_utf8_lossy(&rest[..end]).into_owned(),
            offset: self.offset,
        })
    }

    /// Best first: one that says how long it is, the closest start, a global name before a local alias.
    fn rank(&self) -> (bool, u64, bool) {
        let has_no_size = self.symbol.st_size(Endianness::Little) == 0;
        (
            has_no_size,
            self.offset,
            self.symbol.st_bind() == elf::STB_LOCAL,
        )
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
    let mut comparisons = 0;
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
            comparisons += 1;
            if comparisons > MAX_COMPARISONS {
                return;
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
        let (table, names) = table_with_names(bytes, elf::SHT_SYMTAB)
            .filter(|(table, _)| table.len() <= MAX_SEARCHED)?;
        let symbol = table
            .iter()
            .find(|symbol| is_named(symbol, names, name.as_bytes()))?;
        Some(symbol.st_value(Endianness::Little))
    })
}

/// A table and the bytes that hold its names.
fn table_with_names(bytes: &[u8], kind: elf::SectionType) -> Option<(SymbolTable<'_, Elf>, &[u8])> {
    let table = table(bytes, kind)?;
    let names = names(&sections(bytes)?, bytes, &table)?;
    Some((table, names))
}

/// The bytes that hold the names of `table`.
fn names<'bytes>(
    sections: &SectionTable<'bytes, Elf>,
    bytes: &'bytes [u8],
    table: &SymbolTable<'bytes, Elf>,
) -> Option<&'bytes [u8]> {
    let section = sections.section(table.string_section()).ok()?;
    section.data(Endianness::Little, bytes).ok()
}

/// Whether a symbol is defined and has this name. Compares in place: finding the end of each name first takes
/// forever where a damaged table lets every symbol begin in one endless name.
fn is_named(symbol: &Sym64<Endianness>, names: &[u8], name: &[u8]) -> bool {
    let start = symbol.st_name(Endianness::Little) as usize;
    let found = names
        .get(start..)
        .and_then(|rest| rest.get(..=name.len()))
        .and_then(<[u8]>::split_last);
    symbol.st_shndx(Endianness::Little) != elf::SHN_UNDEF && found == Some((&0, name))
}

fn exported(bytes: &[u8], name: &str) -> Option<u64> {
    let endian = Endianness::Little;
    let sections = sections(bytes)?;
    let symbols = sections.symbols(endian, bytes, elf::SHT_DYNSYM).ok()?;
    let names = names(&sections, bytes, &symbols)?;
    let hashes = sections
        .iter()
        .find(|section| section.sh_type(endian) == elf::SHT_GNU_HASH);
    let symbol = if let Some(hashes) = hashes {
        let hashes = hashes.data(endian, bytes).ok()?;
        candidates(hashes, elf::gnu_hash(name.as_bytes()))
            .filter_map(|index| symbols.symbol(SymbolIndex(index)).ok())
            .find(|symbol| is_named(symbol, names, name.as_bytes()))
    } else {
        symbols
            .iter()
            .find(|symbol| is_named(symbol, names, name.as_bytes()))
    };
    symbol.map(|symbol| symbol.st_value(endian))
}

/// Indices of the symbols that have `hash`, by the hash table of exported symbols.
///
/// Four numbers (how many buckets, the first symbol, how many words of a filter that is not needed here, its
/// shift), the filter, for each bucket its first symbol, and for each symbol its hash with the lowest bit set
/// at the end of the bucket.
fn candidates(table: &[u8], hash: u32) -> impl Iterator<Item = usize> {
    let word = move |start: usize| {
        let bytes = table.get(start..)?.first_chunk().copied()?;
        Some(u32::from_le_bytes(bytes) as usize)
    };
    let bucket = || {
        let (count, first, filter) = (word(0)?, word(4)?, word(8)?);
        let buckets = 16 + filter * 8;
        let index = word(buckets + (hash as usize).checked_rem(count)? * 4)?;
        // Where the hash of symbol 0 would be: the table begins with that of the first it has.
        Some((index, index.checked_sub(first)?, buckets + count * 4))
    };
    let chain = bucket()
        .into_iter()
        .flat_map(move |(index, place, hashes)| {
            let mut ended = false;
            (0..MAX_CHAIN).map_while(move |step| {
                let value = word(hashes + (place + step) * 4).filter(|_| !ended)?;
                ended = value & 1 == 1;
                Some((index + step, value))
            })
        });
    chain
        .filter(move |(_, value)| value | 1 == hash as usize | 1)
        .map(|(index, _)| index)
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
    let segments = segments
        .iter()
        .filter(|segment| segment.p_type(LittleEndian) == elf::PT_NOTE);
    for segment in segments.take(MAX_NOTE_SEGMENTS) {
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
    let endian = Endianness::Little;
    let header = Elf::parse(bytes).ok()?;
    let names = header.section_strings_index(endian, bytes).ok()?;
    let sections = header.sections(endian, bytes).ok()?;
    let size = sections.section(names).ok()?.sh_size(endian);
    (sections.len() <= MAX_SECTIONS && size <= MAX_SECTION_NAMES).then_some(sections)
}

/// Whether the list of sections can be searched in reasonable time.
pub(super) fn is_searchable(bytes: &[u8]) -> bool {
    sections(bytes).is_some()
}

fn table(bytes: &[u8], kind: elf::SectionType) -> Option<SymbolTable<'_, Elf>> {
    let table = sections(bytes)?
        .symbols(Endianness::Little, bytes, kind)
        .ok()?;
    (table.section() != SectionIndex(0) && !table.is_empty()).then_some(table)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Two buckets; the second has the symbols 3, 4 and 5, of which the first and the last have `hash`.
    fn hash_table(hash: u32) -> Vec<u8> {
        let (buckets, first, filter, shift) = (2, 3, 2, 255);
        let other = hash ^ 0x100;
        let words = [buckets, first, filter, shift, 0, 0, 0, 0, 0, 3];
        let hashes = [hash & !1, other & !1, hash | 1, hash];
        words
            .into_iter()
            .chain(hashes)
            .flat_map(u32::to_le_bytes)
            .collect()
    }

    #[test]
    fn a_hash_leads_to_the_symbols_that_have_it() {
        let table = hash_table(0x1235);
        assert_eq!(candidates(&table, 0x1235).collect::<Vec<_>>(), [3, 5]);
        assert_eq!(candidates(&table, 0x1234 + 2).count(), 0);
    }

    #[test]
    fn a_name_is_the_same_only_if_it_ends_where_the_other_does() {
        let mut symbol = Sym64::<Endianness> {
            st_name: object::U32::new(Endianness::Little, 1),
            st_info: elf::SymbolInfo(0),
            st_other: elf::SymbolOther(0),
            st_shndx: object::U16::new(Endianness::Little, elf::SymbolSection(7)),
            st_value: object::U64::new(Endianness::Little, 0),
            st_size: object::U64::new(Endianness::Little, 0),
        };
        let names = b"\0interp_head\0";
        assert!(is_named(&symbol, names, b"interp_head"));
        assert!(!is_named(&symbol, names, b"interp"));
        assert!(!is_named(&symbol, names, b"interp_head_1"));
        assert!(!is_named(
            &symbol,
            &names[..names.len() - 1],
            b"interp_head"
        ));
        let candidate = Candidate { symbol, offset: 0 };
        assert_eq!(candidate.name(names).unwrap().name, "interp_head");
        assert_eq!(
            candidate.name(&vec![b'a'; 1 << 20]).unwrap().name.len(),
            MAX_NAME
        );
        symbol.st_name = object::U32::new(Endianness::Little, u32::MAX);
        assert!(!is_named(&symbol, names, b"interp_head"));
    }

    proptest! {
        #[test]
        fn no_hash_table_is_too_broken(words: Vec<u32>, hash: u32) {
            let table: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
            prop_assert!(candidates(&table, hash).count() <= MAX_CHAIN);
        }
    }
}
