//! How many files of which format a rule has looked at, and at how many it could not.

use std::collections::BTreeMap;

use super::Format;
use crate::book::{Look, Sight, Unseen};

/// A rule that looked at more formats than this names none.
const FORMATS_NAMED: usize = 3;

/// The files of one rule.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    looked_at: Formats,
    blind: BTreeMap<Unseen, Formats>,
}

/// Numbers of files.
#[derive(Debug, Clone, Default)]
struct Formats(BTreeMap<Option<Format>, u64>);

impl Seen {
    pub(super) fn add(&mut self, format: Option<Format>, sight: Sight) {
        let files = match sight {
            Sight::Outside => return,
            Sight::Seen => &mut self.looked_at,
            Sight::Unseen(unseen) => self.blind.entry(unseen).or_default(),
        };
        *files.0.entry(format).or_default() += 1;
    }

    pub(super) fn look(&self) -> Look {
        let blind = self.blind.iter();
        let blind = blind.map(|(unseen, files)| format!("{}: {}", files.words(), unseen.words()));
        Look {
            blind: blind.collect(),
            ..Look::at(self.looked_at.words())
        }
    }
}

impl Formats {
    /// `2 JPEG files, 1 PNG file`; empty where there was none.
    fn words(&self) -> String {
        if self.0.len() > FORMATS_NAMED {
            return files(self.0.values().sum(), "");
        }
        let words = self.0.iter().map(|(format, count)| match format {
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
