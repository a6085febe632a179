//! Everything below a folder of packages, walked once.
//!
//! Reading whole folders and asking for each file in them is several times cheaper than asking for every listed file
//! by its path, and finds the files that nobody lists.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::trouble::Trouble;

/// Several times what large environments have.
const MAX_ENTRIES: usize = 300_000;
/// For a folder that `PYTHONPATH` or a `*.pth` file names, which may be somebody's whole home.
const MAX_ENTRIES_ELSEWHERE: usize = 30_000;
const MAX_DEPTH: usize = 40;

/// What may still be walked, for all folders of packages together.
pub(super) struct Budget {
    entries: usize,
    /// Folders that were walked, by device and number: links may lead round in circles.
    walked: HashSet<(u64, u64)>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            entries: MAX_ENTRIES,
            walked: HashSet::new(),
        }
    }
}

impl Budget {
    fn is_new(&mut self, folder: &Path) -> bool {
        fs::metadata(folder)
            .is_ok_and(|metadata| self.walked.insert((metadata.dev(), metadata.ino())))
    }
}

/// What a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    File {
        size: u64,
        is_link: bool,
        /// Whether there are users who may not read it.
        is_guarded: bool,
    },
    Folder {
        is_link: bool,
    },
    /// A pipe, a device.
    Other,
}

/// Whether something is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    There(Entry),
    Missing,
    /// The way to it is closed to us.
    Forbidden,
    /// Asking for it failed otherwise.
    Unknown,
}

/// Everything below a folder of packages but compiled bytecode.
pub(super) struct Contents {
    root: PathBuf,
    /// By path from the root on.
    entries: HashMap<Vec<u8>, Entry>,
    /// What is directly in it.
    top: BTreeMap<String, Entry>,
    /// Folders that were not walked, or not to the end.
    unwalked: Vec<Vec<u8>>,
    /// Whether no folder in it was walked.
    is_shallow: bool,
}

/// A folder that is still to be walked.
struct Pending {
    relative: Vec<u8>,
    depth: usize,
    is_link: bool,
}

impl Contents {
    /// `is_shallow`: what is in its folders is asked for path by path, which is cheaper for few of them.
    pub(super) fn read(
        folder: &Path,
        is_shallow: bool,
        budget: &mut Budget,
        trouble: &mut Trouble,
    ) -> Self {
        let mut contents = Self {
            root: folder.to_owned(),
            entries: HashMap::new(),
            top: BTreeMap::new(),
            unwalked: Vec::new(),
            is_shallow,
        };
        let is_site = folder.ends_with("site-packages") || folder.ends_with("dist-packages");
        let mut entries = budget.entries;
        if !is_site {
            entries = entries.min(MAX_ENTRIES_ELSEWHERE);
        }
        let before = entries;
        let mut pending = vec![Pending {
            relative: Vec::new(),
            depth: 0,
            is_link: false,
        }];
        while let Some(next) = pending.pop() {
            let path = contents.absolute(&next.relative);
            let is_top = next.depth == 0;
            let is_aside = !is_site && !is_top && contents.is_aside(&next);
            if is_aside || (!budget.is_new(&path) && !is_top) {
                contents.unwalked.push(next.relative);
                continue;
            }
            if let Err(reason) = contents.walk(&path, &next, &mut entries, &mut pending) {
                trouble.with(&path, &reason);
                contents.unwalked.push(next.relative);
            }
            if entries == 0 || is_shallow {
                break;
            }
        }
        contents
            .unwalked
            .extend(pending.into_iter().map(|folder| folder.relative));
        budget.entries -= before - entries;
        contents
    }

    fn absolute(&self, relative: &[u8]) -> PathBuf {
        self.root.join(OsStr::from_bytes(relative))
    }

    /// A source tree holds more than what is imported from it: other environments, version control, builds, data.
    fn is_aside(&self, folder: &Pending) -> bool {
        let name = folder
            .relative
            .rsplit(|byte| *byte == b'/')
            .next()
            .unwrap_or_default();
        let names: [&[u8]; 4] = [
            b"node_modules",
            b"build",
            b"site-packages",
            b"dist-packages",
        ];
        folder.is_link
            || name.starts_with(b".")
            || names.contains(&name)
            || self.absolute(&folder.relative).join("pyvenv.cfg").exists()
    }

