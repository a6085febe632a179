//! `tf.train.Example` and `SequenceExample`: which features the records of a file have, counted within bounds.

use std::collections::{BTreeMap, HashMap};

use crashlens_core::files::{Feature, FeatureKind, Range};

use crate::wire::{Fields, Value, WireError, varint};

/// Features of one file that are told apart.
const MOST_FEATURES: usize = 1000;
/// Different lengths of one feature that are told apart.
const MOST_LENGTHS: usize = 64;
/// Lengths that are told.
const LENGTHS_TOLD: usize = 16;
/// Steps of sequences that are looked at in one record.
const MOST_STEPS: usize = 10_000;
/// Letters of a name that are kept.
const LONGEST_NAME: usize = 200;
/// Packed integers of so many bytes are always looked at; of more only where everything is.
const SMALL_LIST: usize = 1024;

/// What one record says of one feature; of a sequence, what one step says.
#[derive(Debug, Clone, Copy)]
struct Seen {
    kind: FeatureKind,
    length: u64,
    least: i64,
    greatest: i64,
    /// Values that were not looked at are there.
    unread: bool,
    not_finite: u64,
}

impl Seen {
    fn of(kind: FeatureKind) -> Self {
        Self {
            kind,
            length: 0,
            least: i64::MAX,
            greatest: i64::MIN,
            unread: false,
            not_finite: 0,
        }
    }

    fn integer(&mut self, value: i64) {
        self.length += 1;
        self.least = self.least.min(value);
        self.greatest = self.greatest.max(value);
    }
}

/// What all records so far say of one feature.
#[derive(Debug)]
struct Stat {
    name: Vec<u8>,
    sequence: bool,
    present: u64,
    kinds: BTreeMap<FeatureKind, u64>,
    lengths: BTreeMap<u64, u64>,
    least: i64,
    greatest: i64,
    unread: bool,
    not_finite: u64,
    /// The record that had it last, and where in `Tally::seen` that stands.
    last: (u64, usize),
}

/// The features of a file.
#[derive(Debug, Default)]
pub(super) struct Tally {
    full: bool,
    stats: Vec<Stat>,
    /// By name and whether it is a sequence.
    by_name: HashMap<(Vec<u8>, bool), usize>,
    /// Of the record that is read now: it counts only when all of it was an example.
    seen: Vec<(usize, Seen)>,
    /// Sequences of that record, even those without a step.
    lists: Vec<usize>,
    /// Features stand in the same order in most records: the one that is expected next.
    expected: usize,
    records: u64,
    pub(super) examples: u64,
    pub(super) first_other: Option<u64>,
    /// Lengths beyond the end are taken for the end, as TensorFlow's own parser does.
    clips: bool,
    /// Records that are examples only so.
    pub(super) clipped: u64,
    pub(super) first_clipped: Option<u64>,
}

/// Bytes that are no example.
struct NoExample;

impl From<WireError> for NoExample {
    fn from(_: WireError) -> Self {
        Self
    }
}

impl Tally {
    pub(super) fn new(full: bool) -> Self {
        Self {
            full,
            ..Self::default()
        }
    }

    /// Takes in one record; whether it was an example.
    pub(super) fn add(&mut self, number: u64, record: &[u8]) -> bool {
        self.records += 1;
        if !self.is_example(record, false) {
            if !self.is_example(record, true) {
                self.first_other.get_or_insert(number);
                return false;
            }
            self.clipped += 1;
            self.first_clipped.get_or_insert(number);
        }
        self.examples += u64::from(!record.is_empty());
        for (index, seen) in self.seen.drain(..) {
            if let Some(stat) = self.stats.get_mut(index) {
                stat.add(&seen);
            }
        }
        for index in self.lists.drain(..) {
            if let Some(stat) = self.stats.get_mut(index) {
                stat.present += 1;
            }
        }
        true
    }

    fn is_example(&mut self, record: &[u8], clips: bool) -> bool {
        self.seen.clear();
        self.lists.clear();
        self.expected = 0;
        self.clips = clips;
        self.example(record).is_ok()
    }

    fn example(&mut self, record: &[u8]) -> Result<(), NoExample> {
        for field in fields(record, self.clips) {
            let field = field?;
            let map = field.bytes().filter(|map| !self.clips || !map.is_empty());
            let map = map.ok_or(NoExample)?;
            match field.number {
                1 => self.map(map, false)?,
                2 => self.map(map, true)?,
                _ => return Err(NoExample),
            }
        }
        Ok(())
    }

