//! Patterns of paths, folder by folder: `*` stays within a name, `**` does not.
//!
//! Not by the walk of the crate `glob`: it follows links into `/proc` and in circles.

use std::collections::{BTreeSet, HashSet};
use std::io;

use glob::Pattern;

use crate::store::{Entry, Identity, Store};
use crate::stores::is_object;
use crate::unentered::{Barrier, Guard, MOST_DEPTH, Unentered};

/// What fits patterns.
#[derive(Debug, Default)]
pub struct Expanded {
    /// In the order of the names.
    pub paths: Vec<String>,
    /// What was not entered to look for more.
    pub unentered: Unentered,
}

/// Adds what fits the pattern.
pub(super) fn expand(store: &dyn Store, pattern: &str, expanded: &mut Expanded) -> io::Result<()> {
    let (root, rest) = if is_object(pattern) {
        let (scheme, rest) = pattern.split_once("://").unwrap_or(("", pattern));
        let (bucket, rest) = rest.split_once('/').unwrap_or((rest, ""));
        (format!("{scheme}://{bucket}"), rest)
    } else if let Some(rest) = pattern.strip_prefix('/') {
        ("/".to_owned(), rest)
    } else {
        (String::new(), pattern)
    };
    let parts = rest.split('/').filter(|part| !part.is_empty());
    let parts: Vec<Part<'_>> = parts.map(Part::of).collect::<io::Result<_>>()?;
    let mut walk = Walk {
        store,
        guard: Guard::default(),
        expanded,
        barred: BTreeSet::new(),
        depth: 0,
        seen: HashSet::new(),
    };
    walk.below(&root, &parts)?;
    for path in &walk.barred {
        walk.expanded.unentered.add(path, Barrier::Kernel);
    }
    Ok(())
}

enum Part<'a> {
    Name(&'a str),
    Fitting(Pattern),
    AnyDepth,
}

impl<'a> Part<'a> {
    fn of(text: &'a str) -> io::Result<Self> {
        if text == "**" {
            return Ok(Self::AnyDepth);
        }
        if !text.contains(['*', '?', '[']) {
            return Ok(Self::Name(text));
        }
        Pattern::new(text)
            .map(Self::Fitting)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error.to_string()))
    }
}

struct Walk<'a> {
    store: &'a dyn Store,
    guard: Guard,
    expanded: &'a mut Expanded,
    /// Each once, although a folder is listed again for the next part of a pattern.
    barred: BTreeSet<String>,
    /// How many folders `**` has led through to the one that is looked at.
    depth: usize,
    /// The folders that `**` was at, each with the number of parts that follow.
    seen: HashSet<(Identity, usize)>,
}

impl Walk<'_> {
    fn below(&mut self, folder: &str, parts: &[Part<'_>]) -> io::Result<()> {
        let Some((part, rest)) = parts.split_first() else {
            self.expanded.paths.push(folder.to_owned());
            return Ok(());
        };
        match part {
            Part::Name(name) => {
                let path = join(folder, name);
                if rest.is_empty() && !self.store.exists(&path) && self.store.list(&path).is_err() {
                    return Ok(());
                }
                self.below(&path, rest)
            }
            Part::Fitting(pattern) => {
                for (path, entry) in self.entries(folder)? {
                    // A file has nothing below it.
                    if pattern.matches(&entry.name) && (entry.is_folder || rest.is_empty()) {
                        self.below(&path, rest)?;
                    }
                }
                Ok(())
            }
            Part::AnyDepth => self.any_depth(folder, parts, rest),
        }
    }

    fn any_depth(&mut self, folder: &str, parts: &[Part<'_>], rest: &[Part<'_>]) -> io::Result<()> {
        // Links lead in circles, or by many ways to one folder; each is a place of its own in the pattern.
        if let Some(identity) = self.identity(folder)
            && !self.seen.insert((identity, rest.len()))
        {
            return Ok(());
        }
        if !rest.is_empty() {
            self.below(folder, rest)?;
        }
        self.depth += 1;
        for (path, entry) in self.entries(folder)? {
            if !entry.is_folder {
                if rest.is_empty() {
                    self.expanded.paths.push(path);
                }
            } else if self.depth > MOST_DEPTH {
                self.expanded.unentered.add(&path, Barrier::Depth);
            } else {
                self.below(&path, parts)?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// What is in a folder and may be entered, with its path.
    fn entries(&mut self, folder: &str) -> io::Result<Vec<(String, Entry)>> {
        // Where a name of the pattern is not there, nothing fits.
        let entries = match self.store.list(listed_as(folder)) {
            Err(error) if is_nothing(&error, folder) => Vec::new(),
            listed => listed?,
        };
        let device = self.identity(folder).map_or(0, |identity| identity.device);
        let entries = entries.into_iter().filter_map(|entry| {
            let path = join(folder, &entry.name);
            if self.guard.bars(self.store, device, &entry, &path) {
                self.barred.insert(path);
                return None;
            }
            Some((path, entry))
        });
        Ok(entries.collect())
    }

    fn identity(&self, folder: &str) -> Option<Identity> {
        if self.store.is_flat() {
            return None;
        }
        self.store.identity(listed_as(folder)).ok()?
    }
}

fn join(folder: &str, name: &str) -> String {
    match folder {
        "" | "/" => format!("{folder}{name}"),
        folder => format!("{folder}/{name}"),
    }
}

/// The folder that relative patterns begin in has no name in the paths that fit.
fn listed_as(folder: &str) -> &str {
    match folder {
        "" => ".",
        folder => folder,
    }
}

/// A bucket that is not there is a mistake; a folder is not. A folder on a disk that may not be looked into is met again,
/// and reported, where it is asked for by name.
fn is_nothing(error: &io::Error, folder: &str) -> bool {
    if !is_object(folder) {
        return true;
    }
    let is_bucket = folder.matches('/').count() <= 2;
    match error.kind() {
        io::ErrorKind::NotFound => !is_bucket,
        io::ErrorKind::NotADirectory => true,
        _ => false,
    }
}
