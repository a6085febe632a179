//! The native files of an environment: who has a library that no search finds, and who of them would load it first.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crashlens_core::Package;

use super::binding::defines;
use super::tree::{Identity, Tree};
use super::{LinkEnvironment, LinkFile};
use crate::elf::Undefined;

/// The native files of an environment, by what they can be asked for.
#[derive(Debug)]
pub(crate) struct Environment<'a> {
    files: &'a [LinkFile<'a>],
    by_name: HashMap<&'a str, Vec<Holder<'a>>>,
    identities: HashMap<Identity, usize>,
    /// Names of distributions with those that they ask for, in normal spelling.
    asks_for: HashMap<String, HashSet<String>>,
}

/// A file that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Holder<'a> {
    pub(crate) path: &'a Path,
    pub(crate) package: Option<&'a Package>,
}

impl<'a> Environment<'a> {
    pub(crate) fn new(environment: &LinkEnvironment<'a>, tree: &Tree) -> Self {
        let files = environment.files;
        let mut by_name: HashMap<&str, Vec<Holder<'_>>> = HashMap::new();
        let mut identities = HashMap::new();
        for (index, file) in files.iter().enumerate() {
            let holder = Holder {
                path: file.path,
                package: file.package,
            };
            let soname = file.elf.soname.as_deref();
            for name in file_name(file.path).into_iter().chain(soname) {
                let known = by_name.entry(name).or_default();
                if known.last() != Some(&holder) {
                    known.push(holder);
                }
            }
            if let Some(identity) = tree.identity(file.path) {
                identities.insert(identity, index);
            }
        }
        let read: HashSet<&Path> = files.iter().map(|file| file.path).collect();
        let unread = environment.native.iter();
        for (path, package) in unread.filter(|(path, _)| !read.contains(path.as_path())) {
            let package = package.as_ref();
            for name in likely_names(path) {
                by_name
                    .entry(name)
                    .or_default()
                    .push(Holder { path, package });
            }
        }
        let asks_for = environment
            .distributions
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
    pub(crate) fn holder(&self, name: &str, needed_by: &Path) -> Option<Holder<'a>> {
        let name = name.rsplit('/').next().unwrap_or(name);
        let holders = self.by_name.get(name)?.iter().copied();
        let near = |holder: &Holder<'_>| {
            let ours = needed_by.components();
            ours.zip(holder.path.components())
                .take_while(|(ours, theirs)| ours == theirs)
                .count()
        };
        holders
            .filter(|holder| holder.path != needed_by)
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

fn file_name(path: &Path) -> Option<&str> {
    path.file_name().and_then(OsStr::to_str)
}

/// Names that a file which nobody has read is likely to be needed by: its own, and shorter ones, because
/// `libc10.so.2.1` has mostly `libc10.so.2` for its soname.
fn likely_names(path: &Path) -> impl Iterator<Item = &str> {
    std::iter::successors(file_name(path), |name| {
        let (shorter, number) = name.rsplit_once('.')?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        (is_number && shorter.contains(".so")).then_some(shorter)
    })
}

/// The name that a `Requires-Dist` line begins with.
fn required(line: &str) -> String {
    let end = line.find(|letter: char| !letter.is_ascii_alphanumeric() && !"._-".contains(letter));
    normal(&line[..end.unwrap_or(line.len())])
}

fn normal(name: &str) -> String {
    name.replace(['.', '_'], "-").to_ascii_lowercase()
}
