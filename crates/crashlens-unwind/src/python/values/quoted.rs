//! Strings as Python writes them.

use std::fmt::Write as _;

/// A string as Python writes it: quoted, with what cannot be seen escaped, at most `longest` characters of it.
pub(super) fn quoted(prefix: &str, text: &str, longest: usize, ascii: bool) -> String {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut written = format!("{prefix}{quote}");
    let mut letters = text.chars();
    for letter in letters.by_ref().take(longest) {
        let code = u32::from(letter);
        let _ = match letter {
            '\\' => write!(written, "\\\\"),
            '\n' => write!(written, "\\n"),
            '\r' => write!(written, "\\r"),
            '\t' => write!(written, "\\t"),
            _ if letter == quote => write!(written, "\\{quote}"),
            ' '..='~' => write!(written, "{letter}"),
            _ if code < 0x100 && (ascii || letter.is_control() || code == 0xa0 || code == 0xad) => {
                write!(written, "\\x{code:02x}")
            }
            _ if ascii && letter != '…' && code < 0x1_0000 => write!(written, "\\u{code:04x}"),
            _ if ascii && letter != '…' => write!(written, "\\U{code:08x}"),
            _ if letter.is_whitespace() => write!(written, "\\u{code:04x}"),
            _ => write!(written, "{letter}"),
        };
    }
    written.push(quote);
    if letters.next().is_some() {
        written.push('…');
    }
    written
}
