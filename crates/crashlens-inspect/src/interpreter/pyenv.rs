//! pyenv's shims: scripts named `python3` that look for the version which is meant at the moment.

use std::path::{Path, PathBuf};

use super::locate;
use crate::{Question, bounded};

const MAX_BYTES: u64 = 4096;
const MAX_ENTRIES: usize = 1000;

/// The interpreter that a shim would start.
pub(super) fn behind_shim(shim: &Path, question: &Question) -> Option<PathBuf> {
    let shims = shim.parent().filter(|folder| folder.ends_with("shims"))?;
    let root = shims.parent()?;
    let versions = root.join("versions");
    if !versions.is_dir() {
        return None;
    }
    let program = shim.file_name()?;
    chosen(root, question).iter().find_map(|name| {
        if name == "system" {
            return locate::on_path(question, |folder| !folder.ends_with("shims"));
        }
        let path = installed(&versions, name)?.join("bin").join(program);
        locate::is_program(&path).then_some(path)
    })
}

/// The versions that are meant: by the variable, by a file in this folder or above, or for everywhere.
fn chosen(root: &Path, question: &Question) -> Vec<String> {
    let words = |text: &str| -> Vec<String> {
        let lines = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or(line));
        let words = lines.flat_map(|line| line.split([' ', '\t', ':', '\r']));
        words
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    if let Some(version) = question.variables.get("PYENV_VERSION") {
        let named = words(version);
        if !named.is_empty() {
            return named;
        }
    }
    let folder = ["PYENV_DIR", "PWD"]
        .iter()
        .find_map(|name| question.variables.get(*name))
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute())
        .or_else(|| std::env::current_dir().ok());
    let local = folder.iter().flat_map(|folder| folder.ancestors());
    let files = local
        .map(|folder| folder.join(".python-version"))
        .chain([root.join("version")]);
    let named = files
        .filter_map(|file| bounded::read_text(&file, MAX_BYTES).ok())
        .map(|text| words(&text))
        .find(|named| !named.is_empty());
    named.unwrap_or_else(|| vec!["system".to_owned()])
}

/// The folder of a version: of that name, or the newest of the series that is named.
fn installed(versions: &Path, name: &str) -> Option<PathBuf> {
    let name = name.strip_prefix("python-").unwrap_or(name);
    // A name leads to a folder beside the others, nowhere else.
    if name.contains('/') || name.starts_with('.') {
        return None;
    }
    let exact = versions.join(name);
    if exact.is_dir() {
        return Some(exact);
    }
    let patch = |folder: &str| -> Option<u32> {
        folder.strip_prefix(name)?.strip_prefix('.')?.parse().ok()
    };
    let entries = std::fs::read_dir(versions)
        .ok()?
        .take(MAX_ENTRIES)
        .flatten();
    let newest = entries.filter_map(|entry| {
        let patch = patch(entry.file_name().to_str()?)?;
        Some((patch, entry.path()))
    });
    newest.max().map(|(_, path)| path)
}