    /// `Features` or `FeatureLists`: a map from names.
    fn map(&mut self, map: &[u8], sequence: bool) -> Result<(), NoExample> {
        for entry in fields(map, self.clips) {
            let entry = entry?;
            let bytes = entry
                .bytes()
                .filter(|_| entry.number == 1)
                .ok_or(NoExample)?;
            let (mut name, mut value): (&[u8], &[u8]) = (b"", b"");
            // TensorFlow's parser wants every byte of an example's feature, and less of what is in it.
            for part in fields(bytes, self.clips && sequence) {
                let part = part?;
                match (part.number, part.bytes()) {
                    (1, Some(bytes)) if !part.is_clipped => name = bytes,
                    (2, Some(bytes)) => value = bytes,
                    _ => return Err(NoExample),
                }
            }
            // A record that is cut ends so.
            if self.clips && (name.is_empty() || value.is_empty()) {
                return Err(NoExample);
            }
            let index = self.find(name, sequence);
            if sequence {
                if let Some(index) = index
                    && !self.lists.contains(&index)
                {
                    self.lists.push(index);
                }
                self.steps(index, value)?;
            } else {
                let seen = feature(value, self.full, (self.clips, false))?;
                self.note(index, seen);
            }
        }
        Ok(())
    }

    /// `FeatureList`: a feature a step.
    fn steps(&mut self, index: Option<usize>, list: &[u8]) -> Result<(), NoExample> {
        for (place, step) in fields(list, self.clips).enumerate() {
            let step = step?;
            let bytes = step.bytes().filter(|_| step.number == 1).ok_or(NoExample)?;
            let seen = feature(bytes, self.full, (self.clips, self.clips))?;
            if let Some(index) = index
                && place < MOST_STEPS
                && self.seen.len() < MOST_STEPS + MOST_FEATURES
            {
                self.seen.push((index, seen));
            }
        }
        Ok(())
    }

    /// Of a key that stands twice in a record the last one counts, as in TensorFlow.
    fn note(&mut self, index: Option<usize>, seen: Seen) {
        let Some((index, stat)) = index.and_then(|i| Some((i, self.stats.get_mut(i)?))) else {
            return;
        };
        if stat.last.0 == self.records
            && let Some(earlier) = self.seen.get_mut(stat.last.1)
        {
            *earlier = (index, seen);
            return;
        }
        stat.last = (self.records, self.seen.len());
        self.seen.push((index, seen));
    }

    /// Where a feature is counted; `None` where there are too many.
    fn find(&mut self, name: &[u8], sequence: bool) -> Option<usize> {
        let name = name.get(..LONGEST_NAME).unwrap_or(name);
        let expected = self.stats.get(self.expected);
        if expected.is_some_and(|stat| stat.name == name && stat.sequence == sequence) {
            self.expected += 1;
            return Some(self.expected - 1);
        }
        let key = (name.to_vec(), sequence);
        if let Some(index) = self.by_name.get(&key) {
            self.expected = index + 1;
            return Some(*index);
        }
        if self.stats.len() >= MOST_FEATURES {
            return None;
        }
        let index = self.stats.len();
        self.stats.push(Stat::new(name, sequence));
        self.by_name.insert(key, index);
        self.expected = index + 1;
        Some(index)
    }

    /// What was counted, by name.
    pub(super) fn features(&self) -> Vec<Feature> {
        let there = self.stats.iter().filter(|stat| stat.present > 0);
        let mut features: Vec<Feature> = there.map(Stat::told).collect();
        features
            .sort_by(|one, other| (&one.name, one.sequence).cmp(&(&other.name, other.sequence)));
        features
    }
}

impl Stat {
    fn new(name: &[u8], sequence: bool) -> Self {
        Self {
            name: name.to_vec(),
            sequence,
            present: 0,
            kinds: BTreeMap::new(),
            lengths: BTreeMap::new(),
            least: i64::MAX,
            greatest: i64::MIN,
            unread: false,
            not_finite: 0,
            last: (0, 0),
        }
    }

