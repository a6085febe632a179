//! The file system below a root, and files told from each other as the kernel does.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// Device and inode: what the loader holds two names of one file against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occupant {
    File(Identity),
    Folder,
}

/// A file system: `/`, or a folder that a test takes for it.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    root: PathBuf,
}

impl Tree {
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    /// Where a path of this tree really is. A path that has the root in front of it already stays as it is.
    pub(crate) fn real(&self, path: &Path) -> PathBuf {
        match path.strip_prefix("/") {
            Ok(relative) if !path.starts_with(&self.root) => self.root.join(relative),
            _ => path.to_owned(),
        }
    }

    /// Which file is at a path, links followed; none where there is no plain file.
    pub(crate) fn identity(&self, path: &Path) -> Option<Identity> {
        match self.occupant(path)? {
            Occupant::File(identity) => Some(identity),
            Occupant::Folder => None,
        }
    }

    /// The file or folder at a path, links followed.
    pub(crate) fn occupant(&self, path: &Path) -> Option<Occupant> {
        let metadata = fs::metadata(self.real(path)).ok()?;
        if metadata.is_dir() {
            return Some(Occupant::Folder);
        }
        metadata.is_file().then(|| {
            Occupant::File(Identity {
                device: metadata.dev(),
                inode: metadata.ino(),
            })
        })
    }
}

/// The path without `.` and `..`, as text: `a/../b` is `b` whatever `a` is. The loader does not do this when it opens a
/// file; it is for showing paths.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts
}
