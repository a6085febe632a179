//! Keeps the folder of entries from growing without end.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const MAX_ENTRIES: usize = 8192;
const MAX_BYTES: u64 = 256 << 20;
/// What is left after tidying, in quarters, so that not every run has to tidy.
const KEPT_QUARTERS: u64 = 3;

/// How the names of files begin that are being written.
pub(super) const UNFINISHED: &str = ".new-";
/// An unfinished file of this age has lost its writer.
const LOST: Duration = Duration::from_hours(1);

struct Entry {
    path: PathBuf,
    size: u64,
    written: SystemTime,
}

/// Removes unfinished files that nobody writes any more and, where there is too much, the oldest entries.
pub(super) fn tidy(folder: &Path) {
    tidy_to(folder, MAX_ENTRIES, MAX_BYTES);
}

pub(super) fn tidy_to(folder: &Path, max_entries: usize, max_bytes: u64) {
    let mut entries = entries(folder);
    let mut bytes: u64 = entries.iter().map(|entry| entry.size).sum();
    let mut count = entries.len();
    if count <= max_entries && bytes <= max_bytes {
        return;
    }
    entries.sort_by_key(|entry| entry.written);
    for entry in entries {
        let is_enough = count as u64 <= max_entries as u64 / 4 * KEPT_QUARTERS
            && bytes <= max_bytes / 4 * KEPT_QUARTERS;
        if is_enough {
            break;
        }
        // Another process may have removed it already.
        let _ = fs::remove_file(&entry.path);
        bytes = bytes.saturating_sub(entry.size);
        count -= 1;
    }
}

/// Only files that have the names this module gives: whatever else somebody puts into the folder stays.
fn entries(folder: &Path) -> Vec<Entry> {
    let Ok(listing) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut entries = Vec::new();
    for file in listing.flatten() {
        let name = file.file_name();
        let Some(name) = name.to_str() else { continue };
        let Ok(metadata) = file.metadata() else {
            continue;
        };
        let written = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        if name.starts_with(UNFINISHED) {
            if written.elapsed().is_ok_and(|age| age > LOST) {
                let _ = fs::remove_file(file.path());
            }
        } else if name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            entries.push(Entry {
                path: file.path(),
                size: metadata.len(),
                written,
            });
        }
    }
    entries
}
