//! How many files of which format a rule has looked at.

use std::collections::BTreeMap;

use super::Format;

/// A rule that looked at more formats than this names none.
const FORMATS_NAMED: usize = 3;

/// Files that were looked at, by format.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    formats: BTreeMap<Option<Format>, u64>,
}

impl Seen {
    pub(super) fn add(&mut self, format: Option<Format>) {
        *self.formats.entry(format).or_default() += 1;
    }

    /// `2 JPEG files, 1 PNG file`; empty where there was none.
    pub(super) fn words(&self) -> String {
        if self.formats.len() > FORMATS_NAMED {
            return files(self.formats.values().sum(), "");
        }
        let words = self.formats.iter().map(|(format, count)| match format {
            Some(format) => files(*count, format.name()),
            None => format!("{} of unknown format", files(*count, "")),
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

fn files(count: u64, format: &str) -> String {
    let noun = if count == 1 { "file" } else { "files" };
    match format {
        "" => format!("{count} {noun}"),
        format => format!("{count} {format} {noun}"),
    }
}
