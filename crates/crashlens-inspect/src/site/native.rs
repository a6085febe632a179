//! Native files in folders of packages, and whose they are.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crashlens_core::Package;

use super::Site;
use super::claims::Place;
use super::compare::Comparison;
use super::contents::Entry;
use super::extent;
use super::trouble::Trouble;
use crate::Question;
use crate::distribution::{self, normal_name};

const MAX_FILES: usize = 50_000;

/// Whether a name is that of native code: `x.so`, `libx.so.2.1`, `x.pyd`.
pub(super) fn is_native(path: &[u8]) -> bool {
    if path.ends_with(b".so") || path.ends_with(b".pyd") {
        return true;
    }
    let versions = path
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit() || **byte == b'.')
        .count();
    let (stem, version) = path.split_at(path.len() - versions);
    version.starts_with(b".") && version.len() > 1 && stem.ends_with(b".so")
}

/// Every native file by path, with the distribution that lists it, or the only one that can have brought it.
pub(super) fn files(
    sites: &[Site],
    comparison: &Comparison,
    question: &Question,
    trouble: &mut Trouble,
) -> Vec<(PathBuf, Option<Package>)> {
    let mut files = BTreeMap::new();
    let mut links = Vec::new();
    for (number, site) in sites.iter().enumerate() {
        let mut namesakes = Namesakes::new(site);
        for (relative, entry) in candidates(site, comparison, question) {
            let relative: &[u8] = &relative;
            let path = site.folder.join(OsStr::from_bytes(relative));
            match entry {
                Entry::File { .. } if files.len() >= MAX_FILES => {
                    trouble.with(&path, "there are more native files than are looked at");
                }
                Entry::File { is_link, .. } => {
                    let owner = comparison
                        .owner(&path)
                        .or_else(|| Some((number, namesakes.of(relative)?)));
                    if is_link {
                        links.push(path.clone());
                    }
                    files.entry(path).or_insert(owner);
                }
                Entry::Other => trouble.with(&path, "it is not a regular file"),
                Entry::Folder { .. } => {}
            }
        }
    }
    for path in comparison.outside() {
        files
            .entry(path.clone())
            .or_insert_with(|| comparison.owner(path));
    }
    // `libx.so` that leads to `libx.so.2` beside it is the same file.
    for link in links {
        let target = std::fs::canonicalize(&link).unwrap_or_default();
        if target != link && files.contains_key(&target) {
            files.remove(&link);
        }
    }
    let package =
        |(site, index): Place| Some(sites.get(site)?.found.get(index)?.distribution.package());
    files
        .into_iter()
        .map(|(path, owner)| (path, owner.and_then(package)))
        .collect()
}

/// The native files of a folder, by their paths from there on. Where the folder was not walked, those that are listed and
/// those that were loaded.
fn candidates<'a>(
    site: &'a Site,
    comparison: &'a Comparison,
    question: &Question,
) -> Vec<(Cow<'a, [u8]>, Entry)> {
    let walked = site.contents.iter();
    let walked = walked.map(|(path, entry)| (Cow::Borrowed(path), entry));
    let Some(loaded) = &question.only else {
        return walked.filter(|(path, _)| is_native(path)).collect();
    };
    let listed = comparison
        .listed()
        .filter_map(|path| path.strip_prefix(&site.folder).ok())
        .map(Path::to_owned);
    let asked: BTreeSet<PathBuf> = listed.chain(extent::below(&site.folder, loaded)).collect();
    let asked = asked.into_iter().filter_map(|path| {
        let entry = Entry::at(&site.folder.join(&path))?;
        let path = path.into_os_string().into_encoded_bytes();
        // What is at the top was seen.
        path.contains(&b'/').then_some((Cow::Owned(path), entry))
    });
    asked
        .chain(walked)
        .filter(|(path, _)| is_native(path))
        .collect()
}

/// Distributions without a list, and the entries of their folder that can only be theirs.
struct Namesakes<'a> {
    unlisted: Vec<(usize, String, &'a Path)>,
    known: HashMap<Vec<u8>, Option<usize>>,
}

impl<'a> Namesakes<'a> {
    fn new(site: &'a Site) -> Self {
        let found = site.found.iter().enumerate();
        let unlisted = found
            .filter(|(_, found)| !found.has_list && found.unlisted_because.is_none())
            .map(|(index, found)| {
                let name = normal_name(&found.distribution.name);
                (index, name, found.metadata.as_path())
            })
            .collect();
        Self {
            unlisted,
            known: HashMap::new(),
        }
    }

    fn of(&mut self, relative: &[u8]) -> Option<usize> {
        let top = relative.split(|byte| *byte == b'/').next()?;
        if let Some(known) = self.known.get(top) {
            return *known;
        }
        let text = String::from_utf8_lossy(top);
        let mut claiming = self
            .unlisted
            .iter()
            .filter(|(_, name, metadata)| distribution::claims(metadata, name, &text));
        let first = claiming.next();
        let only = first
            .filter(|_| claiming.next().is_none())
            .map(|(index, ..)| *index);
        self.known.insert(top.to_owned(), only);
        only
    }
}
