//! What has a name in a set of files, and where its values were not seen.

use std::collections::BTreeMap;

use super::census::MOST_ASPECTS;
use super::{Array, Class, Contents, Feature, FeatureKind, FileFacts, Format, Table};

/// Features, arrays and columns by name.
#[derive(Debug, Clone, Default)]
pub struct Holdings {
    /// With the files in which the values were not seen, by the reason.
    named: BTreeMap<String, BTreeMap<String, Class>>,
}

impl Holdings {
    pub(super) fn add(&mut self, facts: &FileFacts, names: &mut usize) {
        match &facts.contents {
            Contents::Records(records) => {
                for feature in &records.features {
                    for reason in of_feature(feature) {
                        self.note(&feature.name, reason, facts, names);
                    }
                }
            }
            Contents::Arrays(arrays) => {
                for array in arrays {
                    let name = match array.name.as_str() {
                        "" => facts.stem(),
                        name => name,
                    };
                    self.note(name, of_array(array, facts.format), facts, names);
                }
            }
            Contents::Table(table) => {
                for (place, name) in table.columns.iter().enumerate() {
                    let reason = of_column(table, place, name, facts.format);
                    self.note(name, reason, facts, names);
                }
            }
            _ => {}
        }
    }

    fn note(&mut self, name: &str, reason: Option<String>, facts: &FileFacts, names: &mut usize) {
        if !self.named.contains_key(name) && self.named.len() >= MOST_ASPECTS {
            return;
        }
        let unseen = self.named.entry(name.to_owned()).or_default();
        if let Some(reason) = reason {
            unseen.entry(reason).or_default().add(&facts.path, 1, names);
        }
    }

    /// All names, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.named.keys().map(String::as_str)
    }

    /// Why the values of this name were not seen, and in which files.
    pub fn unseen(&self, name: &str) -> impl Iterator<Item = (&str, &Class)> {
        let reasons = self.named.get(name).into_iter().flatten();
        reasons.map(|(reason, files)| (reason.as_str(), files))
    }
}

/// One for each kind that it has.
fn of_feature(feature: &Feature) -> Vec<Option<String>> {
    let kinds = feature.kinds.iter().map(|(kind, _)| *kind);
    kinds
        .map(|kind| match kind {
            FeatureKind::Int64 if feature.range.is_some() => None,
            FeatureKind::Int64 | FeatureKind::Unset => Some("it has no values".to_owned()),
            FeatureKind::Float => {
                Some("it is a list of floats, and labels are integers".to_owned())
            }
            FeatureKind::Bytes => Some("it is a list of bytes, and labels are integers".to_owned()),
        })
        .collect()
}

fn of_array(array: &Array, format: Option<Format>) -> Option<String> {
    if array.range.is_some() {
        return None;
    }
    Some(match format {
        _ if array.shape.contains(&0) => "it has no values".to_owned(),
        Some(Format::Npy | Format::Npz) => {
            format!("no number was read among its elements (`{}`)", array.dtype)
        }
        format => not_read(format),
    })
}

fn of_column(table: &Table, place: usize, name: &str, format: Option<Format>) -> Option<String> {
    let kind = table.types.get(place).map(String::as_str);
    match (format, kind) {
        (Some(Format::Csv), Some("empty")) => Some("it has no values".to_owned()),
        (Some(Format::Csv), Some("text")) => Some("not all of its fields are numbers".to_owned()),
        _ if table.ranges.contains_key(name) => None,
        _ => Some(not_read(format)),
    }
}

fn not_read(format: Option<Format>) -> String {
    let format = format.map_or("these", Format::name);
    format!("the values in {format} files are not read")
}
