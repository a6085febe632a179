//! Comma-separated text, as `tf.data.experimental.CsvDataset` reads it: every row has all columns, and a column of
//! numbers has nothing else in it.
//!
//! Not the `csv` or `csv-core` crate: the quoting and the types of columns are those of `CsvDataset`, which are stricter.

mod column;
mod fields;
mod label;
#[cfg(test)]
mod tests;

use std::io::{self, Read as _};

use crashlens_core::files::{Contents, Extent, FlawKind, NamedPart, Part, Table};

use crate::reading::Reading;
use column::Column;
use fields::{Event, FieldKind, Slip, Splitter, kind};
use label::Label;

/// Bytes that are read at a time.
const BLOCK: usize = 128 * 1024;
/// Columns that are looked into.
const MOST_COLUMNS: usize = 2000;
/// Rows that are told one by one.
const MOST_TOLD: usize = 10;

#[derive(Debug, Default)]
struct Rows {
    columns: Vec<Column>,
    /// Fields of the first row.
    width: u64,
    /// Fields of this row so far.
    fields: u64,
    /// How many.
    count: u64,
    /// Whether the first row names the columns.
    has_heading: bool,
    flaws: Vec<(FlawKind, NamedPart, Option<u64>, String)>,
    is_blank: bool,
    /// Rows with another number of fields than the first.
    ragged: u64,
    /// That number, where all of them have the same.
    other_width: Option<u64>,
    /// Rows whose last field is empty.
    open: u64,
    /// Of this row.
    last_is_empty: bool,
    /// Names of columns that hold labels.
    labels: Vec<String>,
}

pub(crate) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    reading.facts.extent = Extent::Full;
    let head = reading.source.bytes_at(0, BLOCK)?;
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        let detail = "it is UTF-16, and TensorFlow reads bytes";
        reading.flaw_at(FlawKind::Unsupported, Part::Encoding, 0, detail);
        return Ok(());
    }
    let form = Form::of(head, reading.path);
    let mut rows = Rows {
        labels: reading.options.labels.clone(),
        ..Rows::default()
    };
    let mut splitter = Splitter::new(form.delimiter);
    let mut text = Encoding::default();
    let mut block = vec![0; BLOCK];
    let mut last = 0;
    let mut input = reading.reader()?;
    if form.is_marked {
        text.at = 3;
        io::copy(&mut input.by_ref().take(3), &mut io::sink())?;
    }
    loop {
        let read = input.read(&mut block)?;
        let piece = block.get(..read).unwrap_or_default();
        let Some(end) = piece.last() else {
            break;
        };
        last = *end;
        text.add(piece);
        let mut on = |event: Event<'_>| rows.take(&event);
        splitter.feed(piece, &mut on);
    }
    splitter.finish(&mut |event: Event<'_>| rows.take(&event));
    if last == form.delimiter && rows.open == 1 {
        let part = Part::Row.number(rows.count);
        let detail = "the file ends behind a separator, as no other row does".to_owned();
        rows.flaws.push((FlawKind::CutShort, part, None, detail));
    }
    conclude(reading, rows, &text, &form);
    Ok(())
}

/// How the text is written, by its first block.
struct Form {
    head: Vec<u8>,
    delimiter: u8,
    is_marked: bool,
}

impl Form {
    fn of(head: Vec<u8>, path: &str) -> Self {
        Self {
            delimiter: delimiter(&head, path),
            is_marked: head.starts_with(b"\xef\xbb\xbf"),
            head,
        }
    }

    /// Whether a byte stands in the rows that types are guessed from: the heading and 100 more.
    fn is_guessed_from(&self, at: u64) -> bool {
        let before = usize::try_from(at).ok().and_then(|at| self.head.get(..at));
        before.is_some_and(|before| memchr::memchr_iter(b'\n', before).count() <= 100)
    }
}

/// The separator: that of the name, or the most frequent in the first row.
fn delimiter(head: &[u8], path: &str) -> u8 {
    if path.to_ascii_lowercase().ends_with(".tsv") {
        return b'\t';
    }
    let line = head.split(|byte| matches!(byte, b'\n' | b'\r')).next();
    let line = line.unwrap_or_default();
    let count = |wanted: u8| memchr::memchr_iter(wanted, line).count();
    let others = [b';', b'\t', b'|'];
    let other = others.into_iter().max_by_key(|other| count(*other));
    match other {
        Some(other) if count(b',') == 0 && count(other) > 0 => other,
        _ => b',',
    }
}

