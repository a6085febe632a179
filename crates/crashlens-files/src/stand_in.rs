//! What lies where a file should be: a pointer of Git LFS, a web page, the message of a server that refused.
//!
//! Such a file is whole and has the right name. Its reader would call it damaged, and nobody would think of fetching it.

use std::io;

use crashlens_core::files::{FlawKind, Part};

use crate::reading::{Purpose, Reading};
use crate::sniff;

/// So many bytes are looked at.
const HEAD: usize = 2048;
/// Letters of a title that are told.
const LONGEST_TITLE: usize = 60;

/// Notes a stand-in for the file; whether it is one.
pub(crate) fn noted(reading: &mut Reading<'_>) -> io::Result<bool> {
    let Some(named) = sniff::by_name(reading.path, reading.options.purpose) else {
        return Ok(false);
    };
    if reading.options.purpose == Purpose::Model && !named.holds_weights() {
        return Ok(false);
    }
    let head = reading.source.bytes_at(0, HEAD)?;
    let Some((part, detail)) = seen(&head) else {
        return Ok(false);
    };
    reading.facts.format = Some(named);
    reading.flaw(FlawKind::StandIn, part, detail);
    Ok(true)
}

/// What it is, as a noun, and what it says.
fn seen(head: &[u8]) -> Option<(Part, String)> {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with("version https://git-lfs.github.com/spec/") {
        let mut lines = text.lines();
        let size = lines.find_map(|line| line.strip_prefix("size ")?.trim().parse::<u64>().ok());
        let detail = match size {
            Some(size) => format!("the file that it points to has {size} bytes"),
            None => "the file that it points to was not fetched".to_owned(),
        };
        return Some((Part::GitLfsPointer, detail));
    }
    // Letters keep their places: only those of ASCII change.
    let small = text.to_ascii_lowercase();
    let between = |before: &str, after: &str| {
        let start = small.find(before)? + before.len();
        let length = small.get(start..)?.find(after)?;
        let words = text.get(start..start + length)?.split_whitespace();
        let title: String = words.collect::<Vec<_>>().join(" ");
        Some(title.chars().take(LONGEST_TITLE).collect::<String>())
    };
    if small.starts_with("<!doctype html") || small.starts_with("<html") {
        let title = between("<title>", "</title>").filter(|title| !title.is_empty());
        let detail = title.map_or_else(
            || "a server sent it in place of the file".to_owned(),
            |title| format!("a server sent it in place of the file; its title is `{title}`"),
        );
        return Some((Part::WebPage, detail));
    }
    if small.starts_with("<?xml") || small.starts_with("<error>") {
        // As object stores answer.
        let code = between("<error><code>", "</code>")?;
        let detail = format!("a server sent it in place of the file; it says `{code}`");
        return Some((Part::ServerMessage, detail));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::fuzzing::examine_bytes;

    const POINTER: &[u8] =
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    const PAGE: &[u8] =
        b"\n<!DOCTYPE HTML><html><head>\n<title>Drive -\n Virus scan warning</title></head></html>";
    const REFUSAL: &[u8] =
        b"<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code><Message>No</Message></Error>";

    #[test]
    fn what_lies_in_place_of_a_file_is_named() {
        for (bytes, part, words) in [
            (POINTER, "a Git LFS pointer", "12345 bytes"),
            (PAGE, "a web page", "`Drive - Virus scan warning`"),
            (REFUSAL, "a message of a server", "`AccessDenied`"),
        ] {
            for name in ["a.jpg", "a.tfrecord", "a.csv", "a.h5", "a.tflite"] {
                let facts = examine_bytes(name, bytes, &Options::default());
                assert_eq!(facts.flaws.len(), 1, "{name}");
                assert_eq!(facts.flaws[0].kind, FlawKind::StandIn, "{name}");
                assert_eq!(facts.flaws[0].part.words(), part, "{name}");
                assert!(facts.flaws[0].detail.contains(words), "{name}");
            }
        }
    }

    #[test]
    fn a_page_that_is_meant_to_be_one_is_no_stand_in() {
        for name in ["index.html", "README", ".gitattributes"] {
            let facts = examine_bytes(name, PAGE, &Options::default());
            assert_eq!(facts.flaws, [], "{name}");
        }
        let table = b"<a>,<b>\n1,2\n3,4\n";
        assert_eq!(examine_bytes("a.csv", table, &Options::default()).flaws, []);
    }
}
