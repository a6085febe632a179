//! What a set of files holds, counted: the odd ones out break a batch although each file is valid.

use std::collections::BTreeMap;

use super::holdings::Holdings;
use super::{Contents, FeatureKind, FileFacts, Range, Records};

/// So many different values of one aspect are told apart; the rest is counted.
const MOST_VALUES: usize = 1000;
/// So many aspects.
pub(super) const MOST_ASPECTS: usize = 2000;
/// So many files of a class are named.
const MOST_NAMED: usize = 20;
/// So many names in all: a set of a million files must not need more memory than one of a thousand.
const MOST_NAMES: usize = 50_000;
/// Letters of a value.
const LONGEST_VALUE: usize = 500;

/// The counts of a set.
#[derive(Debug, Clone, Default)]
pub struct Census {
    /// By aspect (`channels of images`).
    aspects: BTreeMap<String, Aspect>,
    /// By name.
    features: BTreeMap<String, FeatureCensus>,
    /// By the name of the array or integer feature.
    ranges: BTreeMap<String, RangeCensus>,
    /// What has a name.
    holdings: Holdings,
    /// Records that are examples.
    examples: u64,
    /// The first files with examples.
    with_examples: Vec<String>,
    /// Names that were kept.
    names: usize,
}

/// The classes of one aspect.
#[derive(Debug, Clone, Default)]
struct Aspect {
    total: u64,
    classes: BTreeMap<String, Class>,
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
    /// Whether it is a list of features, one a step.
    pub sequence: bool,
    /// As what, and in which files.
    pub kinds: BTreeMap<FeatureKind, Class>,
    /// How many values, and in which files.
    pub lengths: BTreeMap<u64, Class>,
    /// Files in which some records lack it, or all.
    pub lacking: Class,
}

/// From where to where the values go, and in which files they end.
#[derive(Debug, Clone, PartialEq)]
pub struct RangeCensus {
    /// Over all files.
    pub range: Range,
    /// A file with the least.
    pub least_in: String,
    /// A file with the greatest.
    pub greatest_in: String,
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
    pub(super) fn add(&mut self, path: &str, count: u64, names: &mut usize) {
        self.count += count;
        if self.files.len() < MOST_NAMED
            && *names < MOST_NAMES
            && self.files.last().is_none_or(|last| last != path)
        {
            *names += 1;
            self.files.push(path.to_owned());
        }
    }
}

