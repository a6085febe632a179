//! Versions of symbols: what a file needs of libraries, what it defines, and which symbol has which.

use std::collections::BTreeMap;

use object::LittleEndian;
use object::elf::{self, Verdaux, Verdef, Vernaux, Verneed};

use super::dynamic::Dynamic;
use super::layout::Layout;
use super::source::{Source, record_at};
use super::strings::Strings;
use super::{ElfError, VersionNeed};

/// Their tables have no size of their own; no real one comes near this.
const MAX_TABLE: u64 = 256 << 10;
const MAX_VERSIONS: usize = 4096;

/// The versions of a file.
#[derive(Debug, Default)]
pub(crate) struct Versions {
    pub(crate) needs: Vec<VersionNeed>,
    pub(crate) definitions: Vec<String>,
    /// By the number that symbols have.
    pub(crate) names: BTreeMap<u16, String>,
}

impl Versions {
    /// Reads both tables.
    pub(crate) fn read<S: Source>(
        source: &S,
        layout: &Layout,
        dynamic: &Dynamic,
        strings: &Strings<'_, S>,
    ) -> Result<Self, ElfError> {
        let mut versions = Self::default();
        if let Some(address) = dynamic.version_needs {
            let table = table(source, layout, address)?;
            versions.take_needs(&table, strings);
        }
        if let Some(address) = dynamic.version_definitions {
            let table = table(source, layout, address)?;
            versions.take_definitions(&table, strings);
        }
        Ok(versions)
    }

    fn take_needs<S: Source>(&mut self, table: &[u8], strings: &Strings<'_, S>) {
        let mut at = Some(0_usize);
        let mut budget = MAX_VERSIONS;
        while let Some(need) = at.and_then(|at| record_at::<Verneed<LittleEndian>>(table, at)) {
            let library = strings.word(need.vn_file.get(LittleEndian).into());
            let mut entry = at.and_then(|at| step(at, need.vn_aux.get(LittleEndian)));
            for _ in 0..need.vn_cnt.get(LittleEndian) {
                let version = entry.and_then(|at| record_at::<Vernaux<LittleEndian>>(table, at));
                let Some(version) = version.filter(|_| budget > 0) else {
                    break;
                };
                budget -= 1;
                self.need(library.as_ref(), version, strings);
                entry = entry.and_then(|at| step(at, version.vna_next.get(LittleEndian)));
            }
            budget = budget.saturating_sub(1);
            at = at.and_then(|at| step(at, need.vn_next.get(LittleEndian)));
            at = at.filter(|_| budget > 0);
        }
    }

    fn need<S: Source>(
        &mut self,
        library: Option<&String>,
        version: &Vernaux<LittleEndian>,
        strings: &Strings<'_, S>,
    ) {
        let name = strings.word(version.vna_name.get(LittleEndian).into());
        let (Some(library), Some(name)) = (library, name) else {
            return;
        };
        let number = version.vna_other.get(LittleEndian).0 & NUMBER;
        self.names.insert(number, name.clone());
        self.needs.push(VersionNeed {
            library: library.clone(),
            version: name,
            is_weak: version.vna_flags.get(LittleEndian).0 & elf::VER_FLG_WEAK.0 != 0,
        });
    }

    fn take_definitions<S: Source>(&mut self, table: &[u8], strings: &Strings<'_, S>) {
        let mut at = 0_usize;
        for _ in 0..MAX_VERSIONS {
            let Some(definition) = record_at::<Verdef<LittleEndian>>(table, at) else {
                break;
            };
            let is_base = definition.vd_flags.get(LittleEndian).0 & elf::VER_FLG_BASE.0 != 0;
            let first = at.saturating_add(definition.vd_aux.get(LittleEndian) as usize);
            let name = record_at::<Verdaux<LittleEndian>>(table, first)
                .and_then(|entry| strings.word(entry.vda_name.get(LittleEndian).into()));
            // The base version is the file's own name.
            if let (false, Some(name)) = (is_base, name) {
                let number = definition.vd_ndx.get(LittleEndian).0 & NUMBER;
                self.names.insert(number, name.clone());
                self.definitions.push(name);
            }
            let Some(next) = step(at, definition.vd_next.get(LittleEndian)) else {
                break;
            };
            at = next;
        }
    }
}

/// The highest bit says that a version is not the one for references without a version.
pub(crate) const NUMBER: u16 = 0x7fff;

/// Onwards only: a chain that stands still has no end.
fn step(at: usize, distance: u32) -> Option<usize> {
    (distance > 0).then(|| at.saturating_add(distance as usize))
}

fn table(source: &impl Source, layout: &Layout, address: u64) -> Result<Vec<u8>, ElfError> {
    let place = layout.place(address);
    let (offset, rest) = place.ok_or(ElfError::Malformed("its versions are nowhere"))?;
    let there = source.size().saturating_sub(offset);
    source.bytes(offset, rest.min(MAX_TABLE).min(there))
}
