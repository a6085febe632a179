//! From where to where the numbers of a column of labels go.

use std::collections::BTreeMap;

use crashlens_core::files::Range;

use super::column::Column;

/// The numbers of one column so far.
#[derive(Debug, Default)]
pub(super) struct Label {
    range: Option<Range>,
}

impl Label {
    /// Where labels are asked for under the name of a column. Without a heading it is called by its place, from 0 on.
    pub(super) fn wanted(labels: &[String], name: &str, place: usize) -> Option<Self> {
        let place = place.to_string();
        let is_wanted = |label: &String| *label == name || *label == place;
        labels.iter().any(is_wanted).then(Self::default)
    }

    /// What is no number is told elsewhere.
    pub(super) fn add(&mut self, field: &[u8]) {
        let text = std::str::from_utf8(field.trim_ascii()).unwrap_or_default();
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        let Some(number) = number else {
            return;
        };
        let range = self.range.get_or_insert(Range {
            least: number,
            greatest: number,
        });
        range.least = range.least.min(number);
        range.greatest = range.greatest.max(number);
    }
}

/// Those of all columns of labels, by name. Without a heading the first row is one of values.
pub(super) fn ranges(columns: &[Column], has_heading: bool) -> BTreeMap<String, Range> {
    let mut ranges = BTreeMap::new();
    for (place, column) in columns.iter().enumerate() {
        let Some(range) = column.label.as_ref().and_then(|label| label.range) else {
            continue;
        };
        if has_heading {
            ranges.insert(column.name.clone(), range);
        } else {
            let mut all = Label { range: Some(range) };
            all.add(column.name.as_bytes());
            ranges.extend(all.range.map(|range| (place.to_string(), range)));
        }
    }
    ranges
}
