//! Which native files are read.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use crashlens_core::{Gaps, Package};

use crate::Question;
use crate::site::Installed;

/// Large environments have some thousands.
const MAX_FILES: usize = 20_000;

/// A file that will be read.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) path: PathBuf,
    pub(super) package: Option<Package>,
    pub(super) size: u64,
}

/// All native files that are asked for, by path. A link to another of them is left out: it is the same library under
/// another name, and two of a kind would be seen where there is one.
pub(super) fn files(installed: &Installed, question: &Question, gaps: &mut Gaps) -> Vec<Chosen> {
    let listed: BTreeMap<&Path, Option<&Package>> = installed
        .native
        .iter()
        .map(|(path, package)| (path.as_path(), package.as_ref()))
        .collect();
    if listed.len() > MAX_FILES {
        let reason = format!(
            "there are {}; the first {MAX_FILES} were read",
            listed.len()
        );
        gaps.add("native files", reason, None);
    }
    let mut targets = HashSet::new();
    let mut chosen = Vec::new();
    for (path, package) in listed.iter().take(MAX_FILES) {
        let link = fs::symlink_metadata(path);
        if link.is_ok_and(|link| link.is_symlink())
            && let Ok(target) = fs::canonicalize(path)
            && (listed.contains_key(target.as_path()) || !targets.insert(target))
        {
            continue;
        }
        if !is_wanted(path, question) {
            continue;
        }
        chosen.push(Chosen {
            path: path.to_path_buf(),
            package: package.cloned(),
            size: fs::metadata(path).map_or(0, |metadata| metadata.len()),
        });
    }
    chosen
}

/// Maps of a process name files without links on the way.
fn is_wanted(path: &Path, question: &Question) -> bool {
    let Some(only) = &question.only else {
        return true;
    };
    let files = &only.files;
    files.contains(path) || fs::canonicalize(path).is_ok_and(|real| files.contains(&real))
}
