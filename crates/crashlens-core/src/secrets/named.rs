//! Values that follow a name with a smell: `password=…`, `"api_key": "…"`, `--token …`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::embedded;

use super::MASK;
use super::codes::{is_number, is_opaque, is_path, is_plain_word};
use super::names::{Smell, is_password, smell};

/// How much of a value is looked at to tell whether it is a secret.
const ENOUGH_TO_JUDGE: usize = 256;

/// A name and what separates it from its value; group 1 is the dash of a flag.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(concat!(
        r#"(-)?([A-Za-z_][0-9A-Za-z_.-]*)"#,
        r#"(?:(?:\\*["'])?\]?\s*(?:[:=!]=|=>|[:=]|%3[ADad])\s*|\s+)"#
    ))
});

pub(super) fn secrets(text: &str) -> Vec<Range<usize>> {
    let mut secrets = Vec::new();
    let mut from = 0;
    while let Some(found) = NAME.captures_at(text, from) {
        let (Some(whole), Some(name)) = (found.get(0), found.get(2)) else {
            break;
        };
        from = whole.end();
        let separator = &text[name.end()..whole.end()];
        let is_parted_by_space = separator.trim().is_empty();
        // The user in a URL is not a name of what follows.
        let is_user = text[..name.start()].ends_with("://");
        if (is_parted_by_space && found.get(1).is_none()) || is_user {
            continue;
        }
        let Some(smell) = smell_at(text, name.range()) else {
            continue;
        };
        let start = behind_annotation(text, whole.end());
        // Bounded, or `token=token=token=…` would be read to its end for each of its names.
        let near = &text[..text.floor_char_boundary(start + ENOUGH_TO_JUDGE)];
        let written = Written {
            value: &near[value_at(near, start)],
            is_quoted: is_quoted(near, start),
            is_spaced: separator.starts_with(' '),
        };
        let is_word_in_prose = separator != "=" && !written.is_quoted;
        let smell = match smell {
            Smell::Weak if !is_word_in_prose && is_password(name.as_str()) => Smell::Telling,
            smell => smell,
        };
        if written.is_secret(smell) {
            let value = value_at(text, start);
            from = value.end;
            secrets.push(value);
        }
    }
    secrets
}

/// The smell of a name, also if the end of an escape is written right before it: `\ntoken=…`.
fn smell_at(text: &str, name: Range<usize>) -> Option<Smell> {
    let word = &text[name.clone()];
    let by_itself = smell(word);
    let is_escape =
        text[..name.start].ends_with('\\') && word.starts_with(['a', 'b', 'f', 'n', 'r', 't', 'v']);
    if is_escape {
        by_itself.max(smell(&word[1..]))
    } else {
        by_itself
    }
}

/// A value and how it is written.
struct Written<'a> {
    value: &'a str,
    is_quoted: bool,
    /// `name = value`: in a program, only what is in quotes is a value, the rest is an expression.
    is_spaced: bool,
}

impl Written<'_> {
    fn is_secret(&self, smell: Smell) -> bool {
        let is_expression = !self.is_quoted && (self.is_spaced || self.value.contains(BRACKETS));
        match smell {
            Smell::Strong => !is_plain_word(self.value),
            Smell::Telling => {
                is_opaque(self.value)
                    || !(is_expression
                        || is_plain_word(self.value)
                        || is_path(self.value)
                        || is_number(self.value))
            }
            // The escapes after a code do not belong to it: `token: 0a1b…\\r\\n`.
            Smell::Weak => is_opaque(self.value.split('\\').next().unwrap_or_default()),
        }
    }
}

/// Where the value begins if what stands at `start` is the type of a variable: `password: str = "…"`.
fn behind_annotation(text: &str, start: usize) -> usize {
    const LONGEST_TYPE: usize = 64;
    let near = &text[start..text.floor_char_boundary(start + LONGEST_TYPE)];
    let is_part = |letter: char| letter.is_alphanumeric() || "_.|[] ".contains(letter);
    let behind = near.trim_start_matches(is_part);
    let is_type = text[..start].trim_end().ends_with(':') && behind.len() < near.len();
    match behind.strip_prefix('=').map(str::trim_start) {
        Some(value) if is_type && !value.starts_with('=') => start + near.len() - value.len(),
        _ => start,
    }
}

