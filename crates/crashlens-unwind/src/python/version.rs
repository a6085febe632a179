//! Which CPython it is.

use crashlens_core::Module;

use crate::ReadMemory;

use super::SymbolLookup;
use super::debug_offsets;
use super::find::Root;
use crate::arch::{Use, addresses_used};

/// How much of a library's constants is searched for a version.
const SEARCHED: u64 = 4 << 20;

/// How much of it at a time.
const CHUNK: u64 = 64 << 10;

/// A longer version is not one: `3.13.0rc2+` has ten characters.
const LONGEST_VERSION: usize = 16;

/// A version of CPython.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    /// Major and minor number.
    pub(crate) number: (u8, u8),
    /// All that is known: `3.11.7`, or `3.11`.
    pub(crate) text: String,
}

impl Version {
    /// `PY_VERSION_HEX`: major, minor, micro, and in the last byte the release level and its serial.
    fn from_hexadecimal(version: u32) -> Option<Self> {
        let [major, minor, micro, level] = version.to_be_bytes();
        let serial = level & 0xf;
        let suffix = match level >> 4 {
            0xf => String::new(),
            0xa => format!("a{serial}"),
            0xb => format!("b{serial}"),
            0xc => format!("rc{serial}"),
            _ => return None,
        };
        matches!(major, 2 | 3).then(|| Self {
            number: (major, minor),
            text: format!("{major}.{minor}.{micro}{suffix}"),
        })
    }

    /// `3.8.18`, up to the first character that cannot be part of it.
    fn from_text(text: &[u8]) -> Option<Self> {
        let end = text
            .iter()
            .take(LONGEST_VERSION)
            .position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+')))?;
        let text = std::str::from_utf8(text.get(..end)?).ok()?;
        let version = Self::from_numbers(text)?;
        let micro = text.splitn(3, '.').nth(2)?;
        micro
            .starts_with(|first: char| first.is_ascii_digit())
            .then_some(version)
    }

    /// The version that a text such as `3.8` or `3.8.18` begins with.
    fn from_numbers(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let major = parts.next()?.parse().ok()?;
        let minor = parts.next()?.parse().ok()?;
        matches!((major, minor), (2, 7) | (3, 0..=99)).then(|| Self {
            number: (major, minor),
            text: text.to_owned(),
        })
    }

    /// `libpython3.7m.so.1.0`, `python3.8`.
    fn from_file_name(name: &str) -> Option<Self> {
        let after = name
            .strip_prefix("lib")
            .unwrap_or(name)
            .strip_prefix("python")?;
        let (major, rest) = after.split_once('.')?;
        let minor = rest
            .split(|character: char| !character.is_ascii_digit())
            .next()?;
        Self::from_numbers(&format!("{major}.{minor}"))
    }
}

/// The version of the interpreter in `module`.
pub(crate) fn identify(
    memory: &dyn ReadMemory,
    module: &Module,
    symbols: &dyn SymbolLookup,
    root: Root,
) -> Option<Version> {
    let behind_cookie = match root {
        Root::Runtime(runtime) => debug_offsets::version_behind_cookie(memory, runtime),
        Root::InterpreterList(_) => None,
    };
    behind_cookie
        .and_then(Version::from_hexadecimal)
        .or_else(|| {
            let address = symbols.symbol(module, "Py_Version")?;
            Version::from_hexadecimal(memory.u32(address).ok()?)
        })
        .or_else(|| used_by_get_version(memory, symbols.symbol(module, "Py_GetVersion")?))
        .or_else(|| {
            let named = Version::from_file_name(&module.name)
                .or_else(|| Version::from_file_name(module.path.rsplit('/').next()?));
            let constants = symbols.section(module, ".rodata");
            let full =
                constants.and_then(|section| among_constants(memory, section, named.as_ref()));
            full.or(named)
        })
}

/// `Py_GetVersion` names its buffer, which begins with the version once it was called, and the constant
/// that it fills it with.
fn used_by_get_version(memory: &dyn ReadMemory, function: u64) -> Option<Version> {
    addresses_used(memory, function, Use::TakeAddress)
        .into_iter()
        .filter_map(|address| memory.array::<LONGEST_VERSION>(address).ok())
        .find_map(|text| Version::from_text(&text))
}

/// The only constant that looks like a version, or like one that agrees with the file's name.
fn among_constants(
    memory: &dyn ReadMemory,
    section: (u64, u64),
    named: Option<&Version>,
) -> Option<Version> {
    let (start, size) = section;
    let mut found: Option<Version> = None;
    let mut position = 0;
    while position < size.min(SEARCHED) {
        // Chunks overlap, so that a version across a border is seen whole.
        let length = (CHUNK + LONGEST_VERSION as u64).min(size - position);
        let bytes = memory
            .bytes(start.checked_add(position)?, length as usize)
            .ok()?;
        for nul in memchr::memchr_iter(0, &bytes) {
            let text = bytes.get(nul + 1..).unwrap_or_default();
            let Some(version) =
                Version::from_text(text).filter(|version| text.get(version.text.len()) == Some(&0))
            else {
                continue;
            };
            match (named, &found) {
                (Some(named), _) if named.number == version.number => return Some(version),
                (None, Some(other)) if *other != version => return None,
                (None, _) => found = Some(version),
                (Some(_), _) => {}
            }
        }
        position += CHUNK;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hexadecimal_version_names_pre_releases() {
        let text = |version| Version::from_hexadecimal(version).map(|version| version.text);
        assert_eq!(text(0x030b_07f0).as_deref(), Some("3.11.7"));
        assert_eq!(text(0x030e_00c2).as_deref(), Some("3.14.0rc2"));
        assert_eq!(text(0x0000_0000), None);
    }

    #[test]
    fn a_library_is_known_by_its_file_name() {
        let number = |name| Version::from_file_name(name).map(|version| version.number);
        assert_eq!(number("libpython3.7m.so.1.0"), Some((3, 7)));
        assert_eq!(number("python2.7"), Some((2, 7)));
        assert_eq!(number("libpython3.14t.so.1.0"), Some((3, 14)));
        assert_eq!(number("libpython3.so"), None);
        assert_eq!(number("python"), None);
    }

    #[test]
    fn a_text_is_a_version_only_with_three_numbers() {
        let text = |text: &[u8]| Version::from_text(text).map(|version| version.text);
        assert_eq!(text(b"3.8.18 (default, ").as_deref(), Some("3.8.18"));
        assert_eq!(text(b"2.7.18+\0\0\0").as_deref(), Some("2.7.18+"));
        assert_eq!(text(b"3.8\0\0\0"), None);
        assert_eq!(text(b"1.2.11\0\0"), None);
        assert_eq!(text(b"3.8.18"), None);
    }
}
