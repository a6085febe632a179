//! Lines of limited width, with emphasis, out of text that may hold anything.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::names::{clip, printable};

/// Width of a label in front of a fact.
const LABEL: usize = 8;

/// Plain text.
pub(in crate::report) const PLAIN: Style = Style::new();
/// What matters most.
pub(in crate::report) const STRONG: Style = Style::new().bold();
/// What may be skipped.
pub(in crate::report) const FAINT: Style = Style::new().dimmed();
/// What went wrong.
pub(in crate::report) const ALARM: Style = AnsiColor::Red.on_default().bold();

/// Width of the text: that of the terminal, but no wider than the eye likes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Columns(usize);

impl Columns {
    /// The width for a terminal; 80 where there is none.
    pub(crate) fn new(terminal: Option<u16>) -> Self {
        Self(terminal.map_or(80, usize::from).clamp(40, 100))
    }
}

/// Where a report is written.
pub(in crate::report) struct Page<'a> {
    out: Out<'a>,
    width: usize,
}

enum Out<'a> {
    /// As lines that fit.
    Lines(&'a mut dyn Write),
    /// As pieces, for a form that lays them out itself.
    Pieces(&'a mut Vec<Piece>),
}

/// What is said in one go: a sentence, an item, or a fact with its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::report) struct Piece {
    /// Empty where it goes on with the fact before it, or is not a fact.
    pub(in crate::report) label: String,
    /// Its text, with emphasis.
    pub(in crate::report) spans: Vec<(Style, String)>,
}

/// Columns of what is laid out elsewhere: enough for any name that a person reads.
const ELSEWHERE: usize = 160;

/// What `write` says, for a form that lays it out itself.
pub(in crate::report) fn pieces(
    write: impl FnOnce(&mut Page<'_>) -> io::Result<()>,
) -> io::Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    write(&mut Page {
        out: Out::Pieces(&mut pieces),
        width: ELSEWHERE,
    })?;
    Ok(pieces)
}

/// A piece of a line.
pub(in crate::report) type Span<'a> = (Style, &'a str);

impl<'a> Page<'a> {
    pub(in crate::report) fn new(out: &'a mut dyn Write, columns: Columns) -> Self {
        Self {
            out: Out::Lines(out),
            width: columns.0,
        }
    }

    /// Columns there are in a line.
    pub(in crate::report) fn width(&self) -> usize {
        self.width
    }

    pub(in crate::report) fn blank(&mut self) -> io::Result<()> {
        match &mut self.out {
            Out::Lines(out) => writeln!(out),
            Out::Pieces(_) => Ok(()),
        }
    }

    /// A heading, with a blank line before it.
    pub(in crate::report) fn heading(&mut self, text: &str) -> io::Result<()> {
        self.blank()?;
        self.wrapped("", "", &[(STRONG, text)])
    }

