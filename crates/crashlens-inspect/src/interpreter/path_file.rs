//! `*.pth` files: lines that name further folders to import from, or code that runs at start.

use std::path::{Path, PathBuf};

use crate::bounded;

const MAX_BYTES: u64 = 256 << 10;
const MAX_FILES: usize = 1000;
const MAX_LINES: usize = 2000;
const MAX_ENTRIES: usize = 200_000;

/// The folders that the `*.pth` files of a folder of packages name, in the order in which Python takes them. Lines with
/// code are left alone: nothing here runs.
pub(super) fn folders(site: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(site) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .take(MAX_ENTRIES)
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pth"))
        .take(MAX_FILES)
        .collect();
    files.sort();
    files
        .iter()
        .filter_map(|file| bounded::read_text(file, MAX_BYTES).ok())
        .flat_map(|text| lines(&text).map(|line| site.join(line)).collect::<Vec<_>>())
        .filter_map(|folder| std::path::absolute(without_dots(&folder)).ok())
        .filter(|folder| folder.is_dir())
        .collect()
}

/// The lines that name folders.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines()
        .take(MAX_LINES)
        .filter(|line| {
            !line.starts_with('#') && !line.starts_with("import ") && !line.starts_with("import\t")
        })
        .map(str::trim_end)
        .filter(|line| !line.trim().is_empty() && !line.contains('\0'))
}

/// `a/./b/../c` as Python writes it: `a/c`. Links are not followed.
pub(crate) fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}
