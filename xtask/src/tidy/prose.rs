//! The text in a file that people read: all of a Markdown page, comments and string literals of Rust.

/// Text of one line, with its number from 1.
pub struct Line {
    pub number: usize,
    pub text: String,
}

/// Comments and string literals, line by line. Names and keywords of the code are left out: a variable called
/// `anew_at` is not a phrase.
pub fn of_rust(source: &str) -> Vec<Line> {
    let mut reader = Reader {
        rest: source,
        line: 1,
        found: Vec::new(),
    };
    while let Some(next) = reader.rest.chars().next() {
        match next {
            '/' if reader.rest.starts_with("//") => reader.until("\n"),
            '/' if reader.rest.starts_with("/*") => reader.until("*/"),
            '"' => reader.string(),
            '\'' => reader.character(),
            'r' | 'b' | 'c' if reader.raw_string() => {}
            _ if is_name(next) => reader.name(),
            _ => reader.skip(next.len_utf8()),
        }
    }
    reader.found
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
    found: Vec<Line>,
}

impl Reader<'_> {
    fn skip(&mut self, bytes: usize) {
        let (skipped, rest) = self.rest.split_at(bytes.min(self.rest.len()));
        self.line += skipped.matches('\n').count();
        self.rest = rest;
    }

    /// A whole name, so that the `r` in `for` does not begin a raw string.
    fn name(&mut self) {
        let end = self.rest.find(|letter| !is_name(letter));
        self.skip(end.unwrap_or(self.rest.len()));
    }

    fn keep(&mut self, bytes: usize) {
        let text = &self.rest[..bytes.min(self.rest.len())];
        for (offset, line) in text.lines().enumerate() {
            self.found.push(Line {
                number: self.line + offset,
                text: line.to_owned(),
            });
        }
        self.skip(bytes);
    }

    fn until(&mut self, end: &str) {
        let bytes = self
            .rest
            .find(end)
            .map_or(self.rest.len(), |at| at + end.len());
        self.keep(bytes);
    }

    fn string(&mut self) {
        let mut escaped = false;
        let end = self.rest.char_indices().skip(1).find(|(_, letter)| {
            let is_end = *letter == '"' && !escaped;
            escaped = *letter == '\\' && !escaped;
            is_end
        });
        self.keep(end.map_or(self.rest.len(), |(at, _)| at + 1));
    }

    /// `'a'` and `'\''` are characters; the quote of a lifetime is skipped alone.
    fn character(&mut self) {
        let body = &self.rest[1..];
        let mut letters = body.chars();
        let bytes = match (letters.next(), letters.next()) {
            (Some('\\'), Some(escape)) => {
                let escaped = 1 + escape.len_utf8();
                body[escaped..].find('\'').map(|at| escaped + at + 2)
            }
            (Some(letter), Some('\'')) => Some(letter.len_utf8() + 2),
            _ => None,
        };
        self.skip(bytes.unwrap_or(1));
    }

    /// `r"…"`, `r#"…"#`, with `b` or `c` before it; whether there was one.
    fn raw_string(&mut self) -> bool {
        let body = self.rest.trim_start_matches(['b', 'c']);
        let prefix = self.rest.len() - body.len();
        let Some(body) = body.strip_prefix('r').filter(|_| prefix <= 1) else {
            return false;
        };
        let quoted = body.trim_start_matches('#');
        let hashes = body.len() - quoted.len();
        if !quoted.starts_with('"') {
            return false;
        }
        let end = format!("\"{}", "#".repeat(hashes));
        let opening = prefix + 1 + hashes + 1;
        let close = self.rest[opening..].find(&end);
        self.keep(close.map_or(self.rest.len(), |at| opening + at + end.len()));
        true
    }
}

/// Every line of a page.
pub fn of_page(text: &str) -> Vec<Line> {
    let numbered = text.lines().zip(1..);
    numbered
        .map(|(text, number)| Line {
            number,
            text: text.to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<(usize, String)> {
        let lines = of_rust(source).into_iter();
        lines.map(|line| (line.number, line.text)).collect()
    }

    #[test]
    fn comments_and_strings_are_text_and_names_are_not() {
        let source = "/// One\nlet after_it = \"two\"; // three\n/* four\nfive */ after_it();\n";
        let found = texts(source);
        let expected = ["/// One", "\"two\"", "// three", "/* four", "five */"];
        let words: Vec<_> = found.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(words, expected);
        let numbers: Vec<_> = found.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [1, 2, 2, 3, 4]);
    }

    #[test]
    fn quotes_that_do_not_begin_a_string_do_not_hide_what_follows() {
        let source = "fn f<'a>(x: &'a str) { g('\"', '\\'', b'\"', '\\u{22}'); } // end";
        assert_eq!(texts(source), [(1, "// end".to_owned())]);
    }

    #[test]
    fn a_raw_string_ends_at_its_own_mark() {
        let source = "let x = r#\"a \"quoted\" word\"#; let r = br\"b\\\"; // end";
        let words: Vec<_> = texts(source).into_iter().map(|(_, text)| text).collect();
        assert_eq!(words, ["r#\"a \"quoted\" word\"#", "br\"b\\\"", "// end"]);
    }

    #[test]
    fn an_escaped_quote_does_not_end_a_string() {
        let words = texts("f(\"a \\\" b\", \"c\\\\\"); // end");
        assert_eq!(words.len(), 3);
        assert_eq!(words[2].1, "// end");
    }

    #[test]
    fn text_that_never_ends_is_read_to_the_end_of_the_file() {
        assert_eq!(texts("/* a"), [(1, "/* a".to_owned())]);
        assert_eq!(texts("\"a"), [(1, "\"a".to_owned())]);
        assert_eq!(texts("r#\"a"), [(1, "r#\"a".to_owned())]);
        assert_eq!(texts("'"), []);
    }
}
