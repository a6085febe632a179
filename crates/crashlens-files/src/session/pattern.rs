//! Patterns of paths in a store, folder by folder, as those on disks are taken: `*` stays within a name, `**` does not.

use std::io;

use glob::Pattern;

use crate::store::{Entry, Store};
use crate::unentered::MOST_DEPTH;

/// Adds what fits the pattern, in the order of the names.
pub(super) fn expand(store: &dyn Store, pattern: &str, found: &mut Vec<String>) -> io::Result<()> {
    let (scheme, rest) = pattern.split_once("://").unwrap_or(("", pattern));
    let mut parts = rest.split('/').filter(|part| !part.is_empty());
    let root = format!("{scheme}://{}", parts.next().unwrap_or_default());
    let parts: Vec<Part<'_>> = parts.map(Part::of).collect::<io::Result<_>>()?;
    Walk { store, found }.below(&root, &parts, 0)
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
    found: &'a mut Vec<String>,
}

impl Walk<'_> {
    fn below(&mut self, folder: &str, parts: &[Part<'_>], depth: usize) -> io::Result<()> {
        let Some((part, rest)) = parts.split_first() else {
            self.found.push(folder.to_owned());
            return Ok(());
        };
        match part {
            Part::Name(name) => {
                let path = format!("{folder}/{name}");
                if rest.is_empty() && !self.store.exists(&path) && self.store.list(&path).is_err() {
                    return Ok(());
                }
                self.below(&path, rest, depth)
            }
            Part::Fitting(pattern) => {
                for entry in self.listed(folder)? {
                    // A file has nothing below it.
                    if pattern.matches(&entry.name) && (entry.is_folder || rest.is_empty()) {
                        self.below(&format!("{folder}/{}", entry.name), rest, depth)?;
                    }
                }
                Ok(())
            }
            Part::AnyDepth => {
                if !rest.is_empty() {
                    self.below(folder, rest, depth)?;
                }
                for entry in self.listed(folder)? {
                    let path = format!("{folder}/{}", entry.name);
                    if entry.is_folder && depth < MOST_DEPTH {
                        self.below(&path, parts, depth + 1)?;
                    } else if rest.is_empty() {
                        self.found.push(path);
                    } else if entry.is_folder {
                        return Err(too_deep(&path));
                    }
                }
                Ok(())
            }
        }
    }

    /// Where a name of the pattern is not there, nothing fits.
    fn listed(&self, folder: &str) -> io::Result<Vec<Entry>> {
        match self.store.list(folder) {
            Err(error) if is_nothing(&error, folder) => Ok(Vec::new()),
            listed => listed,
        }
    }
}

/// What fits the pattern below it would be missing from the scan without a sign.
fn too_deep(folder: &str) -> io::Error {
    io::Error::other(format!(
        "{folder} has more than {MOST_DEPTH} folders above it"
    ))
}

/// A bucket that is not there is a mistake; a folder is not.
fn is_nothing(error: &io::Error, folder: &str) -> bool {
    let is_bucket = folder.matches('/').count() <= 2;
    match error.kind() {
        io::ErrorKind::NotFound => !is_bucket,
        io::ErrorKind::NotADirectory => true,
        _ => false,
    }
}
