//! How long saved captures are kept.
//!
//! The folder is shared by all runs of a user: a loop that crashes every second must not remove the only capture of
//! another program, so captures go by age and by the room they take, never by number.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};

use super::{EXTENSION, page_beside, time_of};

/// Captures of this age are removed.
const LONGEST: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Maximum number of bytes of all captures; the oldest are removed first.
const MOST_BYTES: u64 = 500_000_000;

/// What is removed, in words.
pub(crate) const RULE: &str = "older than 30 days or beyond 500 MB in all";

/// A capture in the folder.
struct Kept {
    name: String,
    size: u64,
}

/// Removes captures that are too old, or too many bytes; never `newest`, and never the newest of each program. Only files
/// with names that crashlens makes are removed. Returns those that were.
pub(super) fn clear(folder: &Path, newest: &str, now: Timestamp) -> Vec<PathBuf> {
    clear_above(folder, newest, now, MOST_BYTES)
}

fn clear_above(folder: &Path, newest: &str, now: Timestamp, most_bytes: u64) -> Vec<PathBuf> {
    let oldest = now.checked_sub(LONGEST).map(time_of).unwrap_or_default();
    let mut captures = captures(folder);
    // The names begin with the time.
    captures.sort_by(|one, other| other.name.cmp(&one.name));
    let mut programs = HashSet::new();
    let mut bytes = 0_u64;
    let mut removed = Vec::new();
    for capture in &captures {
        let is_newest = programs.insert(program(&capture.name));
        let with_it = bytes.saturating_add(capture.size);
        let is_surplus = with_it > most_bytes || capture.name < oldest;
        if is_newest || capture.name == newest || !is_surplus {
            bytes = with_it;
            continue;
        }
        // Whatever is older goes too, even where it is smaller.
        bytes = bytes.max(most_bytes);
        let path = folder.join(&capture.name);
        if std::fs::remove_file(&path).is_ok() {
            // The page of a capture is removed together with it.
            let _ = std::fs::remove_file(page_beside(&path));
            removed.push(path);
        }
    }
    removed.reverse();
    removed
}

fn captures(folder: &Path) -> Vec<Kept> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let entries = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name().into_string().ok()?;
        let size = entry.metadata().ok()?.len();
        is_ours(&name).then_some(Kept { name, size })
    });
    entries.collect()
}

/// Whether crashlens has made this name.
pub(super) fn is_ours(name: &str) -> bool {
    program(name).is_some()
}

/// The program in a name that crashlens has made; `None` for other files.
fn program(name: &str) -> Option<&str> {
    let pattern = b"dddd-dd-ddTdd-dd-ddZ-";
    let matches = |(byte, wanted): (&u8, &u8)| {
        if *wanted == b'd' {
            byte.is_ascii_digit()
        } else {
            byte == wanted
        }
    };
    let stem = name.strip_suffix(EXTENSION)?;
    let is_ours = stem.len() > pattern.len() && stem.as_bytes().iter().zip(pattern).all(matches);
    let (program, pid) = stem.get(pattern.len()..)?.rsplit_once('-')?;
    (is_ours && pid.parse::<u32>().is_ok()).then_some(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-11-15T22:05:33Z";

    fn left(captures: &[(&str, usize)], newest: &str, most_bytes: u64) -> (Vec<String>, usize) {
        let folder = tempfile::tempdir().unwrap();
        for (name, size) in captures {
            std::fs::write(folder.path().join(name), vec![0; *size]).unwrap();
        }
        let removed = clear_above(folder.path(), newest, NOW.parse().unwrap(), most_bytes);
        let entries = std::fs::read_dir(folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        (names, removed.len())
    }

    #[test]
    fn captures_are_removed_by_age_but_never_the_newest_of_a_program_nor_other_files() {
        let captures = [
            ("2026-01-01T00-00-00Z-train.py-1.crashlens", 1),
            ("2026-01-02T00-00-00Z-train.py-1.crashlens", 1),
            ("2026-10-16T22-05-32Z-python-7.crashlens", 1),
            ("2026-10-16T22-05-34Z-python-8.crashlens", 1),
            ("2026-11-15T22-05-33Z-python-9.crashlens", 1),
            ("2026-13-crashlens", 1),
            ("mine.crashlens", 1),
        ];
        let (names, removed) = left(&captures, captures[4].0, 1000);
        let kept = [1, 3, 4, 5, 6].map(|place| captures[place].0);
        assert_eq!((names, removed), (kept.map(str::to_owned).to_vec(), 2));
    }

    #[test]
    fn the_page_of_a_capture_goes_with_it() {
        let captures = [
            ("2026-11-15T22-05-32Z-python-7.crashlens", 60),
            ("2026-11-15T22-05-32Z-python-7.crashlens.html", 60),
            ("2026-11-15T22-05-33Z-python-8.crashlens", 60),
            ("2026-11-15T22-05-33Z-python-8.crashlens.html", 60),
        ];
        let (names, removed) = left(&captures, captures[2].0, 100);
        let kept = [2, 3].map(|place| captures[place].0.to_owned());
        assert_eq!((names, removed), (kept.to_vec(), 1));
    }

    #[test]
    fn captures_are_removed_by_size_the_oldest_first() {
        let captures = [
            ("2026-11-15T22-05-29Z-other-3.crashlens", 90),
            ("2026-11-15T22-05-30Z-python-5.crashlens", 1),
            ("2026-11-15T22-05-31Z-python-6.crashlens", 60),
            ("2026-11-15T22-05-32Z-python-7.crashlens", 60),
            ("2026-11-15T22-05-33Z-python-8.crashlens", 30),
        ];
        let (names, removed) = left(&captures, captures[4].0, 100);
        let kept = [0, 3, 4].map(|place| captures[place].0);
        assert_eq!((names, removed), (kept.map(str::to_owned).to_vec(), 2));
    }

    #[test]
    fn a_run_that_crashes_very_often_removes_no_capture_of_another_run() {
        let loops: Vec<String> = (0..200)
            .map(|pid| format!("2026-11-15T22-05-33Z-python-{pid}.crashlens"))
            .collect();
        let mut captures: Vec<(&str, usize)> = loops.iter().map(|name| (&name[..], 1)).collect();
        captures.push(("2026-11-01T00-00-00Z-python-1.crashlens", 1));
        let (names, removed) = left(&captures, captures[0].0, 1000);
        assert_eq!((names.len(), removed), (201, 0));
    }
}