impl Rows {
    fn take(&mut self, event: &Event<'_>) {
        match *event {
            Event::Field(field) => self.field(field),
            Event::Row => self.row(),
            Event::Slip(slip, at) => self.slip(slip, at),
        }
    }

    fn field(&mut self, field: &[u8]) {
        let place = self.fields as usize;
        self.is_blank = self.fields == 0 && field.is_empty();
        self.last_is_empty = field.is_empty();
        self.fields += 1;
        if place >= MOST_COLUMNS {
            return;
        }
        if self.count == 0 {
            let name = String::from_utf8_lossy(field).into_owned();
            self.has_heading |= kind(field) == FieldKind::Text;
            let label = Label::wanted(&self.labels, &name, place);
            self.columns.push(Column::named(name, label));
            return;
        }
        if let Some(column) = self.columns.get_mut(place) {
            column.add(field, self.count);
        }
    }

    fn row(&mut self) {
        if self.count == 0 {
            self.width = self.fields;
        } else if self.fields != self.width {
            let is_first = self.ragged == 0;
            self.ragged += 1;
            self.other_width =
                (is_first || self.other_width == Some(self.fields)).then_some(self.fields);
            let detail = if self.is_blank && self.fields == 1 {
                // A blank row lacks no value of the first column: it is none.
                if let Some(first) = self.columns.first_mut() {
                    first.empty = first.empty.saturating_sub(1);
                }
                "it is blank".to_owned()
            } else {
                format!(
                    "it has {} fields, and the first row has {}",
                    self.fields, self.width
                )
            };
            self.tell(FlawKind::Contradiction, detail, None);
        }
        self.open += u64::from(self.last_is_empty);
        self.count += 1;
        self.fields = 0;
    }

    fn slip(&mut self, slip: Slip, at: u64) {
        let (kind, detail) = match slip {
            Slip::StrayQuote => (
                FlawKind::Malformed,
                "a quote stands within a field without quotes",
            ),
            Slip::UnescapedQuote => (FlawKind::Malformed, "a quote within quotes is not doubled"),
            Slip::Unclosed => (FlawKind::CutShort, "the file ends within quotes"),
        };
        self.tell(kind, detail.to_owned(), Some(at));
    }

    /// Rows are counted from 1, as editors count lines.
    fn tell(&mut self, kind: FlawKind, detail: String, at: Option<u64>) {
        if self.flaws.len() < MOST_TOLD {
            self.flaws
                .push((kind, Part::Row.number(self.count + 1), at, detail));
        }
    }
}

/// Whether the bytes are text.
#[derive(Debug, Default)]
struct Encoding {
    nuls: u64,
    first_nul: Option<u64>,
    /// The first byte that is no UTF-8.
    invalid: Option<u64>,
    carried: Vec<u8>,
    at: u64,
}

impl Encoding {
    fn add(&mut self, piece: &[u8]) {
        if let Some(first) = memchr::memchr(0, piece) {
            self.first_nul.get_or_insert(self.at + first as u64);
            self.nuls += memchr::memchr_iter(0, piece).count() as u64;
        }
        let before = self.at;
        self.at += piece.len() as u64;
        if self.invalid.is_some() {
            return;
        }
        let mut text = std::mem::take(&mut self.carried);
        let start = before.saturating_sub(text.len() as u64);
        text.extend_from_slice(piece);
        if let Err(error) = std::str::from_utf8(&text) {
            // A letter may go on in the next piece.
            let at = start + error.valid_up_to() as u64;
            self.invalid = error.error_len().map(|_| at);
            self.carried = text.get(error.valid_up_to()..).unwrap_or_default().to_vec();
        }
    }
}

/// Where all rows agree with each other and not with the heading, it is the heading that is told.
fn about_heading(reading: &mut Reading<'_>, rows: &mut Rows) {
    let Some(width) = rows.other_width else {
        return;
    };
    if rows.has_heading && rows.ragged > 1 && rows.ragged + 1 == rows.count {
        rows.flaws
            .retain(|(kind, ..)| *kind != FlawKind::Contradiction);
        let detail = format!("it names {} columns, and the rows have {width}", rows.width);
        reading.flaw_at(FlawKind::Contradiction, Part::Heading, 0, detail);
        rows.ragged = 0;
    }
}

