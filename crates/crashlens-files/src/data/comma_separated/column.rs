//! What the fields of one column are, and the odd one among them.

use crashlens_core::files::FlawKind;

use super::fields::{FieldKind, kind};
use super::label::Label;

/// From so many numbers on, a field that is none is the odd one.
const ENOUGH: u64 = 20;
/// In a short table fewer do for a single text.
const ENOUGH_FOR_ONE: u64 = 8;
/// The odd ones are at most one in so many.
const RARE: u64 = 20;

/// Rows from which `make_csv_dataset` guesses the type of a column.
const GUESSED: u64 = 100;
/// The narrowest type that is guessed.
const SMALL: FieldKind = FieldKind::Integer { wide: false };
/// What people write where there is no value; it makes a column of numbers one of texts, as they may well know.
const MISSING: [&str; 11] = [
    "na", "n/a", "#n/a", "<na>", "null", "none", "missing", "-", "--", "?", ".",
];

/// A field that is of another kind than the others of its column.
pub(super) struct Odd {
    pub(super) row: u64,
    pub(super) kind: FlawKind,
    pub(super) detail: String,
}

/// What was seen of one column.
#[derive(Debug, Default)]
pub(super) struct Column {
    pub(super) name: String,
    integers: u64,
    /// Of them, those that need more than 32 bits.
    wide: u64,
    floats: u64,
    texts: u64,
    pub(super) empty: u64,
    zeros: u64,
    /// Row and text of the first.
    first_float: Option<(u64, String)>,
    first_text: Option<(u64, String)>,
    first_wide: Option<(u64, String)>,
    first_empty: u64,
    /// What the first rows are, and the first field behind them that is more than that.
    guessed: Option<FieldKind>,
    first_misfit: Option<(u64, String)>,
    /// Where the column holds labels.
    pub(super) label: Option<Label>,
}

impl Column {
    pub(super) fn named(name: String, label: Option<Label>) -> Self {
        Self {
            name,
            label,
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, field: &[u8], row: u64) {
        if let Some(label) = &mut self.label {
            label.add(field);
        }
        let kept = |field: &[u8]| (row + 1, String::from_utf8_lossy(field).into_owned());
        let kind = kind(field);
        if row <= GUESSED {
            self.guessed = self.guessed.max(Some(kind));
        } else if self
            .guessed
            .is_some_and(|guessed| kind > guessed.max(SMALL))
        {
            self.first_misfit.get_or_insert_with(|| kept(field));
        }
        match kind {
            FieldKind::Empty => {
                self.empty += 1;
                if self.empty == 1 {
                    self.first_empty = row + 1;
                }
            }
            FieldKind::Zero => self.zeros += 1,
            FieldKind::Integer { wide } => {
                self.integers += 1;
                if wide {
                    self.wide += 1;
                    self.first_wide.get_or_insert_with(|| kept(field));
                }
            }
            FieldKind::Float => {
                self.floats += 1;
                self.first_float.get_or_insert_with(|| kept(field));
            }
            FieldKind::Text => {
                self.texts += 1;
                self.first_text.get_or_insert_with(|| kept(field));
            }
        }
    }

    /// Whether a name in a heading would not be one.
    pub(super) fn is_nameless(&self) -> bool {
        kind(self.name.as_bytes()) != FieldKind::Text
    }

    /// What its fields are, in a word.
    pub(super) fn kind(&self) -> &'static str {
        match (self.texts, self.floats, self.integers + self.zeros) {
            (0, 0, 0) => "empty",
            (0, 0, _) => "integer",
            (0, _, _) => "float",
            _ => "text",
        }
    }

    /// The first field that is of another kind than nearly all others, or than the first rows are.
    pub(super) fn odd(&self) -> Option<Odd> {
        let numbers = self.integers + self.floats + self.zeros;
        if let (Some((row, text)), Some(guessed)) = (&self.first_misfit, self.guessed)
            && guessed >= FieldKind::Zero
        {
            let what = match guessed {
                FieldKind::Float => "number",
                FieldKind::Integer { wide: true } => "integer",
                _ => "integer of 32 bits",
            };
            let detail = format!("`{text}` is no {what}, as the first rows of the column are");
            return Some(Odd::new(*row, FlawKind::Contradiction, detail));
        }
        let is_rare = numbers >= ENOUGH && self.texts * RARE <= numbers;
        let is_single = numbers >= ENOUGH_FOR_ONE && self.texts == 1;
        if let Some((row, text)) = &self.first_text
            && (is_rare || is_single)
        {
            let stands_for_none = MISSING.contains(&text.trim().to_lowercase().as_str());
            let kind = if stands_for_none {
                FlawKind::Blemish
            } else {
                FlawKind::Contradiction
            };
            let detail = format!("`{text}` is no number, as {numbers} others of the column are");
            return Some(Odd::new(*row, kind, detail));
        }
        self.unlike_integers()
    }

    /// Numbers of another kind among the first rows: who guesses the type from those reads all of them.
    fn unlike_integers(&self) -> Option<Odd> {
        if let Some((row, text)) = &self.first_float
            && self.integers >= ENOUGH
            && self.floats * RARE <= self.integers
        {
            let of = self.integers;
            let detail = format!("`{text}` is no integer, as {of} others of the column are");
            return Some(Odd::new(*row, FlawKind::Blemish, detail));
        }
        if let Some((row, text)) = &self.first_wide
            && self.integers - self.wide >= ENOUGH
            && self.wide * RARE <= self.integers
        {
            let of = self.integers - self.wide;
            let detail = format!("`{text}` needs more than 32 bits, and {of} others do not");
            return Some(Odd::new(*row, FlawKind::Blemish, detail));
        }
        None
    }

    /// The first row of `rows` without a value here, and how many there are, where nearly all have one.
    pub(super) fn gaps(&self, rows: u64) -> Option<(u64, u64)> {
        let few = self.empty > 0 && self.empty * RARE <= rows;
        few.then_some((self.first_empty, self.empty))
    }
}

impl Odd {
    fn new(row: u64, kind: FlawKind, detail: String) -> Self {
        Self { row, kind, detail }
    }
}
