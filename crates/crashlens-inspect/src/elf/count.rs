//! How many dynamic symbols there are. The loader does not need to know, so no table says it outright.

use object::LittleEndian;
use object::elf::{self, Rela64};

use super::dynamic::Dynamic;
use super::layout::Layout;
use super::source::{Source, records};
use super::symbols::MAX_SYMBOLS;

/// Buckets and relocations are read as far as this.
const MAX_TABLE: u64 = 64 << 20;
const CHUNK: u64 = 96 << 10;

/// The number of symbols: from the tables that find symbols by name; where a file defines none, these tables are empty,
/// and section headers, or the relocations that use symbols, have to say it.
pub(crate) fn symbols(source: &impl Source, layout: &Layout, dynamic: &Dynamic) -> u64 {
    if let Some(count) = from_hash(source, layout, dynamic) {
        return count;
    }
    let from_gnu = from_gnu_hash(source, layout, dynamic);
    from_gnu
        .filter(|table| table.is_whole)
        .map(|table| table.symbols)
        .or_else(|| from_sections(layout, dynamic))
        .unwrap_or_else(|| {
            let known = from_gnu.map_or(0, |table| table.symbols);
            known.max(from_relocations(source, layout, dynamic))
        })
}

fn from_hash(source: &impl Source, layout: &Layout, dynamic: &Dynamic) -> Option<u64> {
    let (offset, _) = layout.place(dynamic.hash?)?;
    let words = words(source, offset, 8)?;
    words.get(1).copied().map(u64::from)
}

#[derive(Debug, Clone, Copy)]
struct GnuHash {
    symbols: u64,
    /// Whether it finds any symbol, so that the last one is known.
    is_whole: bool,
}

fn from_gnu_hash(source: &impl Source, layout: &Layout, dynamic: &Dynamic) -> Option<GnuHash> {
    let (offset, rest) = layout.place(dynamic.gnu_hash?)?;
    let header = words(source, offset, 16)?;
    let [buckets, first, blooms, _] = header
        .as_slice()
        .first_chunk()
        .copied()
        .map(|all| all.map(u64::from))?;
    let buckets_at = offset
        .checked_add(16)?
        .checked_add(blooms.checked_mul(8)?)?;
    let size = buckets
        .checked_mul(4)
        .filter(|size| *size <= rest.min(MAX_TABLE))?;
    let last = u64::from(
        words(source, buckets_at, size)?
            .into_iter()
            .max()
            .unwrap_or(0),
    );
    let Some(within) = last.checked_sub(first).filter(|_| last > 0) else {
        return Some(GnuHash {
            symbols: first,
            is_whole: false,
        });
    };
    // The chain of the last bucket ends the table; its last link is odd.
    let mut at = buckets_at
        .checked_add(size)?
        .checked_add(within.checked_mul(4)?)?;
    let mut symbols = last;
    while symbols < MAX_SYMBOLS {
        let there = source.size().checked_sub(at)?.min(4096) & !3;
        for link in words(source, at, there).filter(|links| !links.is_empty())? {
            symbols += 1;
            if link & 1 == 1 {
                return Some(GnuHash {
                    symbols,
                    is_whole: true,
                });
            }
        }
        at = at.checked_add(there)?;
    }
    None
}

fn from_sections(layout: &Layout, dynamic: &Dynamic) -> Option<u64> {
    let mut tables = layout.sections.iter().filter(|section| {
        section.kind == elf::SHT_DYNSYM && Some(section.address) == dynamic.symbols
    });
    tables.next().map(|table| table.size / 24)
}

/// The highest symbol that a relocation uses: others are never looked up.
fn from_relocations(source: &impl Source, layout: &Layout, dynamic: &Dynamic) -> u64 {
    let tables = dynamic.relocations.iter().zip(dynamic.relocation_sizes);
    tables
        .filter_map(|(address, size)| {
            let (offset, rest) = layout.place((*address)?)?;
            highest(source, offset, size.min(rest).min(MAX_TABLE))
        })
        .max()
        .unwrap_or(0)
}

fn highest(source: &impl Source, offset: u64, size: u64) -> Option<u64> {
    let mut highest = None;
    let mut done = 0;
    while done < size {
        let bytes = source
            .bytes(offset.checked_add(done)?, (size - done).min(CHUNK))
            .ok()?;
        let used = records::<Rela64<LittleEndian>>(&bytes)
            .iter()
            .map(|relocation| (relocation.r_info.get(LittleEndian) >> 32) + 1);
        highest = used.max().max(highest);
        done += CHUNK;
    }
    highest
}

fn words(source: &impl Source, offset: u64, size: u64) -> Option<Vec<u32>> {
    let bytes = source.bytes(offset, size).ok()?;
    let (words, _) = bytes.as_chunks::<4>();
    Some(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}
