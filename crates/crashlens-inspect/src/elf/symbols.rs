//! The dynamic symbols: which names a file defines for others and which it needs.

use object::LittleEndian;
use object::elf::{self, Sym64};

use super::dynamic::Dynamic;
use super::exports::{Collected, Exports, Name};
use super::layout::Layout;
use super::source::{Source, records};
use super::strings::Strings;
use super::versions::{NUMBER, Versions};
use super::{ElfError, Undefined, count, order};

/// TensorFlow has half a million.
pub(super) const MAX_SYMBOLS: u64 = 8 << 20;
/// Symbols that are read at a time.
const AT_ONCE: u64 = 16 << 10;
const SYMBOL: u64 = size_of::<Sym64<LittleEndian>>() as u64;

/// What the symbols say.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    pub(crate) exported: Exports,
    pub(crate) undefined: Vec<Undefined>,
    /// It defines `PyInit_…`.
    pub(crate) is_python_module: bool,
    /// It needs functions of Python's C interface.
    pub(crate) uses_python: bool,
    /// It defines the function with which protocol buffers compare versions of themselves.
    pub(crate) has_protobuf: bool,
}

/// A symbol that matters, before its name is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    name: u32,
    version: u16,
    is_undefined: bool,
    is_weak: bool,
}

impl Symbols {
    /// Reads them all. Names are taken in the order of the table of strings, which is so large that it is read once,
    /// from one end to the other, and never held.
    pub(crate) fn read<S: Source>(
        source: &S,
        layout: &Layout,
        dynamic: &Dynamic,
        strings: &mut Strings<'_, S>,
        versions: &Versions,
    ) -> Result<Self, ElfError> {
        let entries = entries(source, layout, dynamic)?;
        // Places of names are spread over the table of strings.
        let last = entries.iter().map(|entry| entry.name).max();
        let spread = u32::BITS + last.unwrap_or_default().leading_zeros();
        let entries = order::by_number(entries, |entry| u64::from(entry.name) << (spread % 64));
        let has_versions = dynamic.symbol_versions.is_some();
        let mut symbols = Self::default();
        let defined = entries.iter().filter(|entry| !entry.is_undefined).count();
        let versioned = if has_versions { defined } else { 0 };
        let mut exported = Collected::with_capacity(defined, versioned);
        for entry in entries {
            let Some(name) = strings.name(entry.name.into())? else {
                continue;
            };
            let version = versions.names.get(&(entry.version & NUMBER));
            if entry.is_undefined {
                symbols.need(name, version, entry);
            } else {
                symbols.define(name);
                add(
                    &mut exported,
                    &name.into(),
                    entry.version,
                    version,
                    has_versions,
                );
            }
        }
        symbols.exported = exported.finish();
        symbols.undefined.shrink_to_fit();
        Ok(symbols)
    }

    fn need(&mut self, name: &[u8], version: Option<&String>, entry: Entry) {
        self.uses_python |= name.starts_with(b"Py") || name.starts_with(b"_Py");
        // No compiler writes a name that is not text, and what is replaced in one would be found nowhere.
        if let Ok(name) = std::str::from_utf8(name) {
            self.undefined.push(Undefined {
                name: name.to_owned(),
                version: version.cloned(),
                is_weak: entry.is_weak,
            });
        }
    }

    fn define(&mut self, name: &[u8]) {
        self.is_python_module |= name.starts_with(b"PyInit_");
        self.has_protobuf |= name.starts_with(b"_ZN6google8protobuf8internal13VerifyVersionE");
    }
}

/// As the loader chooses: a reference without a version takes a symbol without one, the first version of a file, and
/// whatever version is not hidden.
fn add(
    exported: &mut Collected,
    name: &Name<'_>,
    number: u16,
    version: Option<&String>,
    has_versions: bool,
) {
    let is_hidden = number & !NUMBER != 0;
    let plain = number & NUMBER;
    if !has_versions || plain < 3 || !is_hidden {
        exported.add(name, !has_versions || (plain < 2 && !is_hidden));
    }
    if let Some(version) = version.filter(|_| plain >= 2) {
        exported.add_versioned(name, version);
    }
}

/// All symbols that the loader would look at.
fn entries(
    source: &impl Source,
    layout: &Layout,
    dynamic: &Dynamic,
) -> Result<Vec<Entry>, ElfError> {
    let Some((offset, rest)) = dynamic.symbols.and_then(|address| layout.place(address)) else {
        return Err(ElfError::Malformed("its symbols are nowhere"));
    };
    let total = count::symbols(source, layout, dynamic).min(rest / SYMBOL);
    if total > MAX_SYMBOLS {
        return Err(ElfError::Malformed("it has millions of symbols"));
    }
    let versions = match dynamic
        .symbol_versions
        .and_then(|address| layout.place(address))
    {
        Some((offset, rest)) => source.bytes(offset, rest.min(total * 2))?,
        None => Vec::new(),
    };
    let mut entries = Vec::with_capacity(total as usize);
    let mut buffer = Vec::new();
    let mut first = 0;
    while first < total {
        let size = (total - first).min(AT_ONCE) * SYMBOL;
        buffer.resize(size as usize, 0);
        source.fill(offset + first * SYMBOL, &mut buffer)?;
        for (index, symbol) in (first..).zip(records::<Sym64<LittleEndian>>(&buffer)) {
            let at = index as usize * 2;
            let version = versions.get(at..).and_then(|rest| rest.first_chunk());
            let version = version.copied().map_or(1, u16::from_le_bytes);
            entries.extend(entry(symbol, version));
        }
        first += AT_ONCE;
    }
    Ok(entries)
}

/// The rules of glibc for what can be bound to.
fn entry(symbol: &Sym64<LittleEndian>, version: u16) -> Option<Entry> {
    let name = symbol.st_name.get(LittleEndian);
    let (binding, kind) = (symbol.st_info.0 >> 4, symbol.st_info.0 & 0xf);
    let section = symbol.st_shndx.get(LittleEndian);
    let is_undefined = section == elf::SHN_UNDEF;
    let is_bound = [elf::STB_GLOBAL.0, elf::STB_WEAK.0, elf::STB_GNU_UNIQUE.0].contains(&binding);
    let is_thing = matches!(kind, 0..=2 | 5 | 6 | 10);
    let is_visible = matches!(symbol.st_other.0 & 3, 0 | 3);
    let has_place =
        symbol.st_value.get(LittleEndian) != 0 || section == elf::SHN_ABS || kind == elf::STT_TLS.0;
    let counts = is_undefined || (is_visible && has_place);
    (name != 0 && is_bound && is_thing && counts).then_some(Entry {
        name,
        version,
        is_undefined,
        is_weak: binding == elf::STB_WEAK.0,
    })
}
