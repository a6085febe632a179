//! The symbols that a file defines, as a set that answers what the loader would ask.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::order;

mod hash;
mod words;

pub(crate) use hash::{hash, hash_versioned};

/// Symbols that a file defines and other files can be bound to. Names are kept as hashes of 64 bits: two of a million
/// names meet with a chance of one to thirty million.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exports {
    /// Hashes of the names that a reference without a version is bound to, in order.
    #[serde(with = "words")]
    names: Vec<u64>,
    /// For each of `names`: its [`Namespace`] and whether it answers to any version.
    traits: Vec<u8>,
    /// Hashes of name and version of the symbols that have one, in order.
    #[serde(with = "words")]
    versioned: Vec<u64>,
}

/// Set in a trait of a symbol that was defined without a version: the loader binds a reference with any version to it.
const ANY_VERSION: u8 = 0x80;

/// To which library's code a C++ name belongs, as far as rules ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Namespace {
    Other = 0,
    Llvm = 1,
    Mlir = 2,
    Protobuf = 3,
    Absl = 4,
}

impl Namespace {
    const NAMES: [&str; 5] = ["other", "llvm", "mlir", "google::protobuf", "absl"];

    /// Tells it from the mangled name: what the outermost scope of the name is. Templates of the standard library over
    /// a namespace's types are not of that namespace.
    pub(crate) fn of(name: &[u8]) -> Self {
        let Some(mut rest) = name.strip_prefix(b"_Z") else {
            return Self::Other;
        };
        // Tables, guards, thunks and things inside functions: `_ZTVN4mlir…`, `_ZGVZN4llvm…`.
        for prefix in [
            &b"TV"[..],
            b"TI",
            b"TS",
            b"TT",
            b"GV",
            b"GR",
            b"TW",
            b"TH",
            b"TC",
        ] {
            if let Some(inner) = rest.strip_prefix(prefix) {
                rest = inner;
                break;
            }
        }
        while let Some(inner) = rest.strip_prefix(b"Z") {
            rest = inner;
        }
        let Some(mut rest) = rest.strip_prefix(b"N") else {
            return Self::Other;
        };
        while let [b'K' | b'V' | b'r' | b'R' | b'O', inner @ ..] = rest {
            rest = inner;
        }
        if rest.starts_with(b"4llvm") {
            Self::Llvm
        } else if rest.starts_with(b"4mlir") {
            Self::Mlir
        } else if rest.starts_with(b"6google8protobuf") {
            Self::Protobuf
        } else if rest.starts_with(b"4absl") {
            Self::Absl
        } else {
            Self::Other
        }
    }
}

impl Exports {
    /// Whether the loader would bind a reference without a version to a symbol of this file.
    pub fn contains(&self, name: &str) -> bool {
        self.names.binary_search(&hash(name.as_bytes())).is_ok()
    }

    /// Whether the loader would bind a reference to `name@version` to a symbol of this file. A symbol that was defined
    /// without a version answers to every version.
    pub fn contains_version(&self, name: &str, version: &str) -> bool {
        let name = hash(name.as_bytes());
        let wanted = hash_versioned(name, version.as_bytes());
        self.versioned.binary_search(&wanted).is_ok()
            || self.names.binary_search(&name).is_ok_and(|index| {
                self.traits
                    .get(index)
                    .is_some_and(|of| of & ANY_VERSION != 0)
            })
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// How many of its names one of the others has too, by namespace.
    pub fn shared_with(&self, others: &[&Exports]) -> BTreeMap<String, u64> {
        let mut counts = [0_u64; Namespace::NAMES.len()];
        for (name, of) in self.names.iter().zip(&self.traits) {
            if others
                .iter()
                .any(|other| other.names.binary_search(name).is_ok())
                && let Some(count) = counts.get_mut(usize::from(of & !ANY_VERSION))
            {
                *count += 1;
            }
        }
        Namespace::NAMES
            .iter()
            .zip(counts)
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| ((*name).to_owned(), count))
            .collect()
    }
}

/// The name of a symbol, hashed once for all that is asked of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name<'a> {
    bytes: &'a [u8],
    hash: u64,
}

impl<'a> From<&'a [u8]> for Name<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        let hash = hash(bytes);
        Self { bytes, hash }
    }
}

/// Exports while they are read.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    names: Vec<(u64, u8)>,
    versioned: Vec<u64>,
}

impl Collected {
    /// With room for this many names, and for those with a version.
    pub(crate) fn with_capacity(names: usize, versioned: usize) -> Self {
        Self {
            names: Vec::with_capacity(names),
            versioned: Vec::with_capacity(versioned),
        }
    }

    /// A symbol that references without a version are bound to; `any_version` where it has none itself.
    pub(crate) fn add(&mut self, name: &Name<'_>, any_version: bool) {
        let mark = if any_version { ANY_VERSION } else { 0 };
        self.names
            .push((name.hash, Namespace::of(name.bytes) as u8 | mark));
    }

    /// A symbol that has a version.
    pub(crate) fn add_versioned(&mut self, name: &Name<'_>, version: &str) {
        self.versioned
            .push(hash_versioned(name.hash, version.as_bytes()));
    }

    /// Puts them in order, once.
    pub(crate) fn finish(self) -> Exports {
        let mut names = order::by_number(self.names, |(hash, _)| *hash);
        // Of two symbols of one name the one that answers to more comes last and stays.
        names.dedup_by(|later, first| {
            let is_same = later.0 == first.0;
            if is_same {
                *first = *later;
            }
            is_same
        });
        let mut versioned = order::by_number(self.versioned, |hash| *hash);
        versioned.dedup();
        versioned.shrink_to_fit();
        Exports {
            names: names.iter().map(|(hash, _)| *hash).collect(),
            traits: names.iter().map(|(_, of)| *of).collect(),
            versioned,
        }
    }
}