/// A heading that names two columns alike. A first row of texts is only sure to be one where numbers follow it.
fn about_names(reading: &mut Reading<'_>, rows: &Rows) {
    let is_sure = rows.columns.iter().any(|column| column.kind() != "text");
    let is_heading = rows.has_heading && is_sure && !rows.columns.iter().any(Column::is_nameless);
    let mut names: Vec<&str> = rows.columns.iter().map(|it| it.name.as_str()).collect();
    names.sort_unstable();
    let twice = names.windows(2).find(|pair| pair.first() == pair.last());
    if let Some([name, _]) = twice.filter(|_| is_heading) {
        let detail = format!("two of them are called `{name}`");
        reading.flaw_at(FlawKind::Contradiction, Part::ColumnNames, 0, detail);
    }
}

fn conclude(reading: &mut Reading<'_>, mut rows: Rows, text: &Encoding, form: &Form) {
    about_heading(reading, &mut rows);
    about_names(reading, &rows);
    for (kind, part, at, detail) in rows.flaws {
        reading.flaw_at(kind, part, at, detail);
    }
    if rows.ragged > MOST_TOLD as u64 {
        let detail = format!(
            "{} of {} have another number of fields",
            rows.ragged, rows.count
        );
        reading.flaw(FlawKind::Contradiction, Part::Rows, detail);
    }
    if text.nuls > 0 {
        let detail = format!("{} bytes of the text are zero", text.nuls);
        reading.flaw_at(FlawKind::Malformed, Part::ZeroBytes, text.first_nul, detail);
    }
    for column in &rows.columns {
        if let Some(odd) = column.odd() {
            reading.flaw(odd.kind, Part::Row.number(odd.row), odd.detail);
        }
        if let Some((row, count)) = column.gaps(rows.count) {
            let detail = format!(
                "column `{}` has no value there, and in {count} rows in all",
                column.name
            );
            let part = Part::Row.number(row);
            reading.flaw(FlawKind::Blemish, part, detail);
        }
    }
    about_text(reading, text, form, rows.has_heading);
    let heading = u64::from(rows.has_heading);
    let count = rows.count.saturating_sub(heading);
    if count == 0 {
        reading.flaw(FlawKind::Empty, Part::Rows, "there are none");
    }
    let names = rows.columns.iter().enumerate().map(|(place, column)| {
        if rows.has_heading {
            column.name.clone()
        } else {
            place.to_string()
        }
    });
    reading.holds(Contents::Table(Table {
        columns: names.collect(),
        types: rows
            .columns
            .iter()
            .map(|column| column.kind().to_owned())
            .collect(),
        rows: count,
        ranges: label::ranges(&rows.columns, rows.has_heading),
    }));
}

/// How the text is written.
fn about_text(reading: &mut Reading<'_>, text: &Encoding, form: &Form, has_heading: bool) {
    let cut = (!text.carried.is_empty()).then_some(text.at);
    if let Some(at) = text.invalid.or(cut) {
        let kind = if form.is_guessed_from(at) {
            FlawKind::Malformed
        } else {
            FlawKind::Blemish
        };
        let detail = "it is not UTF-8, as TensorFlow takes text to be; Latin-1, perhaps";
        reading.flaw_at(kind, Part::Encoding, at, detail);
    }
    if form.head.contains(&b'\r') && !form.head.contains(&b'\n') {
        let detail = "rows end with a carriage return alone, as on old Macs";
        reading.flaw(FlawKind::Unsupported, Part::LineEnds, detail);
    }
    if form.is_marked {
        // Behind it a quote is no longer the first of its field, where CsvDataset wants it.
        let is_quoted = form
            .head
            .strip_prefix(b"\xef\xbb\xbf")
            .unwrap_or(&form.head)
            .starts_with(b"\"");
        let part = if has_heading && !is_quoted {
            Part::ByteOrderMark
        } else {
            Part::FirstField
        };
        let detail = "three bytes of a byte order mark stand before the first field";
        reading.flaw_at(FlawKind::Unsupported, part, 0, detail);
    }
    if form.delimiter != b',' {
        let detail = format!(
            "fields are separated by `{}`, not by commas",
            char::from(form.delimiter).escape_default()
        );
        reading.flaw(FlawKind::Unsupported, Part::Separator, detail);
    }
}
