//! Arguments of the oldest protocol: a line of text each.

/// Every `\u` has its four digits, every `\U` its eight.
pub(super) fn has_whole_escapes(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let escape = rest.get(at + 1..).unwrap_or_default();
        let digits = match escape.chars().next() {
            Some('u') => 4,
            Some('U') => 8,
            Some('\\') => 0,
            _ => {
                rest = escape;
                continue;
            }
        };
        let given = escape.chars().skip(1).take(digits);
        if given.filter(char::is_ascii_hexdigit).count() < digits {
            return false;
        }
        let length = escape.chars().next().map_or(0, char::len_utf8) + digits;
        rest = escape.get(length..).unwrap_or_default();
    }
    true
}

/// What stands between quotes.
pub(super) fn unquoted(text: &str) -> Option<&str> {
    let text = text.trim();
    let quote = text.chars().next().filter(|it| matches!(it, '\'' | '"'))?;
    text.strip_prefix(quote)?.strip_suffix(quote)
}

/// Whether Python takes it for the number that the instruction says it is.
pub(super) fn is_number(code: u8, text: &str) -> bool {
    let text = text.trim();
    if code == b'F' {
        return text.parse::<f64>().is_ok();
    }
    let digits = text.strip_suffix('L').unwrap_or(text);
    let digits = digits.strip_prefix(['-', '+']).unwrap_or(digits);
    !digits.is_empty()
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b'x')
}
