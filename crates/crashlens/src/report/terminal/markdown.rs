//! The Markdown of rule pages as plain text of limited width: headings, paragraphs, lists and code.

use std::io;

use super::page::{FAINT, PLAIN, Page};

/// What a line is the beginning of.
enum Block<'a> {
    Heading(&'a str),
    /// With its depth in columns.
    Item(usize, &'a str),
    Text(&'a str),
}

/// Writes the blocks of a page.
pub(in crate::report) fn write_markdown(page: &mut Page<'_>, text: &str) -> io::Result<()> {
    let mut gathered = Gathered::default();
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            gathered.flush(page)?;
            is_code = !is_code;
            if is_code {
                page.blank()?;
            }
        } else if is_code || line.starts_with('|') {
            gathered.flush(page)?;
            page.line(4, &[(FAINT, line)])?;
        } else if line.trim().is_empty() {
            gathered.flush(page)?;
        } else {
            match block(line) {
                Block::Heading(title) => {
                    gathered.flush(page)?;
                    page.heading(title)?;
                    gathered.follows_heading = true;
                }
                Block::Item(depth, text) => {
                    gathered.flush(page)?;
                    gathered.item = Some(depth);
                    gathered.add(text);
                }
                Block::Text(text) => gathered.add(text),
            }
        }
    }
    gathered.flush(page)
}

/// A paragraph or an item of a list, while its lines are read.
#[derive(Default)]
struct Gathered {
    text: String,
    item: Option<usize>,
    follows_heading: bool,
    follows_paragraph: bool,
}

impl Gathered {
    fn add(&mut self, line: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(line.trim());
    }

    fn flush(&mut self, page: &mut Page<'_>) -> io::Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        let text = inline(&std::mem::take(&mut self.text));
        let follows_paragraph = self.follows_paragraph && !self.follows_heading;
        self.follows_heading = false;
        self.follows_paragraph = self.item.is_none();
        if let Some(depth) = self.item.take() {
            return page.hanging(depth + 2, "- ", &[(PLAIN, &text)]);
        }
        if follows_paragraph {
            page.blank()?;
        }
        page.indented(2, &[(PLAIN, &text)])
    }
}

fn block(line: &str) -> Block<'_> {
    let text = line.trim_start();
    if line.starts_with('#') {
        return Block::Heading(text.trim_start_matches('#').trim());
    }
    let number = text.find(|letter: char| !letter.is_ascii_digit());
    let item = text
        .strip_prefix("- ")
        .or_else(|| text.strip_prefix("* "))
        .or_else(|| {
            let rest = text.get(number.filter(|digits| *digits > 0)?..)?;
            rest.strip_prefix(". ")
        });
    match item {
        Some(item) => Block::Item(line.len() - text.len(), item),
        None => Block::Text(text),
    }
}

/// Without emphasis, and with the address behind the words of a link.
fn inline(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        let parts = link
            .split_once("](")
            .and_then(|(words, link)| Some((words, link.split_once(')')?)));
        plain.push_str(before);
        let Some((words, (address, after))) = parts.filter(|(words, _)| !words.contains('['))
        else {
            plain.push('[');
            rest = link;
            continue;
        };
        plain.push_str(words);
        if address.contains("://") && address != words {
            plain.push_str(" (");
            plain.push_str(address);
            plain.push(')');
        }
        rest = after;
    }
    plain.push_str(rest);
    plain.replace("**", "")
}

#[cfg(test)]
mod tests {
    use super::super::page::Columns;
    use super::*;

    #[test]
    fn a_page_becomes_text_that_fits() {
        let text = "\n## Fix\nSet `A=1` and read\n[the issue](https://x.example/1) **first**.\n\nThen:\n- one item that \
                    is long enough to be put on two lines here\n  and goes on\n- two\n\n```\npip   install x\n```\n";
        let mut out = Vec::new();
        let mut page = Page::new(&mut out, Columns::new(Some(50)));
        write_markdown(&mut page, text).unwrap();
        let out = anstream::adapter::strip_bytes(&out).into_vec();
        insta::assert_snapshot!(String::from_utf8(out).unwrap());
    }
}
