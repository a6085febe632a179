//! The native files of an environment: who has a library that no search finds, and who of them would load it first.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crashlens_core::Package;
use crashlens_core::survey::Distribution;

use super::LinkFile;
use super::binding::defines;
use super::tree::{Identity, Tree};
use crate::elf::Undefined;

/// The native files of an environment, by what they can be asked for.
#[derive(Debug)]
pub(crate) struct Environment<'a> {
    files: &'a [LinkFile<'a>],
    by_name: HashMap<&'a str, Vec<usize>>,
    identities: HashMap<Identity, usize>,
    /// Names of distributions with those that they ask for, in normal spelling.
    asks_for: HashMap<String, HashSet<String>>,
}

impl<'a> Environment<'a> {
    pub(crate) fn new(
        files: &'a [LinkFile<'a>],
        distributions: &[Distribution],
        tree: &Tree,
    ) -> Self {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut identities = HashMap::new();
        for (index, file) in files.iter().enumerate() {
            let name = file.path.file_name().and_then(OsStr::to_str);
            let soname = file.elf.soname.as_deref();
            for name in name.into_iter().chain(soname) {
                let known = by_name.entry(name).or_default();
                if known.last() != Some(&index) {
                    known.push(index);
                }
            }
            if let Some(identity) = tree.identity(file.path) {
                identities.insert(identity, index);
            }
        }
        let asks_for = distributions
            .iter()
            .map(|one| {
                (
                    normal(&one.name),
                    one.requires.iter().map(|line| required(line)).collect(),
                )
            })
            .collect();
        Self {
            files,
            by_name,
            identities,
            asks_for,
        }
    }

    /// The file of the environment that a library is.
    pub(crate) fn file(&self, identity: Identity) -> Option<&'a LinkFile<'a>> {
        self.files.get(*self.identities.get(&identity)?)
    }

    /// The file that has this name or soname and stands nearest to the one that needs it.
    pub(crate) fn holder(&self, name: &str, needed_by: &Path) -> Option<&'a LinkFile<'a>> {
        let name = name.rsplit('/').next().unwrap_or(name);
        let holders = self.by_name.get(name)?.iter();
        let near = |file: &&LinkFile<'_>| {
            let ours = needed_by.components();
            ours.zip(file.path.components())
                .take_while(|(ours, theirs)| ours == theirs)
                .count()
        };
        holders
            .filter_map(|index| self.files.get(*index))
            .filter(|file| file.path != needed_by)
            .max_by_key(near)
    }

    /// Whether the package of a file can be taken to have loaded the other: both are of one package, or one asks for
    /// the other's. Where nobody knows the packages, it can.
    pub(crate) fn would_load(&self, file: Option<&Package>, other: Option<&Package>) -> bool {
        let (Some(file), Some(other)) = (file, other) else {
            return true;
        };
        let wanted = normal(&other.name);
        let mut pending = vec![normal(&file.name)];
        let mut seen = HashSet::new();
        while let Some(name) = pending.pop() {
            if name == wanted {
                return true;
            }
            if let Some(further) = self.asks_for.get(&name) {
                let new = further.iter().filter(|name| seen.insert((*name).clone()));
                pending.extend(new.cloned());
            }
        }
        false
    }

    /// A file of the environment that defines a symbol.
    pub(crate) fn definer(&self, wanted: &Undefined, needed_by: &Path) -> Option<PathBuf> {
        let mut files = self.files.iter().filter(|file| file.path != needed_by);
        files
            .find(|file| defines(file.elf, wanted))
            .map(|file| file.path.to_owned())
    }
}

/// The name that a `Requires-Dist` line begins with.
fn required(line: &str) -> String {
    let end = line.find(|letter: char| !letter.is_ascii_alphanumeric() && !"._-".contains(letter));
    normal(&line[..end.unwrap_or(line.len())])
}

fn normal(name: &str) -> String {
    name.replace(['.', '_'], "-").to_ascii_lowercase()
}
