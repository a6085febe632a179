//! Which distributions list the same file.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::distribution::{Listed, normal_name};

/// Files that packages may well have in common without harm to each other.
const HARMLESS: [&str; 8] = [
    "__init__.py",
    "__init__.pyi",
    "py.typed",
    "license",
    "notice",
    "readme",
    "changelog",
    "authors",
];
/// Of one file no more claims are compared with each other.
const MOST_CLAIMS: usize = 8;
const NO_SIZE: u64 = u64::MAX;

/// Number of the folder of packages, and of the distribution in it.
pub(super) type Place = (usize, usize);

/// That a distribution lists a file. Paths are kept as hashes: there may be half a million.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Claim {
    key: u64,
    place: Place,
    size: u64,
    /// Hash of the content's hash; zero where none is listed.
    content: u64,
    is_harmless: bool,
}

impl Claim {
    pub(super) fn new(place: Place, listed: &Listed) -> Self {
        let hash = |value: &dyn Fn(&mut DefaultHasher)| {
            let mut hasher = DefaultHasher::new();
            value(&mut hasher);
            hasher.finish()
        };
        Self {
            key: hash(&|hasher| (place.0, &listed.path).hash(hasher)),
            place,
            size: listed.size.unwrap_or(NO_SIZE),
            content: listed
                .sha256
                .map_or(0, |sha256| hash(&|hasher| sha256.hash(hasher))),
            is_harmless: false,
        }
    }

    /// Stands for the path.
    pub(super) fn key(&self) -> u64 {
        self.key
    }
}

/// All claims, by path once they are sorted.
#[derive(Debug, Default)]
pub(super) struct Claims(Vec<Claim>);

impl Claims {
    pub(super) fn add(&mut self, mut claim: Claim, path: &[u8]) {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        claim.is_harmless = HARMLESS.iter().any(|harmless| {
            let start = name.get(..harmless.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(harmless.as_bytes()))
        });
        self.0.push(claim);
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Forgets every claim after the first `count`. For claims that are not sorted yet.
    pub(super) fn forget_since(&mut self, count: usize) {
        self.0.truncate(count);
    }

    pub(super) fn sort(&mut self) {
        self.0.sort_unstable();
    }

    /// Another distribution that lists the path with this size.
    pub(super) fn of_size(&self, key: u64, size: u64, but: Place) -> Option<Place> {
        let start = self.0.partition_point(|claim| claim.key < key);
        let same = self
            .0
            .get(start..)?
            .iter()
            .take_while(|claim| claim.key == key);
        let mut others = same.filter(|claim| claim.place != but && claim.size == size);
        others.next().map(|claim| claim.place)
    }

    /// For each distribution the others that list different content for the same files, by name, with how many.
    pub(super) fn shared(
        &self,
        name_at: impl Fn(Place) -> String,
    ) -> HashMap<Place, Vec<(String, u64)>> {
        let mut pairs: BTreeMap<(Place, Place), u64> = BTreeMap::new();
        for claims in self
            .0
            .chunk_by(|a, b| a.key == b.key)
            .filter(|claims| claims.len() > 1)
        {
            let claims = &claims[..claims.len().min(MOST_CLAIMS)];
            for one in claims {
                let is_rival = |other: &&Claim| {
                    let is_same = one.content != 0 && one.content == other.content;
                    one.place != other.place && !is_same && !one.is_harmless
                };
                for other in claims.iter().filter(is_rival) {
                    *pairs.entry((one.place, other.place)).or_default() += 1;
                }
            }
        }
        let mut shared: HashMap<_, Vec<(String, u64)>> = HashMap::new();
        for ((one, other), count) in pairs {
            let (name, rival) = (name_at(one), name_at(other));
            // Two versions of one name are told as such.
            if normal_name(&name) != normal_name(&rival) {
                shared.entry(one).or_default().push((rival, count));
            }
        }
        shared
    }
}
