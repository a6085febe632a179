//! What has a name in a set of files, and where its values were not seen.

use std::collections::BTreeMap;
use std::fmt;

use super::census::MOST_ASPECTS;
use super::{Array, Class, Contents, Feature, FeatureKind, FileFacts, Format, Table};

/// Features, arrays and columns by name.
#[derive(Debug, Clone, Default)]
pub struct Holdings {
    /// With the files in which the values were not seen, by the reason.
    named: BTreeMap<String, BTreeMap<Unseen, Class>>,
}

/// Why the values of a name were not seen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unseen {
    /// There are none.
    NoValues,
    /// A feature is a list of bytes.
    Bytes,
    /// A feature is a list of floats.
    Floats,
    /// An array of this type has no number among its elements.
    NoNumber(String),
    /// Some fields of a column are not numbers.
    Text,
    /// Values in files of this format are not read.
    NotRead(Option<Format>),
}

impl fmt::Display for Unseen {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoValues => out.write_str("it has no values"),
            Self::Bytes => out.write_str("it is a list of bytes, and labels are integers"),
            Self::Floats => out.write_str("it is a list of floats, and labels are integers"),
            Self::NoNumber(dtype) => {
                write!(out, "no number was read among its elements (`{dtype}`)")
            }
            Self::Text => out.write_str("not all of its fields are numbers"),
            Self::NotRead(format) => {
                let format = format.map_or("these", Format::name);
                write!(out, "the values in {format} files are not read")
            }
        }
    }
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

    fn note(&mut self, name: &str, reason: Option<Unseen>, facts: &FileFacts, names: &mut usize) {
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
    pub fn unseen(&self, name: &str) -> impl Iterator<Item = (&Unseen, &Class)> {
        self.named.get(name).into_iter().flatten()
    }
}

/// One for each kind that it has.
fn of_feature(feature: &Feature) -> Vec<Option<Unseen>> {
    let kinds = feature.kinds.iter().map(|(kind, _)| *kind);
    kinds
        .map(|kind| match kind {
            FeatureKind::Int64 if feature.range.is_some() => None,
            FeatureKind::Int64 | FeatureKind::Unset => Some(Unseen::NoValues),
            FeatureKind::Float => Some(Unseen::Floats),
            FeatureKind::Bytes => Some(Unseen::Bytes),
        })
        .collect()
}

fn of_array(array: &Array, format: Option<Format>) -> Option<Unseen> {
    if array.range.is_some() {
        return None;
    }
    Some(match format {
        _ if array.shape.contains(&0) => Unseen::NoValues,
        Some(Format::Npy | Format::Npz) => Unseen::NoNumber(array.dtype.clone()),
        format => Unseen::NotRead(format),
    })
}

fn of_column(table: &Table, place: usize, name: &str, format: Option<Format>) -> Option<Unseen> {
    let kind = table.types.get(place).map(String::as_str);
    match (format, kind) {
        (Some(Format::Csv), Some("empty")) => Some(Unseen::NoValues),
        (Some(Format::Csv), Some("text")) => Some(Unseen::Text),
        _ if table.ranges.contains_key(name) => None,
        _ => Some(Unseen::NotRead(format)),
    }
}
