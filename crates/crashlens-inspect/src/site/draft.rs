//! The comparison of one list with the disk, in the making: what is kept of it, and in which order.

use std::borrow::Cow;
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
    changed_code: Vec<(ChangedFile, u64)>,
    changed_rest: Vec<(ChangedFile, u64)>,
    pub(super) checks: Vec<Check>,
    pub(super) top: BTreeSet<String>,
}

impl Draft {
    pub(super) fn new(place: Place) -> Self {
        Self {
            place,
            list: FileList::default(),
            missing: Ranked::default(),
            changed_code: Vec::new(),
            changed_rest: Vec::new(),
            checks: Vec::new(),
            top: BTreeSet::new(),
        }
    }

    /// Whether everything that was compared is there as listed.
    pub(super) fn is_as_listed(&self) -> bool {
        let list = &self.list;
        list.missing_count + list.changed_count + list.unreadable_count == 0
    }

    /// `relative`: from the folder of packages on. What the folders above it are called says nothing.
    pub(super) fn miss(&mut self, path: &Path, relative: &[u8]) {
        self.list.missing_count += 1;
        self.list.missing_code_count += u64::from(self.missing.add(path, relative));
    }

    pub(super) fn change(&mut self, file: ChangedFile, key: u64) {
        self.list.changed_count += 1;
        let path = file.path.as_bytes();
        let rank = if is_native(path) || path.ends_with(b".py") {
            &mut self.changed_code
        } else {
            &mut self.changed_rest
        };
        if rank.len() < FIRST {
            rank.push((file, key));
        }
    }

    /// The first of the changed files, code before everything else, each with what stands for its path among claims.
    pub(super) fn changed(&mut self) -> impl Iterator<Item = (ChangedFile, u64)> + use<> {
        let code = std::mem::take(&mut self.changed_code);
        let rest = std::mem::take(&mut self.changed_rest);
        code.into_iter().chain(rest).take(FIRST)
    }

    /// A file that is there and may not be read. Only code is counted.
    pub(super) fn forbid(&mut self, path: &Path, relative: &[u8]) {
        if !is_code(relative) {
            return;
        }
        self.list.unreadable_count += 1;
        if self.list.unreadable.len() < FIRST {
            self.list.unreadable.push(printable_path(path));
        }
    }

    pub(super) fn add_top(&mut self, path: &[u8]) {
        if let Some(name) = top_of(path)
            && self.top.len() < MAX_TOP
            && !self.top.contains(name.as_ref())
        {
            self.top.insert(name.into_owned());
        }
    }
}

/// `tensorflow` for a folder, `six` for `six.py`, `_x` for `_x.cpython-311-x86_64-linux-gnu.so`.
pub(super) fn top_of(path: &[u8]) -> Option<Cow<'_, str>> {
    let mut parts = path.splitn(2, |byte| *byte == b'/');
    let first = String::from_utf8_lossy(parts.next().unwrap_or_default());
    if parts.next().is_some() {
        return Some(first);
    }
    let is_module = first.ends_with(".py") || is_native(first.as_bytes());
    is_module.then(|| Cow::Owned(module_name(&first).to_owned()))
}

/// Whether it is a Python module or a native file outside of folders of tests.
pub(super) fn is_code(relative: &[u8]) -> bool {
    let tests: [&[u8]; 3] = [b"tests", b"test", b"testing"];
    let mut parts = relative.split(|byte| *byte == b'/');
    (is_native(relative) || relative.ends_with(b".py")) && !parts.any(|part| tests.contains(&part))
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
        let is_code = is_code(relative);
        let rank = match (is_code, is_native(relative)) {
            (true, true) => &mut self.native,
            (true, false) => &mut self.code,
            (false, _) => &mut self.rest,
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
