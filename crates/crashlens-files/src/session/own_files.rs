//! What this command writes itself: a manifest or a report below the folder that is checked is none of its files.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::names::path_of;
use crate::stores::is_object;

/// The files that the command writes, and the folder that it moves files to.
pub(super) struct OwnFiles {
    files: Vec<PathBuf>,
    folder: Option<PathBuf>,
}

impl OwnFiles {
    /// `files` are written, `folder` is where bad files are moved to, `paths` are checked.
    pub(super) fn new(files: &[&Path], folder: Option<&Path>, paths: &[String]) -> Self {
        // What was moved away earlier is left alone, unless it is asked for.
        let folder = folder.and_then(|folder| folder.canonicalize().ok());
        let is_asked = |folder: &PathBuf| {
            let mut asked = paths.iter().map(|path| path_of(path).canonicalize());
            asked.any(|path| path.is_ok_and(|path| path.starts_with(folder)))
        };
        Self {
            files: files.iter().filter_map(|path| whole(path)).collect(),
            folder: folder.filter(|folder| !is_asked(folder)),
        }
    }

    pub(super) fn contains(&self, path: &str) -> bool {
        if is_object(path) {
            return false;
        }
        let path = path_of(path);
        // Where a path really leads is asked of the disk only where the names agree: there may be a million.
        let is_file = |own: &PathBuf| {
            own.file_name() == path.file_name() && whole(&path).as_ref() == Some(own)
        };
        let has_name = |name: &OsStr| path.iter().any(|part| part == name);
        let is_below = |folder: &PathBuf| {
            folder.file_name().is_some_and(has_name)
                && whole(&path).is_some_and(|path| path.starts_with(folder))
        };
        self.files.iter().any(is_file) || self.folder.as_ref().is_some_and(is_below)
    }
}

/// From the root on, whether the file is there already or not.
fn whole(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    Some(folder.canonicalize().ok()?.join(path.file_name()?))
}