/// The quote at `start`, with Python's marks (`b"…"`, `rf'…'`) and the backslashes of a text within a text before it: how
/// much stands before its content, and what ends it.
fn quote_at(text: &str, start: usize) -> Option<(usize, &str)> {
    const MOST_BACKSLASHES: usize = 8;
    let rest = &text[start..];
    let quoted = rest.trim_start_matches(['b', 'B', 'r', 'R', 'u', 'U', 'f', 'F']);
    let prefix = rest.len() - quoted.len();
    let slashes = quoted.len() - quoted.trim_start_matches('\\').len();
    if prefix > 2 || slashes > MOST_BACKSLASHES {
        return None;
    }
    let quote = ["\"\"\"", "'''", "\"", "'"]
        .into_iter()
        .find(|quote| quoted[slashes..].starts_with(quote))?;
    let length = slashes + quote.len();
    Some((prefix + length, &quoted[..length]))
}

/// Whether a text is written out at `start`, or several in brackets.
fn is_quoted(text: &str, start: usize) -> bool {
    let has_quotes = || text[value_at(text, start)].contains(['"', '\'']);
    quote_at(text, start).is_some() || (text[start..].starts_with(BRACKETS) && has_quotes())
}

const BRACKETS: [char; 3] = ['[', '(', '{'];

/// Bytes up to the bracket that closes the first one; all of them if it was cut off before.
fn bracketed_length(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut is_escaped = false;
    for (at, letter) in text.char_indices() {
        match (letter, quote) {
            _ if is_escaped => is_escaped = false,
            ('\\', Some(_)) => is_escaped = true,
            (letter, Some(open)) if letter == open => quote = None,
            ('"' | '\'', None) => quote = Some(letter),
            ('[' | '(' | '{', None) => depth += 1,
            (']' | ')' | '}', None) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && quote.is_none() {
            return at + letter.len_utf8();
        }
    }
    text.len()
}

/// Where the value that begins at `start` stands: what is in quotes or brackets, else up to the next separator.
fn value_at(text: &str, start: usize) -> Range<usize> {
    if let Some((before, quote)) = quote_at(text, start) {
        let content = start + before;
        return content..content + quoted_length(&text[content..], quote);
    }
    let rest = &text[start..];
    if rest.starts_with(BRACKETS) && !rest.starts_with(MASK) {
        return start..start + bracketed_length(rest);
    }
    let is_end = |letter: char| {
        letter.is_whitespace() || matches!(letter, '"' | '\'' | ',' | ';' | '&' | ')' | ']' | '}')
    };
    // A part that was masked before ends with a bracket that ends nothing.
    let mut from = 0;
    loop {
        let end = rest[from..]
            .find(is_end)
            .map_or(rest.len(), |end| from + end);
        let is_mask =
            rest[end..].starts_with(']') && rest[..end].ends_with(MASK.trim_end_matches(']'));
        if !is_mask {
            return start..start + end;
        }
        from = end + 1;
    }
}

/// Bytes up to the quote that ends the text; all of them if it was cut off before.
fn quoted_length(text: &str, quote: &str) -> usize {
    let outer = quote.bytes().take_while(|byte| *byte == b'\\').count();
    let is_escaped = |position: usize| {
        let before = &text.as_bytes()[..position];
        let slashes = before
            .iter()
            .rev()
            .take_while(|byte| **byte == b'\\')
            .count();
        // Within a text within a text, a quote is escaped by more backslashes than the one that began it.
        if outer == 0 {
            slashes % 2 == 1
        } else {
            slashes > 0
        }
    };
    text.match_indices(quote)
        .map(|(position, _)| position)
        .find(|position| !is_escaped(*position))
        .unwrap_or(text.len())
}
