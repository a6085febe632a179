//! What is kept of a text of any size: its beginning, its end, and between them what may tell of a death, with the
//! lines around it.
//!
//! A log of a long training is hundreds of megabytes of losses. What tells of the death is mostly at the end, what
//! tells of the surroundings at the beginning; but a launcher goes on after one of its processes has died.

use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use serde::Deserialize;

use super::endings;
use crate::embedded;
use crate::signs;

/// Longer lines are cut.
const LONGEST_LINE: usize = 8192;
/// The beginning that is kept whole.
const FIRST_LINES: usize = 500;
const FIRST_BYTES: usize = 1 << 20;
/// The end that is kept whole.
const LAST_LINES: usize = 5000;
const LAST_BYTES: usize = 8 << 20;
/// What is kept of what lies between, once from its beginning and once from its end.
const BETWEEN_BYTES: usize = 2 << 20;
/// Lines before and after one that tells something. Stacks follow what announces them.
const BEFORE: usize = 2;
const AFTER: usize = 40;

/// `data/marks.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Marks {
    mark: Vec<Mark>,
}

/// Words that announce or are part of a dump, or that messages of libraries have; `data/messages.toml` has the whole
/// forms, these are found faster.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mark {
    words: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers of the file"))]
    source: String,
}

impl Marks {
    fn read() -> Self {
        embedded::table(include_str!("../../data/marks.toml"))
    }
}

static MARKED: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let marks = Marks::read().mark;
    let marks = marks.into_iter().flat_map(|mark| mark.words);
    let literals = signs::literals().chain(endings::literals());
    let literals = literals.map(str::to_owned).chain(marks);
    // A table of all states is large and fast: every byte of the text passes through it.
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .build(literals)
        .expect("there are few literals")
});

/// Whether a line may tell of a death.
pub(super) fn is_telling(line: &[u8]) -> bool {
    MARKED.is_match(line) || endings::is_a_word(line)
}

/// A text as far as it was kept.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Raw lines, in their order.
    pub(super) lines: Vec<Vec<u8>>,
    /// Whether lines were left out.
    pub(super) truncated: bool,
}

/// Reads to the end.
pub(super) fn sift(mut input: impl BufRead) -> io::Result<Kept> {
    let mut sieve = Sieve::default();
    let mut line = Vec::new();
    while read_line(&mut input, &mut line)? {
        sieve.take(&mut line);
    }
    Ok(sieve.finish())
}

/// Reads one line, of which at most [`LONGEST_LINE`] bytes are kept; false at the end of the text.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let length = io::Read::take(&mut *input, LONGEST_LINE as u64).read_until(b'\n', line)?;
    if length == 0 {
        return Ok(false);
    }
    if length == LONGEST_LINE && line.last() != Some(&b'\n') {
        skip_line(input)?;
    }
    Ok(true)
}

/// Skips what is left of a line that is too long.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let length = buffer.len();
        if length == 0 {
            return Ok(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        input.consume(end.map_or(length, |end| end + 1));
        if end.is_some() {
            return Ok(());
        }
    }
}

/// Lines with the bytes they take.
#[derive(Debug, Default)]
struct Shelf {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
}

impl Shelf {
    fn push(&mut self, line: Vec<u8>) {
        self.bytes += line.len();
        self.lines.push_back(line);
    }

    fn pop(&mut self) -> Option<Vec<u8>> {
        let line = self.lines.pop_front()?;
        self.bytes -= line.len();
        Some(line)
    }
}

#[derive(Debug, Default)]
struct Sieve {
    first: Shelf,
    /// What tells something, from the beginning of what lies between.
    early: Shelf,
    /// The same from its end.
    late: Shelf,
    /// Lines that told nothing, in case the next one does.
    before: VecDeque<Vec<u8>>,
    /// How many lines after one that told something are still to be kept.
    after: usize,
    last: Shelf,
    /// A line that is not needed any more, to be filled again.
    spare: Vec<u8>,
    truncated: bool,
}