impl Census {
    /// Takes in one file.
    pub fn add(&mut self, facts: &FileFacts) {
        let path = facts.path.as_str();
        self.holdings.add(facts, &mut self.names);
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
                    self.add_array(array, facts);
                }
            }
            Contents::Records(records) => self.add_records(records, path),
            Contents::Table(table) => {
                self.note("columns of tables", table.columns.join(", "), path);
                if !table.types.is_empty() {
                    self.note("types of columns", table.types.join(", "), path);
                }
                for (name, range) in &table.ranges {
                    self.note_range(name, *range, path);
                }
            }
            Contents::Sound(sound) => {
                self.note("rate of sound", sound.rate.to_string(), path);
                self.note("channels of sound", sound.channels.to_string(), path);
                self.note("bits of sound samples", sound.bits.to_string(), path);
            }
        }
    }

    fn add_array(&mut self, array: &super::Array, facts: &FileFacts) {
        let path = facts.path.as_str();
        let (of, name) = match array.name.as_str() {
            "" => ("arrays".to_owned(), facts.stem()),
            name => (format!("array `{name}`"), name),
        };
        self.note(&format!("type of {of}"), array.dtype.clone(), path);
        // The first dimension is that of the samples.
        let inner = array.shape.get(1..).unwrap_or_default();
        self.note(
            &format!("shape of a row of {of}"),
            format!("{inner:?}"),
            path,
        );
        if let Some(range) = array.range {
            self.note_range(name, range, path);
        }
    }

    fn add_records(&mut self, records: &Records, path: &str) {
        let examples = records.count - records.not_examples.min(records.count);
        if examples == 0 {
            return;
        }
        let mut present: BTreeMap<String, u64> = BTreeMap::new();
        for feature in &records.features {
            let key = key(&feature.name, feature.sequence);
            if !self.features.contains_key(&key) && self.features.len() >= MOST_ASPECTS {
                continue;
            }
            present.insert(key.clone(), feature.present);
            let (earlier, with_examples) = (self.examples, &self.with_examples);
            let names = &mut self.names;
            // Files before this one lacked what is new in it.
            let census = self.features.entry(key).or_insert_with(|| {
                let mut census = FeatureCensus {
                    sequence: feature.sequence,
                    ..FeatureCensus::default()
                };
                census.lacking.count = earlier;
                census.lacking.files.clone_from(with_examples);
                census
            });
            census.present += feature.present;
            for (kind, count) in &feature.kinds {
                census
                    .kinds
                    .entry(*kind)
                    .or_default()
                    .add(path, *count, names);
            }
            for (length, count) in &feature.lengths {
                if census.lengths.len() < MOST_VALUES || census.lengths.contains_key(length) {
                    let class = census.lengths.entry(*length).or_default();
                    class.add(path, *count, names);
                }
            }
            if let Some(range) = feature.range {
                self.note_range(&feature.name, range, path);
            }
        }
        for (name, census) in &mut self.features {
            let lacking = examples.saturating_sub(present.get(name).copied().unwrap_or_default());
            if lacking > 0 {
                census.lacking.add(path, lacking, &mut self.names);
            }
        }
        self.examples += examples;
        if self.with_examples.len() < MOST_NAMED {
            self.with_examples.push(path.to_owned());
        }
    }

    fn note_range(&mut self, name: &str, range: Range, path: &str) {
        if let Some(known) = self.ranges.get_mut(name) {
            if range.least < known.range.least {
                known.range.least = range.least;
                path.clone_into(&mut known.least_in);
            }
            if range.greatest > known.range.greatest {
                known.range.greatest = range.greatest;
                path.clone_into(&mut known.greatest_in);
            }
        } else if self.ranges.len() < MOST_ASPECTS {
            let census = RangeCensus {
                range,
                least_in: path.to_owned(),
                greatest_in: path.to_owned(),
            };
            self.ranges.insert(name.to_owned(), census);
        }
    }

    fn note(&mut self, aspect: &str, mut value: String, path: &str) {
        if !self.aspects.contains_key(aspect) && self.aspects.len() >= MOST_ASPECTS {
            return;
        }
        let end = (0..=LONGEST_VALUE.min(value.len())).rev();
        let end = end.into_iter().find(|end| value.is_char_boundary(*end));
        value.truncate(end.unwrap_or_default());
        let aspect = self.aspects.entry(aspect.to_owned()).or_default();
        aspect.total += 1;
        let classes = &mut aspect.classes;
        if classes.len() < MOST_VALUES || classes.contains_key(&value) {
            classes
                .entry(value)
                .or_default()
                .add(path, 1, &mut self.names);
        }
    }

    /// The classes of an aspect, by value.
    pub fn classes(&self, aspect: &str) -> Option<&BTreeMap<String, Class>> {
        self.aspects.get(aspect).map(|aspect| &aspect.classes)
    }

    /// Aspects in which a few files differ from nearly all.
    pub fn odd_ones(&self) -> impl Iterator<Item = OddOnes<'_>> {
        self.aspects
            .iter()
            .filter_map(|(aspect, counts)| odd_ones(aspect, counts))
    }

    /// The features of all examples, by name; those of sequences end in `[]`.
    pub fn features(&self) -> impl Iterator<Item = (&str, &FeatureCensus)> {
        self.features
            .iter()
            .map(|(name, feature)| (name.as_str(), feature))
    }

    /// What has a name in the set.
    pub fn holdings(&self) -> &Holdings {
        &self.holdings
    }

    /// From where to where the values of arrays, integer features and columns of labels go, by name.
    pub fn ranges(&self) -> impl Iterator<Item = (&str, &RangeCensus)> {
        self.ranges
            .iter()
            .map(|(name, range)| (name.as_str(), range))
    }

    /// How many files were compared with each other in some aspect.
    pub fn compared(&self) -> u64 {
        let totals = self.aspects.values().map(|aspect| aspect.total);
        totals.max().unwrap_or(0)
    }

    /// How many records are examples.
    pub fn examples(&self) -> u64 {
        self.examples
    }
}

fn key(name: &str, sequence: bool) -> String {
    if sequence {
        format!("{name}[]")
    } else {
        name.to_owned()
    }
}

/// The few are at most one in twenty; where there is no such majority the set simply varies.
fn odd_ones<'a>(aspect: &'a str, counts: &'a Aspect) -> Option<OddOnes<'a>> {
    let (usual, most) = counts.classes.iter().max_by_key(|(_, class)| class.count)?;
    let few = counts.total - most.count;
    if few == 0 || few * 20 > counts.total {
        return None;
    }
    let odd = counts.classes.iter().filter(|(value, _)| *value != usual);
    Some(OddOnes {
        aspect,
        usual,
        usual_count: most.count,
        odd: odd.map(|(value, class)| (value.as_str(), class)).collect(),
    })
}
