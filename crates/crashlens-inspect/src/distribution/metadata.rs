//! `METADATA`, or `PKG-INFO` as it was called before: headers as in mail, then a description.

use std::io;
use std::path::Path;

use crate::bounded;

/// Headers are far smaller; what comes after them is not asked for.
const MAX_BYTES: u64 = 256 << 10;
const MAX_REQUIREMENTS: usize = 4000;
const MAX_REQUIREMENT_LETTERS: usize = 2000;
const MAX_NAME_LETTERS: usize = 200;

/// What a distribution says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    /// `Name`.
    pub name: Option<String>,
    /// `Version`.
    pub version: Option<String>,
    /// `Requires-Dist`, as they stand.
    pub requires: Vec<String>,
    /// `Requires-Python`.
    pub requires_python: Option<String>,
    /// Whether the headers go on after what was read.
    pub is_cut: bool,
}

impl Metadata {
    /// Reads that of a `*.dist-info` or `*.egg-info`, which may be a folder or, in old days, a file.
    pub fn read(distribution: &Path) -> io::Result<Self> {
        let inside = ["METADATA", "PKG-INFO"].map(|name| distribution.join(name));
        let mut first_error = None;
        for path in inside
            .iter()
            .map(std::path::PathBuf::as_path)
            .chain([distribution])
        {
            match bounded::read(path, MAX_BYTES) {
                Ok(bytes) => {
                    let mut metadata = Self::parse(&String::from_utf8_lossy(&bytes));
                    metadata.is_cut &= bytes.len() as u64 >= MAX_BYTES;
                    return Ok(metadata);
                }
                // That `METADATA` may not be read says more than that `PKG-INFO` is not there.
                Err(error) if is_absence(&error) => {}
                Err(error) => {
                    first_error.get_or_insert(error);
                }
            }
        }
        Err(first_error.unwrap_or_else(|| io::ErrorKind::NotFound.into()))
    }

    /// Reads the headers. They end where Python's own reader of mail ends them: at an empty line, or at one that is no
    /// header.
    pub fn parse(text: &str) -> Self {
        let mut metadata = Self {
            is_cut: true,
            ..Self::default()
        };
        for line in text.split('\n') {
            let line = line.strip_suffix('\r').unwrap_or(line);
            if line.starts_with([' ', '\t']) {
                continue;
            }
            let Some((name, value)) = line.split_once(':').filter(|(name, _)| is_name(name)) else {
                metadata.is_cut = false;
                break;
            };
            metadata.take(name, value.trim());
        }
        metadata
    }

    fn take(&mut self, name: &str, value: &str) {
        let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
        if value.is_empty() {
        } else if is("Name") {
            self.name
                .get_or_insert_with(|| printable(value, MAX_NAME_LETTERS));
        } else if is("Version") {
            self.version
                .get_or_insert_with(|| printable(value, MAX_NAME_LETTERS));
        } else if is("Requires-Python") {
            let text = || printable(value, MAX_REQUIREMENT_LETTERS);
            self.requires_python.get_or_insert_with(text);
        } else if is("Requires-Dist") && self.requires.len() < MAX_REQUIREMENTS {
            self.requires
                .push(printable(value, MAX_REQUIREMENT_LETTERS));
        }
    }
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory
    )
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The beginning of a text without anything that would move a terminal's cursor.
pub(crate) fn printable(text: &str, most: usize) -> String {
    let shown = |letter: char| {
        if letter.is_control() {
            char::REPLACEMENT_CHARACTER
        } else {
            letter
        }
    };
    text.chars().take(most).map(shown).collect()
}

/// A path to be shown.
pub(crate) fn printable_path(path: &Path) -> String {
    printable(&path.to_string_lossy(), usize::MAX)
}
