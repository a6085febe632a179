//! The one place that keeps foreign text from commanding a terminal.
//!
//! Names of files, captures, surveys and logs come from strangers. What crashlens prints, on either stream and in every
//! format, passes through here last. Characters that cannot be seen or that turn the direction of reading count as
//! harmful too: with them a name looks like another one.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character does something else than be seen.
pub(crate) fn is_harmful(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}'..='\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}

/// One line, for people: each harmful character becomes a mark, a tab becomes a space.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    let replaced = |letter: char| match letter {
        '\t' => ' ',
        _ if is_harmful(letter) => char::REPLACEMENT_CHARACTER,
        _ => letter,
    };
    if text.contains(is_harmful) {
        Cow::Owned(text.chars().map(replaced).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// The same with harmful characters written out, so that the reader sees which they are: `a\u{1b}b`.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_harmful(letter) {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// Lines that we have laid out: newlines, tabs and our own colors stay.
pub(crate) fn page(text: &str) -> Cow<'_, str> {
    let is_foreign = |letter: char| is_harmful(letter) && !matches!(letter, '\n' | '\t');
    if !text.contains(is_foreign) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_foreign) {
        let (before, from) = rest.split_at(at);
        shown.push_str(before);
        let length = color_length(from);
        if length > 0 {
            shown.push_str(&from[..length]);
        } else {
            shown.push(char::REPLACEMENT_CHARACTER);
        }
        let harmful = from.chars().next().map_or(1, char::len_utf8);
        rest = &from[length.max(harmful)..];
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

/// Lines of a document that has no colors: newlines and tabs stay.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    let is_foreign = |letter: char| is_harmful(letter) && !matches!(letter, '\n' | '\t');
    if text.contains(is_foreign) {
        Cow::Owned(text.replace(is_foreign, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Bytes of the command for a color or a weight with which `text` begins.
fn color_length(text: &str) -> usize {
    let Some(parameters) = text.strip_prefix("\x1b[") else {
        return 0;
    };
    let rest =
        parameters.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';');
    if rest.starts_with('m') {
        text.len() - rest.len() + 1
    } else {
        0
    }
}

/// A JSON document, in which harmful characters are escaped: it says the same, and may be shown on a terminal.
///
/// JSON escapes only those below U+0020 by itself. The others occur nowhere but in strings.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    let is_raw = |letter: char| is_harmful(letter) && letter != '\n';
    if !text.contains(is_raw) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_raw(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(letter);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_newlines_tabs_and_colors_of_a_page_are_kept() {
        assert_eq!(
            page("\x1b[1;31ma\x1b[0m\tb\n\x1b]0;c\x07\x1b[2Jd\u{9b}\u{202e}\x1b["),
            "\x1b[1;31ma\x1b[0m\tb\n\u{fffd}]0;c\u{fffd}\u{fffd}[2Jd\u{fffd}\u{fffd}\u{fffd}["
        );
        assert!(matches!(page("a\nb é 界 🙂"), Cow::Borrowed(_)));
    }

    #[test]
    fn of_a_document_without_colors_only_newlines_and_tabs_are_kept() {
        assert_eq!(
            lines("\x1b[1ma\tb\n\r\u{202e}"),
            "\u{fffd}[1ma\tb\n\u{fffd}\u{fffd}"
        );
        assert!(matches!(lines("a\nb é 界 🙂"), Cow::Borrowed(_)));
    }

    #[test]
    fn an_escaped_document_says_the_same() {
        let value =
            serde_json::json!({"a\u{200b}": "\x1b[2J\u{9b}\u{7f}\u{202e}\u{feff}\u{e0041} é\n"});
        for text in [
            serde_json::to_string(&value).unwrap(),
            serde_json::to_string_pretty(&value).unwrap(),
        ] {
            let safe = json(&text);
            assert!(!safe.replace('\n', "").contains(is_harmful), "{safe}");
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&safe).unwrap(),
                value
            );
        }
    }

    #[test]
    fn a_line_shows_where_something_was() {
        assert_eq!(line("a\x1b[31mb\tc\u{202e}"), "a\u{fffd}[31mb c\u{fffd}");
        assert_eq!(escaped("a\x1b\u{200b}\n"), "a\\u{1b}\\u{200b}\\n");
    }
}
