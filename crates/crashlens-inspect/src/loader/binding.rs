//! Which symbols and versions of what was loaded are defined nowhere.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::process::{Opened, Process};
use super::tree::Identity;
use crate::elf::{ElfFile, Undefined};

/// A symbol that nothing defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unbound {
    /// The library that needs it, in [`Process::loaded`].
    pub(crate) by: usize,
    /// Its place in [`ElfFile::undefined`].
    pub(crate) symbol: usize,
}

/// A version that the library found does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LackedVersion {
    pub(crate) by: usize,
    /// The library that lacks it.
    pub(crate) library: usize,
    pub(crate) name: String,
    pub(crate) version: String,
}

/// Binds symbols, and remembers what a library that many others need leaves open by itself.
#[derive(Debug, Default)]
pub(crate) struct Binder {
    /// By the library and everything it needs, as it was found.
    open: Mutex<HashMap<Vec<Identity>, Arc<Vec<usize>>>>,
}

impl Binder {
    /// Symbols of newly loaded libraries that neither what is global nor what was opened defines. Weak ones may stay
    /// undefined and are left out.
    pub(crate) fn unbound(&self, process: &Process<'_>, opened: &Opened) -> Vec<Unbound> {
        let scope = process.closure(opened.root);
        let mut unbound = Vec::new();
        for by in opened.first..opened.end {
            let Some(loaded) = process.loaded.get(by) else {
                continue;
            };
            let elf: &ElfFile = &loaded.library.elf;
            // The file itself has the whole scope for its own; of its libraries most need nothing beyond theirs.
            let left = if by == opened.root {
                left_open(process, elf, &scope)
            } else {
                self.left_open_by_itself(process, by)
                    .iter()
                    .copied()
                    .filter(|symbol| {
                        let wanted = elf.undefined.get(*symbol);
                        wanted.is_some_and(|wanted| !defined_in(process, &scope, wanted))
                    })
                    .collect()
            };
            unbound.extend(left.into_iter().map(|symbol| Unbound { by, symbol }));
        }
        unbound
    }

    fn left_open_by_itself(&self, process: &Process<'_>, by: usize) -> Arc<Vec<usize>> {
        let closure = process.closure(by);
        let everything = || {
            closure
                .iter()
                .filter_map(|index| process.loaded.get(*index))
        };
        // The executable and what came with it are the same for all that one binder is asked about, but for what was
        // opened globally since: TensorFlow.
        let mut key: Vec<Identity> = everything().map(|one| one.library.identity).collect();
        key.extend(process.globals().map(|one| one.library.identity));
        if let Some(known) = lock(&self.open).get(&key) {
            return Arc::clone(known);
        }
        let left = process.loaded.get(by).map_or_else(Vec::new, |loaded| {
            left_open(process, &loaded.library.elf, &closure)
        });
        let left = Arc::new(left);
        lock(&self.open).insert(key, Arc::clone(&left));
        left
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Places of the symbols that a file needs and nothing in its scope or in the global one defines.
fn left_open(process: &Process<'_>, elf: &ElfFile, scope: &[usize]) -> Vec<usize> {
    let strong = elf.undefined.iter().enumerate();
    strong
        .filter(|(_, wanted)| !wanted.is_weak)
        .filter(|(_, wanted)| {
            !process
                .globals()
                .any(|loaded| defines(&loaded.library.elf, wanted))
                && !defined_in(process, scope, wanted)
        })
        .map(|(place, _)| place)
        .collect()
}

fn defined_in(process: &Process<'_>, scope: &[usize], wanted: &Undefined) -> bool {
    scope
        .iter()
        .filter_map(|index| process.loaded.get(*index))
        .any(|loaded| defines(&loaded.library.elf, wanted))
}

/// Whether the loader would bind a reference to this file. A file without versions of its own answers to any.
pub(crate) fn defines(elf: &ElfFile, wanted: &Undefined) -> bool {
    match &wanted.version {
        Some(version) => elf.exported.contains_version(&wanted.name, version),
        None => elf.exported.contains(&wanted.name),
    }
}

/// Versions that newly loaded libraries need and the libraries found for them do not define. A library that defines no
/// versions at all is taken as it is, and so is a need that is marked as weak.
pub(crate) fn lacked_versions(process: &Process<'_>, opened: &Opened) -> Vec<LackedVersion> {
    let mut lacked = Vec::new();
    for by in opened.first..opened.end {
        let Some(loaded) = process.loaded.get(by) else {
            continue;
        };
        for need in &loaded.library.elf.version_needs {
            let Some(library) = process.named(&need.library) else {
                continue;
            };
            let Some(found) = process.loaded.get(library) else {
                continue;
            };
            let defined = &found.library.elf.version_definitions;
            if !need.is_weak && !defined.is_empty() && !defined.contains(&need.version) {
                lacked.push(LackedVersion {
                    by,
                    library,
                    name: need.library.clone(),
                    version: need.version.clone(),
                });
            }
        }
    }
    lacked
}

/// The newest version of the same kind: of `GLIBCXX_3.4.32` the highest `GLIBCXX_…` that a library defines.
pub(crate) fn newest(defined: &[String], like: &str) -> Option<String> {
    let kind = |version: &str| version.rsplit_once('_').map(|(kind, _)| kind.to_owned());
    let wanted = kind(like)?;
    let numbers = |version: &str| -> Option<Vec<u64>> {
        let (_, numbers) = version.rsplit_once('_')?;
        numbers.split('.').map(|part| part.parse().ok()).collect()
    };
    defined
        .iter()
        .filter(|version| kind(version).as_deref() == Some(&wanted))
        .filter_map(|version| Some((numbers(version)?, version)))
        .max()
        .map(|(_, version)| version.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_is_told_by_number_and_kind() {
        let defined = [
            "GLIBCXX_3.4.9",
            "GLIBCXX_3.4.30",
            "CXXABI_1.3.13",
            "GLIBCXX_DEBUG",
        ];
        let defined = defined.map(str::to_owned);
        assert_eq!(
            newest(&defined, "GLIBCXX_3.4.99").as_deref(),
            Some("GLIBCXX_3.4.30")
        );
        assert_eq!(newest(&defined, "GLIBC_2.38"), None);
    }
}
