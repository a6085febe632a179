//! The comparison of one list with the disk, in the making: what is kept of it, and in which order.

use std::collections::BTreeSet;
use std::path::Path;

use crashlens_core::survey::{ChangedFile, FileList};

use super::claims::Place;
use super::hashing::Check;
use super::native::is_native;
use crate::distribution::{module_name, printable_path};

const MAX_TOP: usize = 200;
const FIRST: usize = 20;

/// The comparison of one list, in the making.
pub(super) struct Draft {
    pub(super) place: Place,
    pub(super) list: FileList,
    pub(super) missing: Ranked,
    pub(super) changed: Vec<(ChangedFile, u64)>,
    pub(super) checks: Vec<Check>,
    pub(super) top: BTreeSet<String>,
}

impl Draft {
    pub(super) fn new(place: Place) -> Self {
        Self {
            place,
            list: FileList::default(),
            missing: Ranked::default(),
            changed: Vec::new(),
            checks: Vec::new(),
            top: BTreeSet::new(),
        }
    }

    /// `relative`: from the folder of packages on. What the folders above it are called says nothing.
    pub(super) fn miss(&mut self, path: &Path, relative: &[u8]) {
        self.list.missing_count += 1;
        self.list.missing_code_count += u64::from(self.missing.add(path, relative));
    }

    pub(super) fn change(&mut self, file: ChangedFile, key: u64) {
        self.list.changed_count += 1;
        if self.changed.len() < FIRST {
            self.changed.push((file, key));
        }
    }

    /// `tensorflow` for a folder, `six` for `six.py`, `_x` for `_x.cpython-311-x86_64-linux-gnu.so`.
    pub(super) fn add_top(&mut self, path: &[u8]) {
        let mut parts = path.splitn(2, |byte| *byte == b'/');
        let first = String::from_utf8_lossy(parts.next().unwrap_or_default());
        let name = if parts.next().is_some() {
            first.as_ref()
        } else if first.ends_with(".py") || is_native(first.as_bytes()) {
            module_name(&first)
        } else {
            return;
        };
        if self.top.len() < MAX_TOP && !self.top.contains(name) {
            self.top.insert(name.to_owned());
        }
    }
}

/// The first files of each rank: what cannot be missed comes before what often is left out to save space.
#[derive(Default)]
pub(super) struct Ranked {
    native: Vec<String>,
    code: Vec<String>,
    rest: Vec<String>,
}

impl Ranked {
    /// Says whether it is code.
    fn add(&mut self, path: &Path, relative: &[u8]) -> bool {
        let tests: [&[u8]; 3] = [b"tests", b"test", b"testing"];
        let is_test = |part: &[u8]| tests.contains(&part);
        let (rank, is_code) = if relative.split(|byte| *byte == b'/').any(is_test) {
            (&mut self.rest, false)
        } else if is_native(relative) {
            (&mut self.native, true)
        } else if relative.ends_with(b".py") {
            (&mut self.code, true)
        } else {
            (&mut self.rest, false)
        };
        if rank.len() < FIRST {
            rank.push(printable_path(path));
        }
        is_code
    }

    pub(super) fn first(self) -> Vec<String> {
        let all = self.native.into_iter().chain(self.code).chain(self.rest);
        all.take(FIRST).collect()
    }
}
