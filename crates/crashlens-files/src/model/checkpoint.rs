//! Checkpoints: index and data files with one prefix.
//!
//! Finds out which checkpoint a path means, and what an interrupted save has left beside it. What the files say is read
//! by [`bundle`].

pub(super) mod bundle;
mod entry;
mod listing;
mod object_graph;
mod state;
mod table;
mod values;

pub(super) use listing::MOST_TENSORS;
pub(super) use object_graph::{StoredObject, stored_objects};

use crashlens_core::files::{FileFacts, FlawKind, Format, Part};

use super::parts::{Parts, bare, folder, join, last};
use crate::reading::Options;
use crate::store::{Entry, Store};

/// `None` where `path` is none.
pub(super) fn examine(store: &dyn Store, path: &str, options: &Options) -> Option<FileFacts> {
    let meant = meant(store, path)?;
    let parts = Parts::new(store, path, Format::Checkpoint, options);
    Some(parts.read_by(|parts| match meant {
        Meant::Prefix(prefix) => {
            leftovers(parts, &prefix);
            bundle::read(parts, &prefix, "");
        }
        Meant::Temporary(folder) => leftover(parts, &folder),
        Meant::State(folder) => state::read(parts, &folder),
        Meant::StateAlone(folder) => {
            state::check(parts, &folder);
        }
    }))
}

/// Which checkpoint a path means.
#[derive(Debug, PartialEq, Eq)]
enum Meant {
    Prefix(String),
    /// The folder that a save writes into first, with nothing but that.
    Temporary(String),
    /// The one that the file `checkpoint` in this folder names.
    State(String),
    /// Only that file: the checkpoints beside it are asked for by themselves.
    StateAlone(String),
}

fn meant(store: &dyn Store, path: &str) -> Option<Meant> {
    let path = bare(path);
    let name = last(path);
    if let Some(prefix) = prefix_of_part(path) {
        return Some(Meant::Prefix(prefix.to_owned()));
    }
    match store.open(path) {
        Ok(_) if name == "checkpoint" => {
            return state::is_one(store, path).then(|| Meant::StateAlone(folder(path).to_owned()));
        }
        Ok(_) => return None,
        Err(_) => {}
    }
    if let Ok(entries) = store.list(path)
        && !entries.is_empty()
    {
        if is_left_by_save(name, &entries) {
            return Some(Meant::Temporary(path.to_owned()));
        }
        return in_folder(store, path, &entries);
    }
    let beside = store.list(folder(path)).unwrap_or_default();
    let is_there = beside
        .iter()
        .any(|entry| prefix_of_part(&entry.name) == Some(name) || is_temporary_folder(entry, name));
    is_there.then(|| Meant::Prefix(path.to_owned()))
}

/// The latest in a folder by its own words, or the only one.
fn in_folder(store: &dyn Store, path: &str, entries: &[Entry]) -> Option<Meant> {
    let files = || entries.iter().filter(|entry| !entry.is_folder);
    if files().any(|entry| entry.name == "checkpoint")
        && state::is_one(store, &join(path, "checkpoint"))
    {
        return Some(Meant::State(path.to_owned()));
    }
    let mut prefixes: Vec<&str> = files()
        .filter_map(|entry| prefix_of_part(&entry.name))
        .collect();
    prefixes.dedup();
    prefixes.sort_unstable();
    prefixes.dedup();
    match prefixes.as_slice() {
        [only] => Some(Meant::Prefix(join(path, only))),
        _ => None,
    }
}

/// `x` of `x.index` and `x.data-00000-of-00001`.
fn prefix_of_part(name: &str) -> Option<&str> {
    if let Some(prefix) = name.strip_suffix(".index") {
        return Some(prefix).filter(|prefix| !last(prefix).is_empty());
    }
    let (prefix, shard) = name.rsplit_once(".data-")?;
    let (number, of) = shard.split_once("-of-")?;
    let is_number = |text: &str| text.len() >= 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(number) && is_number(of) && !last(prefix).is_empty()).then_some(prefix)
}

/// The folder that a save of `name` writes into first.
fn is_temporary_folder(entry: &Entry, name: &str) -> bool {
    entry.is_folder && saved_into(&entry.name) == Some(name)
}

/// `x` of `x_temp` and `x_temp_5f0c`, the folder that a save of `x` writes into first.
pub(crate) fn saved_into(name: &str) -> Option<&str> {
    let (prefix, rest) = name.rsplit_once("_temp")?;
    let is_mark = rest.is_empty() || rest.starts_with('_');
    (is_mark && !prefix.is_empty()).then_some(prefix)
}

/// Whether a folder holds nothing but what a save has written so far.
pub(crate) fn is_left_by_save(name: &str, entries: &[Entry]) -> bool {
    let is_part = |entry: &Entry| !entry.is_folder && entry.name.starts_with("part-");
    saved_into(name).is_some() && !entries.is_empty() && entries.iter().all(is_part)
}

/// What a save that did not end has left beside the checkpoint.
pub(super) fn leftovers(parts: &mut Parts<'_>, prefix: &str) {
    let (place, name) = (folder(prefix), last(prefix));
    for entry in parts.list(place) {
        if is_temporary_folder(&entry, name) {
            leftover(parts, &join(place, &entry.name));
        } else if entry.name.starts_with(name) && entry.name.contains(".tempstate") {
            let detail = format!(
                "a save renames this file when it ends: one was interrupted, or is running now; it has {} bytes",
                entry.size
            );
            let part = Part::SaveFile.written(entry.name);
            parts.flaw(FlawKind::Leftover, part, None, detail);
        }
    }
}

/// The folder that a save wrote into.
fn leftover(parts: &mut Parts<'_>, place: &str) {
    let within = parts.list(place);
    let bytes: u64 = within.iter().map(|entry| entry.size).sum();
    let detail = format!(
        "a save writes into this folder and removes it when it ends: one was interrupted, or is running now; \
         {} files with {bytes} bytes are in it",
        within.len()
    );
    let part = Part::SaveFolder.written(last(place));
    parts.flaw(FlawKind::Leftover, part, None, detail);
}

#[cfg(test)]
mod tests;
