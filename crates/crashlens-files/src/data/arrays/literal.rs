//! Python literals, as far as the header of a NumPy file has them: dictionaries, tuples, lists, strings, numbers.
//!
//! Refuses what `ast.literal_eval` refuses. Numbers other than integers are read and not understood.

/// Lists within lists.
const DEEPEST: usize = 20;

/// A literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    Dictionary(Vec<(Literal, Literal)>),
    Tuple(Vec<Literal>),
    List(Vec<Literal>),
    Text(String),
    Integer(i128),
    Boolean(bool),
    /// `None`, a number that is no integer, one that is too large.
    Other,
}

/// Where reading stopped, as a character of the text.
pub(super) type Refused = usize;

struct Parser<'a> {
    text: &'a [char],
    at: usize,
    /// Python 2 wrote `4L`.
    long_integers: bool,
}

/// The literal that is all of the text.
pub(super) fn parse(text: &str, long_integers: bool) -> Result<Literal, Refused> {
    let text: Vec<char> = text.chars().collect();
    let mut parser = Parser {
        text: &text,
        at: 0,
        long_integers,
    };
    let literal = parser.value(0)?;
    parser.skip();
    if parser.at < text.len() {
        return Err(parser.at);
    }
    Ok(literal)
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    /// Space, the ends of lines, and comments.
    fn skip(&mut self) {
        while let Some(next) = self.peek() {
            match next {
                ' ' | '\t' | '\n' | '\r' | '\x0c' => self.at += 1,
                '#' => {
                    let rest = self.text.get(self.at..).unwrap_or_default();
                    let line = rest.iter().position(|c| *c == '\n');
                    self.at += line.unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    fn take(&mut self, wanted: char) -> bool {
        self.skip();
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn value(&mut self, depth: usize) -> Result<Literal, Refused> {
        self.skip();
        if depth > DEEPEST {
            return Err(self.at);
        }
        match self.peek().ok_or(self.at)? {
            '{' => self.dictionary(depth),
            '(' => self.tuple(depth),
            '[' => {
                self.at += 1;
                Ok(Literal::List(self.items(']', depth)?.0))
            }
            '\'' | '"' => self.text(),
            '0'..='9' | '+' | '-' | '.' => self.number(),
            _ => self.word(),
        }
    }

    fn dictionary(&mut self, depth: usize) -> Result<Literal, Refused> {
        self.at += 1;
        let mut entries = Vec::new();
        while !self.take('}') {
            let key = self.value(depth + 1)?;
            if !self.take(':') {
                return Err(self.at);
            }
            entries.push((key, self.value(depth + 1)?));
            if !self.take(',') && !self.take('}') {
                return Err(self.at);
            } else if self.text.get(self.at.wrapping_sub(1)) == Some(&'}') {
                break;
            }
        }
        Ok(Literal::Dictionary(entries))
    }

    /// In brackets: a tuple, or one value.
    fn tuple(&mut self, depth: usize) -> Result<Literal, Refused> {
        self.at += 1;
        let (mut items, has_comma) = self.items(')', depth)?;
        Ok(match items.pop() {
            Some(only) if items.is_empty() && !has_comma => only,
            Some(last) => {
                items.push(last);
                Literal::Tuple(items)
            }
            None => Literal::Tuple(items),
        })
    }

    /// Values up to an end, and whether there was a comma.
    fn items(&mut self, end: char, depth: usize) -> Result<(Vec<Literal>, bool), Refused> {
        let (mut items, mut has_comma) = (Vec::new(), false);
        loop {
            if self.take(end) {
                return Ok((items, has_comma));
            }
            if !items.is_empty() && !has_comma {
                return Err(self.at);
            }
            items.push(self.value(depth + 1)?);
            let comma = self.take(',');
            has_comma |= comma;
            if !comma {
                return if self.take(end) {
                    Ok((items, has_comma))
                } else {
                    Err(self.at)
                };
            }
        }
    }

    /// Strings; several that stand side by side are one.
    fn text(&mut self) -> Result<Literal, Refused> {
        let mut text = String::new();
        loop {
            let quote = self.peek().ok_or(self.at)?;
            self.at += 1;
            loop {
                let next = self.peek().ok_or(self.at)?;
                self.at += 1;
                match next {
                    '\n' | '\r' => return Err(self.at),
                    '\\' => {
                        // What is escaped does not occur in types; it is kept as it is.
                        text.push(self.peek().ok_or(self.at)?);
                        self.at += 1;
                    }
                    next if next == quote => break,
                    next => text.push(next),
                }
            }
            self.skip();
            if !matches!(self.peek(), Some('\'' | '"')) {
                return Ok(Literal::Text(text));
            }
        }
    }

    fn number(&mut self) -> Result<Literal, Refused> {
        let negative = match self.peek() {
            Some(sign @ ('+' | '-')) => {
                self.at += 1;
                self.skip();
                sign == '-'
            }
            _ => false,
        };
        let start = self.at;
        let is_part = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
        let rest = self.text.get(start..).unwrap_or_default();
        let word: String = rest.iter().copied().take_while(|c| is_part(c)).collect();
        self.at += word.len();
        match number(&word, self.long_integers).ok_or(start)? {
            Literal::Integer(value) if negative => Ok(Literal::Integer(-value)),
            other => Ok(other),
        }
    }

    fn word(&mut self) -> Result<Literal, Refused> {
        let start = self.at;
        let rest = self.text.get(start..).unwrap_or_default();
        let is_part = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
        let word: String = rest.iter().copied().take_while(|c| is_part(c)).collect();
        self.at += word.len();
        match word.as_str() {
            "True" => Ok(Literal::Boolean(true)),
            "False" => Ok(Literal::Boolean(false)),
            "None" => Ok(Literal::Other),
            "b" | "u" | "r" if matches!(self.peek(), Some('\'' | '"')) => match self.text()? {
                Literal::Text(_) if word == "b" => Ok(Literal::Other),
                text => Ok(text),
            },
            _ => Err(start),
        }
    }
}

/// A number without its sign.
fn number(word: &str, long_integers: bool) -> Option<Literal> {
    let integer = |parsed: Result<i128, _>| parsed.map_or(Literal::Other, Literal::Integer);
    let word = match word.strip_suffix(['l', 'L']) {
        Some(word) if long_integers => word,
        _ => word,
    };
    if word.is_empty() || word.ends_with('_') || word.contains("__") || word.starts_with('_') {
        return None;
    }
    let digits: String = word.chars().filter(|c| *c != '_').collect();
    let small = digits.to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = small.strip_prefix(prefix) {
            let is_right = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
            return is_right.then(|| integer(i128::from_str_radix(digits, radix)));
        }
    }
    if digits.chars().all(|c| c.is_ascii_digit()) {
        let leading_zero = digits.starts_with('0') && digits.chars().any(|c| c != '0');
        return (!leading_zero).then(|| integer(digits.parse()));
    }
    let float = small.strip_suffix('j').unwrap_or(&small);
    (float.parse::<f64>().is_ok() && float.starts_with(|c: char| c == '.' || c.is_ascii_digit()))
        .then_some(Literal::Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_of_an_array_is_read() {
        let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 9), }      \n";
        let Ok(Literal::Dictionary(entries)) = parse(text, true) else {
            panic!("no dictionary");
        };
        assert_eq!(entries.len(), 3);
        let shape = Literal::Tuple(vec![Literal::Integer(16), Literal::Integer(9)]);
        assert_eq!(entries[2], (Literal::Text("shape".to_owned()), shape));
    }

    #[test]
    fn brackets_alone_make_no_tuple() {
        assert_eq!(parse("(4)", true), Ok(Literal::Integer(4)));
        assert_eq!(
            parse("(4,)", true),
            Ok(Literal::Tuple(vec![Literal::Integer(4)]))
        );
        assert_eq!(parse("()", true), Ok(Literal::Tuple(Vec::new())));
    }

    #[test]
    fn what_python_refuses_is_refused() {
        for text in [
            "",
            "{",
            "{'a': 1",
            "(4,, 4)",
            "(4 4)",
            "04",
            "4_",
            "Falsf",
            "{'a' 1}",
            "(1,) 0",
            "'a",
            "(16, 9\u{a0})",
            "4x",
            "{'a': 1,, }",
            "(,)",
            "4\0",
        ] {
            assert!(parse(text, true).is_err(), "{text}");
        }
        assert!(parse(&"(".repeat(5000), true).is_err());
    }

    #[test]
    fn integers_of_python_2_are_read_where_they_may_stand() {
        assert_eq!(parse("4L", true), Ok(Literal::Integer(4)));
        assert!(parse("4L", false).is_err());
        assert_eq!(parse("-1_6", false), Ok(Literal::Integer(-16)));
        assert_eq!(parse("2.5", false), Ok(Literal::Other));
    }
}
