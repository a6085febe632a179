//! Dictionaries and sets: their entries, in the order the program made them where that is kept.

use crate::Unreadable;

use super::super::objects::at;
use super::super::offsets::DictionaryFormat;
use super::{SIZE, ValueReader};

/// Places for entries that are looked at in one dictionary or set.
const MOST_PLACES: u64 = 4096;

/// How the entries of a dictionary follow each other.
struct Entries {
    start: u64,
    count: u64,
    /// Words of an entry: the hash, where there is one, the key and the value.
    words: usize,
    /// Where the values are if the entries are shared with others.
    values: Option<u64>,
}

impl ValueReader<'_> {
    /// Addresses of keys and values of the first `most` entries of the dictionary, and how many it has.
    pub(crate) fn entries(
        &self,
        dictionary: u64,
        most: usize,
    ) -> Result<(Vec<(u64, u64)>, u64), Unreadable> {
        if self.layout.dictionary == DictionaryFormat::Table {
            let entries = Entries {
                start: self.pointer(dictionary, 40)?,
                count: self.pointer(dictionary, 32)?.saturating_add(1),
                words: 3,
                values: None,
            };
            let used = self.pointer(dictionary, 24)?;
            return Ok((self.read_entries(&entries, most)?, used));
        }
        let values = match (self.pointer(dictionary, 40)?, self.layout.dictionary) {
            (0, _) => None,
            (block, DictionaryFormat::LoggedIndices { values }) => Some(at(block, values)?),
            (block, _) => Some(block),
        };
        let entries = Entries {
            values,
            ..self.keys(self.pointer(dictionary, 32)?)?
        };
        let used = self.pointer(dictionary, SIZE)?;
        Ok((self.read_entries(&entries, most)?, used))
    }

    /// Keys of a type's instances, beside the values that one of them has at `values`.
    pub(super) fn shared_entries(
        &self,
        keys: u64,
        values: u64,
    ) -> Result<Vec<(u64, u64)>, Unreadable> {
        let entries = Entries {
            values: Some(values),
            ..self.keys(keys)?
        };
        self.read_entries(&entries, MOST_PLACES as usize)
    }

    fn keys(&self, keys: u64) -> Result<Entries, Unreadable> {
        let impossible = Unreadable { address: keys };
        let (indices, count, words) =
            if let DictionaryFormat::LoggedIndices { .. } = self.layout.dictionary {
                let logarithm = self.memory().u8(at(keys, 9)?)?;
                let kind = self.memory().u8(at(keys, 10)?)?;
                if logarithm > 40 || kind > 2 {
                    return Err(impossible);
                }
                let words = if kind == 0 { 3 } else { 2 };
                (32 + (1 << logarithm), self.pointer(keys, 24)?, words)
            } else {
                let size = self.pointer(keys, 8)?;
                let width = match size {
                    0..=0xff => 1,
                    0x100..=0xffff => 2,
                    0x1_0000..=0xffff_ffff => 4,
                    _ => return Err(impossible),
                };
                (40 + size * width, self.pointer(keys, 32)?, 3)
            };
        Ok(Entries {
            start: at(keys, indices)?,
            count,
            words,
            values: None,
        })
    }

    fn read_entries(&self, entries: &Entries, most: usize) -> Result<Vec<(u64, u64)>, Unreadable> {
        // Piece by piece: the beginning of a large one is all that is ever shown.
        const PIECE: u64 = 32;
        let count = entries.count.min(MOST_PLACES);
        let mut found = Vec::new();
        let mut done = 0;
        while done < count && found.len() < most {
            let piece = PIECE.min(count - done);
            let start = at(entries.start, done * entries.words as u64 * 8)?;
            let words = self.words(start, piece as usize * entries.words)?;
            let values = match entries.values {
                Some(values) => Some(self.words(at(values, done * 8)?, piece as usize)?),
                None => None,
            };
            for (index, entry) in words.chunks_exact(entries.words).enumerate() {
                let [.., key, value] = entry else { continue };
                let value = match &values {
                    Some(values) => values.get(index).copied().unwrap_or(0),
                    None => *value,
                };
                if *key != 0 && value != 0 && found.len() < most {
                    found.push((*key, value));
                }
            }
            done += piece;
        }
        Ok(found)
    }

    /// The value that a dictionary has for the string `name`.
    pub(crate) fn lookup(&self, dictionary: u64, name: &str) -> Option<u64> {
        let (entries, _) = self.entries(dictionary, MOST_PLACES as usize).ok()?;
        self.find(&entries, name)
    }

    pub(super) fn find(&self, entries: &[(u64, u64)], name: &str) -> Option<u64> {
        let length = name.chars().count() as u64;
        let is_name = |key: u64| {
            // The length stands in the same place in every kind of string, and tells most of them apart.
            self.pointer(key, SIZE).is_ok_and(|found| found == length)
                && self.text(key).is_some_and(|text| text == name)
        };
        let (_, value) = entries.iter().find(|(key, _)| is_name(*key))?;
        Some(*value)
    }

    /// Addresses of the first `most` elements of the set, and how many it has.
    pub(crate) fn set_elements(
        &self,
        set: u64,
        most: usize,
    ) -> Result<(Vec<u64>, u64), Unreadable> {
        let used = self.pointer(set, 24)?;
        let places = self.pointer(set, 32)?.saturating_add(1).min(MOST_PLACES);
        let table = self.words(self.pointer(set, 40)?, places as usize * 2)?;
        let mut found = Vec::new();
        for place in table.as_chunks::<2>().0 {
            let [first, second] = *place;
            let (key, hash) = if self.layout.set_key == 0 {
                (first, second)
            } else {
                (second, first)
            };
            // A place whose element was removed holds a dummy; since Python 3 no real hash is -1.
            let is_dummy = self.layout.version.0 > 2 && hash == u64::MAX;
            if key != 0 && !is_dummy && found.len() < most {
                found.push(key);
            }
        }
        Ok((found, used))
    }
}
