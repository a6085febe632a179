//! The comparison of one list with the disk, in the making: what is kept of it, and in which order.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
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

    pub(super) fn miss(&mut self, path: &Path) {
        self.list.missing_count += 1;
        self.missing.add(path);
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
    fn add(&mut self, path: &Path) {
        let is_test = |part: &OsStr| part == "tests" || part == "test" || part == "testing";
        let rank = if path.iter().any(is_test) {
            &mut self.rest
        } else if is_native(path.as_os_str().as_bytes()) {
            &mut self.native
        } else if path.extension().is_some_and(|extension| extension == "py") {
            &mut self.code
        } else {
            &mut self.rest
        };
        if rank.len() < FIRST {
            rank.push(printable_path(path));
        }
    }

    pub(super) fn first(self) -> Vec<String> {
        let all = self.native.into_iter().chain(self.code).chain(self.rest);
        all.take(FIRST).collect()
    }
}
