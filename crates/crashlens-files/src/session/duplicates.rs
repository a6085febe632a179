//! Files of a set with the same bytes.

use std::collections::BTreeMap;

use crashlens_core::files::{FileFacts, FlawKind, Format};

use super::noticed::flaw;
use crate::hashing::hash;
use crate::stores::Stores;

/// Beyond so many files no duplicates are looked for: their names alone would fill the memory.
const MOST_FILES: usize = 500_000;
/// Bytes that tell most files of the same size apart.
const HEAD: u64 = 64 * 1024;

/// The files by their sizes: only those of the same size can be alike.
#[derive(Default)]
pub(super) struct Duplicates {
    files: Vec<(u64, String, Option<Format>)>,
}

impl Duplicates {
    pub(super) fn note(&mut self, facts: &FileFacts) {
        if facts.size > 0 && facts.format.is_some() && self.files.len() < MOST_FILES {
            let file = (facts.size, facts.path.clone(), facts.format);
            self.files.push(file);
        }
    }

    /// Those that have the bytes of an earlier one.
    pub(super) fn found(mut self, stores: &Stores) -> Vec<FileFacts> {
        self.files.sort_by_key(|(size, ..)| *size);
        let mut found = Vec::new();
        for alike in self.files.chunk_by(|one, other| one.0 == other.0) {
            if alike.len() > 1 {
                find_among(stores, alike, &mut found);
            }
        }
        found
    }
}

fn find_among(
    stores: &Stores,
    alike: &[(u64, String, Option<Format>)],
    found: &mut Vec<FileFacts>,
) {
    let by_hash = |files: &[usize], most: u64| {
        let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for index in files {
            let Some((_, path, _)) = alike.get(*index) else {
                continue;
            };
            if let Ok(hash) = hash(stores.of(path), path, most) {
                groups.entry(hash).or_default().push(*index);
            }
        }
        groups.into_values().filter(|group| group.len() > 1)
    };
    let all: Vec<usize> = (0..alike.len()).collect();
    for begin_alike in by_hash(&all, HEAD) {
        for same in by_hash(&begin_alike, u64::MAX) {
            let mut same = same.into_iter().filter_map(|index| alike.get(index));
            let Some((_, first, _)) = same.next() else {
                continue;
            };
            found.extend(same.map(|(size, path, format)| FileFacts {
                path: path.clone(),
                size: *size,
                format: *format,
                flaws: vec![flaw(
                    FlawKind::Duplicate,
                    format!("its bytes are those of {first}"),
                )],
                ..FileFacts::default()
            }));
        }
    }
}