impl Sieve {
    /// Takes a line, and leaves another to be filled.
    fn take(&mut self, line: &mut Vec<u8>) {
        let taken = std::mem::replace(line, std::mem::take(&mut self.spare));
        let is_first = self.first.lines.len() < FIRST_LINES && self.first.bytes < FIRST_BYTES;
        if is_first && self.last.lines.is_empty() {
            self.first.push(taken);
            return;
        }
        self.last.push(taken);
        while self.last.lines.len() > LAST_LINES || self.last.bytes > LAST_BYTES {
            match self.last.pop() {
                Some(old) => self.let_go(old),
                None => break,
            }
        }
    }

    /// A line that is in the last ones no more.
    fn let_go(&mut self, line: Vec<u8>) {
        if is_telling(&line) {
            while let Some(before) = self.before.pop_front() {
                self.keep(before);
            }
            self.after = AFTER;
            self.keep(line);
        } else if self.after > 0 {
            self.after -= 1;
            self.keep(line);
        } else {
            self.before.push_back(line);
            if self.before.len() > BEFORE {
                self.spare = self.before.pop_front().unwrap_or_default();
                self.truncated = true;
            }
        }
    }

    fn keep(&mut self, line: Vec<u8>) {
        if self.early.bytes < BETWEEN_BYTES && self.late.lines.is_empty() {
            self.early.push(line);
            return;
        }
        self.late.push(line);
        while self.late.bytes > BETWEEN_BYTES {
            self.spare = self.late.pop().unwrap_or_default();
            self.truncated = true;
        }
    }

    fn finish(self) -> Kept {
        let lines = self
            .first
            .lines
            .into_iter()
            .chain(self.early.lines)
            .chain(self.late.lines);
        let lines = lines.chain(self.before).chain(self.last.lines);
        Kept {
            lines: lines.collect(),
            truncated: self.truncated,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &[u8]) -> Kept {
        sift(text).unwrap()
    }

    #[test]
    fn every_mark_has_words_and_a_source() {
        for mark in Marks::read().mark {
            assert!(!mark.source.is_empty(), "{:?}", mark.words);
            assert!(!mark.words.is_empty() && mark.words.iter().all(|word| word.len() > 5));
        }
    }

    #[test]
    fn a_short_text_is_kept_whole() {
        let text = "loss 1\n".repeat(FIRST_LINES + LAST_LINES);
        let kept = kept(text.as_bytes());
        assert_eq!(
            (kept.lines.len(), kept.truncated),
            (FIRST_LINES + LAST_LINES, false)
        );
    }

    #[test]
    fn between_beginning_and_end_only_telling_lines_are_kept_with_what_is_around() {
        let mut text = "loss 1\n".repeat(20_000);
        text.push_str("before\nFatal Python error: Segmentation fault\nafter\n");
        text.push_str(&"loss 2\n".repeat(20_000));
        let kept = kept(text.as_bytes());
        assert!(kept.truncated && kept.lines.len() < FIRST_LINES + LAST_LINES + 100);
        let place = kept
            .lines
            .iter()
            .position(|line| line.starts_with(b"Fatal"))
            .unwrap();
        assert_eq!(kept.lines[place - 1], b"before\n");
        assert_eq!(kept.lines[place + 1], b"after\n");
    }

    #[test]
    fn memory_is_bounded_whatever_comes() {
        let mut text = b"Check failed: ".to_vec();
        text.resize(40 << 20, b'x');
        assert_eq!(kept(&text).lines, [&text[..LONGEST_LINE]]);
        let many = "Check failed: and so on and on and on\n".repeat(1 << 20);
        let kept = kept(many.as_bytes());
        let bytes: usize = kept.lines.iter().map(Vec::len).sum();
        assert!(
            kept.truncated
                && bytes <= FIRST_BYTES + LAST_BYTES + 2 * BETWEEN_BYTES + 2 * LONGEST_LINE
        );
    }
}