    /// What `write` writes, with a heading or only a blank line before it; nothing at all where that is nothing.
    pub(in crate::report) fn section(
        &mut self,
        heading: Option<&str>,
        write: impl FnOnce(&mut Page<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut text = Vec::new();
        let out = match &mut self.out {
            Out::Lines(_) => Out::Lines(&mut text),
            Out::Pieces(pieces) => Out::Pieces(pieces),
        };
        write(&mut Page {
            out,
            width: self.width,
        })?;
        if text.is_empty() {
            return Ok(());
        }
        match heading {
            Some(heading) => self.heading(heading)?,
            None => self.blank()?,
        }
        match &mut self.out {
            Out::Lines(out) => out.write_all(&text),
            Out::Pieces(_) => Ok(()),
        }
    }

    /// Keeps what is said, where it is laid out elsewhere.
    fn keep(&mut self, label: &str, spans: &[Span<'_>]) -> Option<&mut dyn Write> {
        match &mut self.out {
            Out::Lines(out) => Some(*out),
            Out::Pieces(pieces) => {
                let spans = spans.iter().filter(|(_, text)| !text.is_empty());
                pieces.push(Piece {
                    label: label.trim().to_owned(),
                    spans: spans
                        .map(|(style, text)| (*style, printable(text).into_owned()))
                        .collect(),
                });
                None
            }
        }
    }

    /// One line as it is; who calls has made it fit.
    pub(in crate::report) fn line(&mut self, indent: usize, spans: &[Span<'_>]) -> io::Result<()> {
        let Some(out) = self.keep("", spans) else {
            return Ok(());
        };
        write!(out, "{:indent$}", "")?;
        for (style, text) in spans.iter().filter(|(_, text)| !text.is_empty()) {
            write!(out, "{style}{}{style:#}", printable(text))?;
        }
        writeln!(out)
    }

    /// Wrapped text.
    pub(in crate::report) fn paragraph(&mut self, text: &str) -> io::Result<()> {
        self.wrapped("", "", &[(PLAIN, text)])
    }

    /// Wrapped text with emphasis. Spans meet at word borders.
    pub(in crate::report) fn sentence(&mut self, spans: &[Span<'_>]) -> io::Result<()> {
        self.wrapped("", "", spans)
    }

    /// Wrapped text behind a dash.
    pub(in crate::report) fn item(&mut self, text: &str) -> io::Result<()> {
        self.item_of(&[(PLAIN, text)])
    }

    /// The same with emphasis. Spans meet at word borders.
    pub(in crate::report) fn item_of(&mut self, spans: &[Span<'_>]) -> io::Result<()> {
        self.wrapped("  - ", "    ", spans)
    }

    /// Wrapped text behind a mark, `indent` columns in.
    pub(in crate::report) fn hanging(
        &mut self,
        indent: usize,
        mark: &str,
        spans: &[Span<'_>],
    ) -> io::Result<()> {
        let first = format!("{:indent$}{mark}", "");
        let rest = " ".repeat(first.len());
        self.wrapped(&first, &rest, spans)
    }

    /// Wrapped text behind a label with emphasis; the label is `indent` columns wide.
    pub(in crate::report) fn labelled(
        &mut self,
        indent: usize,
        label: Span<'_>,
        spans: &[Span<'_>],
    ) -> io::Result<()> {
        let (style, label) = label;
        let first = format!("{style}{}{style:#}", printable(label));
        self.wrapped(&first, &" ".repeat(indent), spans)
    }

    /// Wrapped text, `indent` columns in.
    pub(in crate::report) fn indented(
        &mut self,
        indent: usize,
        spans: &[Span<'_>],
    ) -> io::Result<()> {
        let margin = " ".repeat(indent);
        self.wrapped(&margin, &margin, spans)
    }

    /// A labelled fact, wrapped.
    pub(in crate::report) fn fact(&mut self, label: &str, spans: &[Span<'_>]) -> io::Result<()> {
        let first = format!("  {label:LABEL$}");
        let rest = " ".repeat(first.len());
        self.wrapped_fact(label, &first, &rest, spans)
    }

    /// Faint wrapped text, `indent` columns in.
    pub(in crate::report) fn note(&mut self, indent: usize, text: &str) -> io::Result<()> {
        self.indented(indent, &[(FAINT, text)])
    }

    /// What can be copied into a shell: never broken, however long.
    pub(in crate::report) fn command(&mut self, label: &str, text: &str) -> io::Result<()> {
        self.line(2, &[(PLAIN, &format!("{label:LABEL$}")), (PLAIN, text)])
    }

    /// A line of foreign text, cut at the edge.
    pub(in crate::report) fn verbatim(&mut self, indent: usize, text: &str) -> io::Result<()> {
        let fitting = clip(text.trim_end(), self.width.saturating_sub(indent));
        self.line(indent, &[(FAINT, &fitting)])
    }

    /// A line of a log: its end may be the message, so it takes up to three lines before it is cut.
    pub(in crate::report) fn log_line(&mut self, text: &str) -> io::Result<()> {
        let text = clip(text.trim_end(), (self.width - 8) * 3);
        self.wrapped("  ", "    ", &[(FAINT, &text)])
    }

    fn wrapped(&mut self, first: &str, rest: &str, spans: &[Span<'_>]) -> io::Result<()> {
        self.wrapped_fact("", first, rest, spans)
    }

    fn wrapped_fact(
        &mut self,
        label: &str,
        first: &str,
        rest: &str,
        spans: &[Span<'_>],
    ) -> io::Result<()> {
        let width = self.width;
        let Some(out) = self.keep(label, spans) else {
            return Ok(());
        };
        let mut text = String::new();
        for (style, span) in spans.iter().filter(|(_, span)| !span.is_empty()) {
            let _ = write!(text, "{style}{}{style:#}", printable(span));
        }
        let options = textwrap::Options::new(width)
            .initial_indent(first)
            .subsequent_indent(rest)
            .word_splitter(textwrap::WordSplitter::NoHyphenation)
            // A path is to be copied in one piece, if need be past the edge.
            .break_words(false)
            .word_separator(textwrap::WordSeparator::AsciiSpace);
        for line in textwrap::wrap(&text, options) {
            // A space that must not be a line's end is written as one that does not break.
            writeln!(out, "{}", line.replace('\u{a0}', " "))?;
        }
        Ok(())
    }
}
