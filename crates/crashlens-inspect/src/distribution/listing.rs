//! The list of the files that a distribution installed.

use std::borrow::Cow;

/// A list of files, as it stands on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listing {
    /// `RECORD`: comma-separated; path from the folder of packages on, hash, size.
    Record(Vec<u8>),
    /// `installed-files.txt`, pip's list in the days of egg-info: paths from the metadata folder on.
    Installed(Vec<u8>),
}

/// A file of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed<'a> {
    /// Its path from the folder of packages on; foreign bytes, which may be absolute or lead out of it.
    pub path: Cow<'a, [u8]>,
    /// SHA-256 of its content, in base 64 for addresses, without padding.
    pub sha256: Option<&'a [u8]>,
    /// Bytes.
    pub size: Option<u64>,
}

impl Listing {
    /// Bytes of the list itself.
    pub fn size(&self) -> usize {
        let (Self::Record(text) | Self::Installed(text)) = self;
        text.len()
    }

    /// Every file of the list.
    pub fn files(&self) -> impl Iterator<Item = Listed<'_>> {
        let (text, is_record) = match self {
            Self::Record(text) => (text, true),
            Self::Installed(text) => (text, false),
        };
        lines(text)
            .filter(|line| !line.is_empty())
            .map(move |line| {
                if is_record {
                    return Listed::of_record(line);
                }
                Listed::path_only(Cow::Borrowed(from_the_site(line)))
            })
            .filter(|listed| !listed.path.is_empty())
    }
}

/// What a path from the metadata folder on is from the folder of packages on; empty for one of the metadata itself,
/// which no list is held against.
fn from_the_site(line: &[u8]) -> &[u8] {
    match line.strip_prefix(b"../") {
        None if !line.starts_with(b"/") => &[],
        inside => inside.unwrap_or(line),
    }
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', text).chain([text.len()]);
    ends.map(move |end| {
        let line = text.get(start..end).unwrap_or_default();
        start = end + 1;
        line.strip_suffix(b"\r").unwrap_or(line)
    })
}

impl<'a> Listed<'a> {
    fn path_only(path: Cow<'a, [u8]>) -> Self {
        Self {
            path,
            sha256: None,
            size: None,
        }
    }

    fn of_record(line: &'a [u8]) -> Self {
        let (path, rest) = match line {
            // A path with a comma is quoted, as in any CSV file.
            [b'"', quoted @ ..] => unquote(quoted),
            line => match memchr::memchr(b',', line) {
                Some(comma) => (Cow::Borrowed(&line[..comma]), &line[comma..]),
                None => (Cow::Borrowed(line), &[][..]),
            },
        };
        let mut fields = rest
            .strip_prefix(b",")
            .unwrap_or(rest)
            .split(|byte| *byte == b',');
        let sha256 = fields.next().and_then(|hash| hash.strip_prefix(b"sha256="));
        let size = fields
            .next()
            .and_then(|size| std::str::from_utf8(size).ok()?.trim().parse().ok());
        Self {
            sha256,
            size,
            ..Self::path_only(path)
        }
    }
}

/// The text up to the closing quote, and what follows it. A quote in the text is doubled.
fn unquote(quoted: &[u8]) -> (Cow<'_, [u8]>, &[u8]) {
    let mut doubled = Vec::new();
    let mut rest = quoted;
    while let Some(quote) = memchr::memchr(b'"', rest) {
        let (before, after) = (&rest[..quote], &rest[quote + 1..]);
        if let [b'"', after @ ..] = after {
            doubled.extend_from_slice(before);
            doubled.push(b'"');
            rest = after;
            continue;
        }
        if doubled.is_empty() {
            return (Cow::Borrowed(before), after);
        }
        doubled.extend_from_slice(before);
        return (Cow::Owned(doubled), after);
    }
    doubled.extend_from_slice(rest);
    (Cow::Owned(doubled), &[])
}
