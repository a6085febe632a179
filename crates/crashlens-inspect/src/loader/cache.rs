//! `/etc/ld.so.cache`: which file `ldconfig` has for the name of a library.
//!
//! Written by glibc's `ldconfig`, in the format that begins with `glibc-ld.so.cache1.1`, alone or behind the older one.
//! All numbers in it are somebody else's: each is looked up with bounds, and a cache that makes no sense is an error.

use std::collections::HashMap;

/// Entries beyond this are not read; a machine with everything installed has some ten thousand.
const MOST_ENTRIES: u32 = 200_000;
/// Longest name or path that is taken.
const LONGEST: usize = 4096;

const MAGIC: &[u8] = b"glibc-ld.so.cache1.1";
const OLD_MAGIC: &[u8] = b"ld.so-1.7.0";
const HEADER: usize = 48;
const ENTRY: usize = 24;
const OLD_HEADER: usize = 16;
const OLD_ENTRY: usize = 12;
/// In the byte of flags for the byte order: 2 is little-endian, 0 is a cache of before the flag was there.
const BIG_ENDIAN: u8 = 3;
/// The kind of library in the lowest byte of an entry's flags: one for glibc 2.
const LIBC6: u32 = 3;
/// Set in `hwcap` of an entry below a `glibc-hwcaps` folder; the lower half is then an index into a list of names.
const NAMED_LEVEL: u64 = 1 << 62;
const EXTENSION_MAGIC: u32 = 0xEAA4_2174;
const LEVEL_NAMES: u32 = 1;

/// What `ldconfig` has found.
#[derive(Debug, Default)]
pub(crate) struct LibraryCache {
    entries: HashMap<String, Vec<Entry>>,
}

/// One file for a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The file.
    pub(crate) path: String,
    /// The processor level it is for: `x86-64-v3`.
    pub(crate) level: Option<String>,
}

/// Why a cache could not be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum CacheError {
    /// It does not begin as one.
    #[error("it is no library cache in a format that is known")]
    Format,
    /// It was written on a machine with the other byte order.
    #[error("it was written for a machine of the other byte order")]
    ByteOrder,
    /// It says that there is more than there is.
    #[error("it ends before what its header promises")]
    Short,
}

impl LibraryCache {
    /// Reads a cache.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, CacheError> {
        let new = new_format(bytes)?;
        if new.get(28) == Some(&BIG_ENDIAN) {
            return Err(CacheError::ByteOrder);
        }
        let count = word(new, 20).ok_or(CacheError::Short)?.min(MOST_ENTRIES);
        let levels = level_names(new);
        let mut entries: HashMap<String, Vec<Entry>> = HashMap::new();
        for index in 0..count as usize {
            let at = HEADER + index * ENTRY;
            let raw = new.get(at..at + ENTRY).ok_or(CacheError::Short)?;
            let Some((name, entry)) = entry(new, raw, &levels) else {
                continue;
            };
            entries.entry(name).or_default().push(entry);
        }
        Ok(Self { entries })
    }

    /// The files for a name, in the order of the cache; those for a processor level are among them.
    pub(crate) fn files(&self, name: &str) -> &[Entry] {
        self.entries.get(name).map_or(&[], Vec::as_slice)
    }
}

/// The part in the new format: the whole, or what follows the older table.
fn new_format(bytes: &[u8]) -> Result<&[u8], CacheError> {
    if bytes.starts_with(MAGIC) {
        return Ok(bytes);
    }
    if !bytes.starts_with(OLD_MAGIC) {
        return Err(CacheError::Format);
    }
    let count = word(bytes, 12).ok_or(CacheError::Short)? as usize;
    let end = count
        .checked_mul(OLD_ENTRY)
        .and_then(|size| size.checked_add(OLD_HEADER))
        .and_then(|size| size.checked_next_multiple_of(8))
        .ok_or(CacheError::Short)?;
    let rest = bytes.get(end..).ok_or(CacheError::Short)?;
    rest.starts_with(MAGIC)
        .then_some(rest)
        .ok_or(CacheError::Format)
}

/// One entry, unless it is for another C library or for processors as glibc knew them before its named levels.
fn entry(cache: &[u8], raw: &[u8], levels: &[String]) -> Option<(String, Entry)> {
    if word(raw, 0)? & 0xff != LIBC6 {
        return None;
    }
    let name = text(cache, word(raw, 4)?)?;
    let path = text(cache, word(raw, 8)?)?;
    let hwcap = u64::from(word(raw, 16)?) | u64::from(word(raw, 20)?) << 32;
    let level = match hwcap {
        0 => None,
        named if named & NAMED_LEVEL != 0 => {
            let index = usize::try_from(named & u64::from(u32::MAX)).ok()?;
            Some(levels.get(index)?.clone())
        }
        _ => return None,
    };
    path.starts_with('/')
        .then_some((name, Entry { path, level }))
}

/// Names of processor levels, which entries refer to by their place in the list.
fn level_names(cache: &[u8]) -> Vec<String> {
    section(cache).unwrap_or_default()
}