    fn add(&mut self, seen: &Seen) {
        // Steps of a sequence come one by one; that it is there was noted by itself.
        self.present += u64::from(!self.sequence);
        *self.kinds.entry(seen.kind).or_default() += 1;
        if self.lengths.len() < MOST_LENGTHS || self.lengths.contains_key(&seen.length) {
            *self.lengths.entry(seen.length).or_default() += 1;
        }
        self.least = self.least.min(seen.least);
        self.greatest = self.greatest.max(seen.greatest);
        self.unread |= seen.unread;
        self.not_finite += seen.not_finite;
    }

    fn told(&self) -> Feature {
        let mut kinds: Vec<_> = self.kinds.iter().map(|(kind, n)| (*kind, *n)).collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let mut lengths: Vec<_> = self.lengths.iter().map(|(of, n)| (*of, *n)).collect();
        lengths.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        lengths.truncate(LENGTHS_TOLD);
        // A range that may be wider than what was looked at is not told.
        let known = !self.unread && self.least <= self.greatest;
        Feature {
            name: String::from_utf8_lossy(&self.name).into_owned(),
            sequence: self.sequence,
            present: self.present,
            kinds,
            lengths,
            range: known.then_some(Range {
                least: self.least as f64,
                greatest: self.greatest as f64,
            }),
            not_finite: self.not_finite,
        }
    }
}

/// The fields of a message; lengths beyond its end are taken for the end where `clips` says so.
fn fields(message: &[u8], clips: bool) -> Fields<'_> {
    if clips {
        Fields::clipped(message)
    } else {
        Fields::of(message)
    }
}

/// `Feature`: one of three lists. Lengths may be clipped, and those of packed floats by themselves.
fn feature(bytes: &[u8], full: bool, (clips, floats): (bool, bool)) -> Result<Seen, NoExample> {
    let mut seen = Seen::of(FeatureKind::Unset);
    for field in fields(bytes, clips) {
        let field = field?;
        let list = field.bytes().ok_or(NoExample)?;
        seen = match field.number {
            1 => bytes_list(list)?,
            2 => float_list(list, full, floats)?,
            3 => int64_list(list, full, clips)?,
            _ => return Err(NoExample),
        };
    }
    Ok(seen)
}

fn bytes_list(list: &[u8]) -> Result<Seen, NoExample> {
    let mut seen = Seen::of(FeatureKind::Bytes);
    for value in Fields::of(list) {
        let value = value?;
        if value.number != 1 || value.bytes().is_none() {
            return Err(NoExample);
        }
        seen.length += 1;
    }
    Ok(seen)
}

/// Both the packed form and that of one field a value.
fn float_list(list: &[u8], full: bool, clips: bool) -> Result<Seen, NoExample> {
    let mut seen = Seen::of(FeatureKind::Float);
    for value in fields(list, clips) {
        let value = value?;
        match (value.number, value.value) {
            (1, Value::Bytes(packed)) if packed.len() % 4 == 0 => {
                seen.length += packed.len() as u64 / 4;
                if full {
                    let (values, _) = packed.as_chunks();
                    let odd = values
                        .iter()
                        .filter(|v| !f32::from_le_bytes(**v).is_finite());
                    seen.not_finite += odd.count() as u64;
                }
            }
            (1, Value::Fixed32(bits)) => {
                seen.length += 1;
                seen.not_finite += u64::from(!f32::from_bits(bits).is_finite());
            }
            _ => return Err(NoExample),
        }
    }
    Ok(seen)
}

fn int64_list(list: &[u8], full: bool, clips: bool) -> Result<Seen, NoExample> {
    let mut seen = Seen::of(FeatureKind::Int64);
    for value in fields(list, clips) {
        let value = value?;
        match (value.number, value.value) {
            (1, Value::Bytes(packed)) if full || packed.len() <= SMALL_LIST => {
                let mut rest = packed;
                while !rest.is_empty() {
                    let (number, length) = varint(rest)?;
                    seen.integer(number as i64);
                    rest = rest.get(length..).unwrap_or_default();
                }
            }
            (1, Value::Bytes(packed)) => {
                if packed.last().is_some_and(|last| last & 0x80 != 0) {
                    return Err(NoExample);
                }
                let ends = packed.iter().filter(|byte| **byte & 0x80 == 0);
                seen.length += ends.count() as u64;
                seen.unread = true;
            }
            (1, Value::Varint(number)) => seen.integer(number as i64),
            _ => return Err(NoExample),
        }
    }
    Ok(seen)
}