    /// Takes in one folder, and puts the folders in it off.
    fn walk(
        &mut self,
        path: &Path,
        folder: &Pending,
        entries: &mut usize,
        pending: &mut Vec<Pending>,
    ) -> Result<(), String> {
        if folder.depth > MAX_DEPTH {
            return Err(format!(
                "there are more than {MAX_DEPTH} folders in each other"
            ));
        }
        for entry in fs::read_dir(path).map_err(|error| error.to_string())? {
            let entry = entry.map_err(|error| error.to_string())?;
            if *entries == 0 {
                return Err("there are more files than are looked at".to_owned());
            }
            *entries -= 1;
            let name = entry.file_name();
            if name == "__pycache__" {
                continue;
            }
            let Some(kind) = Entry::of(&entry) else {
                continue;
            };
            let mut relative = Vec::with_capacity(folder.relative.len() + name.len() + 1);
            relative.extend_from_slice(&folder.relative);
            if !relative.is_empty() {
                relative.push(b'/');
            }
            relative.extend_from_slice(name.as_bytes());
            if let (0, Some(name)) = (folder.depth, name.to_str()) {
                self.top.insert(name.to_owned(), kind);
            }
            if let Entry::Folder { is_link } = kind {
                pending.push(Pending {
                    relative: relative.clone(),
                    depth: folder.depth + 1,
                    is_link,
                });
            }
            self.entries.insert(relative, kind);
        }
        Ok(())
    }

    /// What a path from the folder on is.
    pub(super) fn get(&self, relative: &[u8]) -> Presence {
        if self.is_shallow && relative.contains(&b'/') {
            return Presence::at(&self.absolute(relative));
        }
        if let Some(entry) = self.entries.get(relative) {
            return Presence::There(*entry);
        }
        let is_below = |folder: &Vec<u8>| {
            let rest = relative.strip_prefix(folder.as_slice());
            folder.is_empty() || rest.is_some_and(|rest| rest.starts_with(b"/"))
        };
        if self.unwalked.iter().any(is_below) {
            return Presence::at(&self.absolute(relative));
        }
        Presence::Missing
    }

    /// Every entry with its path from the folder on, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], Entry)> {
        let entries = self.entries.iter();
        entries.map(|(path, entry)| (path.as_slice(), *entry))
    }

    /// What is directly in the folder, by name.
    pub(super) fn top(&self) -> impl Iterator<Item = (&str, Entry)> {
        self.top.iter().map(|(name, entry)| (name.as_str(), *entry))
    }
}

impl Entry {
    /// Asked of the folder it is in, which spares the kernel the way from the root. `None` for a link to nowhere.
    fn of(entry: &DirEntry) -> Option<Self> {
        let kind = entry.file_type().ok()?;
        if kind.is_dir() {
            return Some(Self::Folder { is_link: false });
        }
        if kind.is_file() {
            return Some(Self::behind(&entry.metadata().ok()?, false));
        }
        if !kind.is_symlink() {
            return Some(Self::Other);
        }
        let metadata = fs::metadata(entry.path()).ok()?;
        Some(Self::behind(&metadata, true))
    }

    /// What is at a path; `None` where there is nothing.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let own = fs::symlink_metadata(path).ok()?;
        if !own.is_symlink() {
            return Some(Self::behind(&own, false));
        }
        Some(Self::behind(&fs::metadata(path).ok()?, true))
    }

    fn behind(metadata: &fs::Metadata, is_link: bool) -> Self {
        if metadata.is_dir() {
            Self::Folder { is_link }
        } else if metadata.is_file() {
            Self::File {
                size: metadata.len(),
                is_link,
                is_guarded: metadata.mode() & 0o444 != 0o444,
            }
        } else {
            Self::Other
        }
    }
}

impl Presence {
    /// What is at a path, links followed.
    pub(super) fn at(path: &Path) -> Self {
        match fs::metadata(path) {
            Ok(metadata) => Self::There(Entry::behind(&metadata, false)),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
                io::ErrorKind::PermissionDenied => Self::Forbidden,
                _ => Self::Unknown,
            },
        }
    }
}
