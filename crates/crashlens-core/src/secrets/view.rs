//! A text as a reader sees it: without colours and characters of no width, which part a secret from its name or from what
//! stands before it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::embedded;

/// What is seen through: colours and other commands to a terminal, also written out (`\x1b[31m`, `^[[0m`) or without the
/// escape character, and characters that take no space. Of a command that carries text only its beginning is: the text may
/// hold a secret.
static UNSEEN: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(concat!(
        r"(?:\x1b|␛|\^\[|\\u001[bB]|\\x1[bB]|\\0?33|\\e)\[[0-?]*[ -/]*[@-~]",
        r"|\x{9b}[0-?]*[ -/]*[@-~]",
        r"|\x1b[@-Z\\-_]?",
        r"|\[\d{1,2}(?:;\d{1,3}){0,5}m",
        r"|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x{9f}\x{ad}]",
        r"|[\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2060}-\x{206f}\x{feff}]",
    ))
});

pub(super) struct View<'a> {
    pub(super) text: Cow<'a, str>,
    /// Where each visible part begins, in the view and in the text.
    parts: Vec<(usize, usize)>,
}

impl<'a> View<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut seen = String::new();
        let mut parts = Vec::new();
        let mut done = 0;
        for unseen in UNSEEN.find_iter(text) {
            if unseen.start() > done {
                parts.push((seen.len(), done));
                seen.push_str(&text[done..unseen.start()]);
            }
            done = unseen.end();
        }
        if done == 0 {
            return Self {
                text: Cow::Borrowed(text),
                parts: vec![(0, 0)],
            };
        }
        parts.push((seen.len(), done));
        seen.push_str(&text[done..]);
        Self {
            text: Cow::Owned(seen),
            parts,
        }
    }

    /// The same range in the text itself. What is unseen at its borders stays.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        let place = |position: usize| {
            let behind = self.parts.partition_point(|(seen, _)| *seen <= position);
            let part = behind
                .checked_sub(1)
                .and_then(|index| self.parts.get(index));
            part.map_or(position, |(seen, text)| text + (position - seen))
        };
        if range.is_empty() {
            let at = place(range.start);
            return at..at;
        }
        place(range.start)..place(range.end - 1) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_the_view_is_found_in_the_text() {
        let text = "a\x1b[31mbc\x1b[0md\u{200b}e";
        let view = View::of(text);
        assert_eq!(view.text, "abcde");
        assert_eq!(&text[view.original(&(1..3))], "bc");
        assert_eq!(&text[view.original(&(0..2))], "a\x1b[31mb");
        assert_eq!(&text[view.original(&(3..5))], "d\u{200b}e");
    }
}