fn section(cache: &[u8]) -> Option<Vec<String>> {
    let extensions = cache.get(word(cache, 32)? as usize..)?;
    if word(extensions, 0)? != EXTENSION_MAGIC {
        return None;
    }
    let count = word(extensions, 4)?.min(64) as usize;
    let raw = (0..count)
        .filter_map(|index| extensions.get(8 + index * 16..24 + index * 16))
        .find(|raw| word(raw, 0) == Some(LEVEL_NAMES))?;
    let start = word(raw, 8)? as usize;
    let names = word(raw, 12)?.min(256) as usize / 4;
    (0..names)
        .map(|index| text(cache, word(cache, start.checked_add(index * 4)?)?))
        .collect()
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let raw = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(raw.try_into().ok()?))
}

fn text(bytes: &[u8], at: u32) -> Option<String> {
    let rest = bytes.get(at as usize..)?;
    let rest = &rest[..rest.len().min(LONGEST)];
    let end = memchr::memchr(0, rest)?;
    std::str::from_utf8(&rest[..end]).ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache with these names, paths and capability words, as `ldconfig` writes it.
    fn written(entries: &[(&str, &str, u64)], levels: &[&str]) -> Vec<u8> {
        let strings_at = HEADER + entries.len() * ENTRY;
        let mut strings = Vec::new();
        let mut keep = |text: &str| {
            let at = u32::try_from(strings_at + strings.len()).unwrap();
            strings.extend_from_slice(text.as_bytes());
            strings.push(0);
            at
        };
        let mut table = Vec::new();
        for (name, path, hwcap) in entries {
            for number in [0x0303, keep(name), keep(path), 0] {
                table.extend_from_slice(&number.to_le_bytes());
            }
            table.extend_from_slice(&hwcap.to_le_bytes());
        }
        let names: Vec<u32> = levels.iter().map(|level| keep(level)).collect();
        strings.resize(strings.len().next_multiple_of(4), 0);
        let extension_at = u32::try_from(strings_at + strings.len()).unwrap();
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&u32::try_from(entries.len()).unwrap().to_le_bytes());
        bytes.extend_from_slice(&u32::try_from(strings.len()).unwrap().to_le_bytes());
        bytes.extend_from_slice(&[2, 0, 0, 0]);
        bytes.extend_from_slice(&extension_at.to_le_bytes());
        bytes.resize(HEADER, 0);
        bytes.extend(table);
        bytes.extend(strings);
        let size = u32::try_from(names.len() * 4).unwrap();
        for number in [EXTENSION_MAGIC, 1, LEVEL_NAMES, 0, extension_at + 24, size] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for name in names {
            bytes.extend_from_slice(&name.to_le_bytes());
        }
        bytes
    }

    const ENTRIES: &[(&str, &str, u64)] = &[
        (
            "libm.so.6",
            "/lib/glibc-hwcaps/x86-64-v3/libm.so.6",
            NAMED_LEVEL | 1,
        ),
        ("libm.so.6", "/lib/libm.so.6", 0),
        ("libold.so", "/lib/sse2/libold.so", 1 << 26),
    ];

    #[test]
    fn files_are_found_by_name_with_the_level_they_are_for() {
        let bytes = written(ENTRIES, &["x86-64-v2", "x86-64-v3"]);
        let cache = LibraryCache::parse(&bytes).unwrap();
        let found: Vec<_> = cache
            .files("libm.so.6")
            .iter()
            .map(|entry| (entry.path.as_str(), entry.level.as_deref()))
            .collect();
        assert_eq!(
            found,
            [
                ("/lib/glibc-hwcaps/x86-64-v3/libm.so.6", Some("x86-64-v3")),
                ("/lib/libm.so.6", None)
            ]
        );
        assert!(cache.files("libold.so").is_empty());
        assert!(cache.files("libc.so.6").is_empty());
    }

    #[test]
    fn the_new_table_is_found_behind_the_old_one() {
        let mut bytes = OLD_MAGIC.to_vec();
        bytes.push(0);
        bytes.extend_from_slice(&3_u32.to_le_bytes());
        bytes.resize((OLD_HEADER + 3 * OLD_ENTRY).next_multiple_of(8), 0);
        bytes.extend(written(ENTRIES, &["x86-64-v2", "x86-64-v3"]));
        let cache = LibraryCache::parse(&bytes).unwrap();
        assert_eq!(cache.files("libm.so.6").len(), 2);
    }

    #[test]
    fn a_cache_that_is_cut_anywhere_or_lies_is_refused_or_read_in_part() {
        let bytes = written(ENTRIES, &["x86-64-v2", "x86-64-v3"]);
        for end in 0..bytes.len() {
            if let Ok(cache) = LibraryCache::parse(&bytes[..end]) {
                assert!(cache.files("libm.so.6").len() <= 2);
            }
        }
        assert_eq!(LibraryCache::parse(b"").unwrap_err(), CacheError::Format);
        let mut endless = bytes;
        endless[20..24].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(
            LibraryCache::parse(&endless).unwrap_err(),
            CacheError::Short
        );
    }
}
