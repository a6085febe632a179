//! What a set of files holds, counted: the odd ones out break a batch although each file is valid.

use std::collections::BTreeMap;

use super::{Contents, FeatureKind, FileFacts, Range};

/// So many different values of one aspect are told apart.
const MOST_VALUES: usize = 1000;
/// So many aspects.
const MOST_ASPECTS: usize = 2000;
/// So many files of a class are named.
const MOST_NAMED: usize = 20;

/// The counts of a set.
#[derive(Debug, Clone, Default)]
pub struct Census {
    /// By aspect (`channels of images`), by value (`3`).
    aspects: BTreeMap<String, BTreeMap<String, Class>>,
    /// By name.
    features: BTreeMap<String, FeatureCensus>,
    /// Records that are examples.
    examples: u64,
}

/// Files that are alike in one aspect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Class {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub files: Vec<String>,
}

/// What all files of a set say of one feature.
#[derive(Debug, Clone, Default)]
pub struct FeatureCensus {
    /// In how many records.
    pub present: u64,
    /// As what, and in which files.
    pub kinds: BTreeMap<FeatureKind, Class>,
    /// How many values, and in which files.
    pub lengths: BTreeMap<u64, Class>,
    /// Files in which some records lack it.
    pub lacking: Class,
    /// Over all files, of an integer feature.
    pub range: Option<Range>,
}

/// The few that differ from the many in one aspect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OddOnes<'a> {
    /// In what: `channels of images`.
    pub aspect: &'a str,
    /// What nearly all have.
    pub usual: &'a str,
    /// How many have it.
    pub usual_count: u64,
    /// What the few have instead, and who they are.
    pub odd: Vec<(&'a str, &'a Class)>,
}

impl Class {
    fn add(&mut self, path: &str, count: u64) {
        self.count += count;
        if self.files.len() < MOST_NAMED && self.files.last().is_none_or(|last| last != path) {
            self.files.push(path.to_owned());
        }
    }
}

impl Census {
    /// Takes in one file.
    pub fn add(&mut self, facts: &FileFacts) {
        let path = facts.path.as_str();
        match &facts.contents {
            Contents::Unknown | Contents::Model(_) => {}
            Contents::Image(image) => {
                self.note("channels of images", image.channels.to_string(), path);
                self.note("bits of image samples", image.bits.to_string(), path);
                let size = format!("{}x{}", image.width, image.height);
                self.note("size of images", size, path);
            }
            Contents::Arrays(arrays) => {
                for array in arrays {
                    let of = match array.name.as_str() {
                        "" => "arrays".to_owned(),
                        name => format!("array `{name}`"),
                    };
                    self.note(&format!("type of {of}"), array.dtype.clone(), path);
                    // The first dimension is that of the samples.
                    let inner = array.shape.get(1..).unwrap_or_default();
                    let shape = format!("{inner:?}");
                    self.note(&format!("shape of a row of {of}"), shape, path);
                }
            }
            Contents::Records(records) => self.add_records(records, path),
            Contents::Table(table) => {
                self.note("columns of tables", table.columns.join(", "), path);
                if !table.types.is_empty() {
                    self.note("types of columns", table.types.join(", "), path);
                }
            }
            Contents::Sound(sound) => {
                self.note("rate of sound", sound.rate.to_string(), path);
                self.note("channels of sound", sound.channels.to_string(), path);
                self.note("bits of sound samples", sound.bits.to_string(), path);
            }
        }
    }

    fn add_records(&mut self, records: &super::Records, path: &str) {
        let examples = records.count - records.not_examples.min(records.count);
        self.examples += examples;
        for feature in &records.features {
            if !self.features.contains_key(&feature.name) && self.features.len() >= MOST_ASPECTS {
                continue;
            }
            let census = self.features.entry(feature.name.clone()).or_default();
            census.present += feature.present;
            for (kind, count) in &feature.kinds {
                census.kinds.entry(*kind).or_default().add(path, *count);
            }
            for (length, count) in &feature.lengths {
                if census.lengths.len() < MOST_VALUES || census.lengths.contains_key(length) {
                    census.lengths.entry(*length).or_default().add(path, *count);
                }
            }
            let lacking = examples.saturating_sub(feature.present);
            if lacking > 0 {
                census.lacking.add(path, lacking);
            }
            census.range = match (census.range, feature.range) {
                (Some(one), Some(other)) => Some(Range {
                    least: one.least.min(other.least),
                    greatest: one.greatest.max(other.greatest),
                }),
                (one, other) => one.or(other),
            };
        }
    }

    fn note(&mut self, aspect: &str, value: String, path: &str) {
        if !self.aspects.contains_key(aspect) && self.aspects.len() >= MOST_ASPECTS {
            return;
        }
        let classes = self.aspects.entry(aspect.to_owned()).or_default();
        if classes.len() < MOST_VALUES || classes.contains_key(&value) {
            classes.entry(value).or_default().add(path, 1);
        }
    }

    /// The classes of an aspect, by value.
    pub fn classes(&self, aspect: &str) -> Option<&BTreeMap<String, Class>> {
        self.aspects.get(aspect)
    }

    /// Aspects in which a few files differ from nearly all.
    pub fn odd_ones(&self) -> impl Iterator<Item = OddOnes<'_>> {
        self.aspects
            .iter()
            .filter_map(|(aspect, classes)| odd_ones(aspect, classes))
    }

    /// The features of all examples, by name.
    pub fn features(&self) -> impl Iterator<Item = (&str, &FeatureCensus)> {
        self.features
            .iter()
            .map(|(name, feature)| (name.as_str(), feature))
    }

    /// How many records are examples.
    pub fn examples(&self) -> u64 {
        self.examples
    }
}

/// The few are at most one in twenty; where there is no such majority the set simply varies.
fn odd_ones<'a>(aspect: &'a str, classes: &'a BTreeMap<String, Class>) -> Option<OddOnes<'a>> {
    let total: u64 = classes.values().map(|class| class.count).sum();
    let (usual, most) = classes.iter().max_by_key(|(_, class)| class.count)?;
    let few = total - most.count;
    if few == 0 || few * 20 > total {
        return None;
    }
    let odd = classes.iter().filter(|(value, _)| *value != usual);
    Some(OddOnes {
        aspect,
        usual,
        usual_count: most.count,
        odd: odd.map(|(value, class)| (value.as_str(), class)).collect(),
    })
}
