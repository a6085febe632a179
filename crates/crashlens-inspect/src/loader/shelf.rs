//! Libraries, each read once however many files need it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::search::{Asking, SearchPaths, Step};
use super::tree::{Identity, Occupant, Tree};
use crate::elf::{ElfError, ElfFile};

/// A library under the path by which the loader came to it: `$ORIGIN` is the folder of that path, links and all.
#[derive(Debug)]
pub(crate) struct Library<'a> {
    pub(crate) path: PathBuf,
    pub(crate) identity: Identity,
    pub(crate) elf: Arc<Cow<'a, ElfFile>>,
    /// Folders of its `DT_RPATH` that are there; none where it has a `DT_RUNPATH`, which makes the loader ignore the other.
    pub(crate) rpath: Vec<PathBuf>,
    /// Folders of its `DT_RUNPATH` that are there.
    pub(crate) runpath: Vec<PathBuf>,
}

/// What a search ends with.
#[derive(Debug)]
pub(crate) enum Found<'a> {
    /// A library, and the step that led to it; none where the name was a path.
    Library(Arc<Library<'a>>, Option<Step>),
    /// A file that is no library: the loader gives up at it, and does not search on.
    Broken(PathBuf, String),
    /// Nothing.
    Nothing,
}

type Read<'a> = Result<Arc<Cow<'a, ElfFile>>, String>;

/// How a file is read.
pub(crate) type Reader = fn(&Path) -> Result<ElfFile, ElfError>;

/// All libraries that were read so far.
#[derive(Debug)]
pub(crate) struct Shelf<'a> {
    pub(crate) tree: Tree,
    pub(crate) paths: SearchPaths,
    architecture: String,
    read: Reader,
    contents: Mutex<HashMap<Identity, Read<'a>>>,
    /// What is at each path that was tried; nothing at most of them.
    tried: Mutex<HashMap<PathBuf, At<'a>>>,
    /// Whether folders of search paths are there.
    is_folder: Mutex<HashMap<PathBuf, bool>>,
}

/// What is at a path; `None` where there is nothing.
type At<'a> = Option<Result<Arc<Library<'a>>, String>>;

impl<'a> Shelf<'a> {
    pub(crate) fn new(tree: Tree, paths: SearchPaths, architecture: String, read: Reader) -> Self {
        Self {
            tree,
            paths,
            architecture,
            read,
            contents: Mutex::default(),
            tried: Mutex::default(),
            is_folder: Mutex::default(),
        }
    }

    /// Puts a file there that somebody has read already.
    pub(crate) fn lend(&self, path: &Path, elf: &'a ElfFile) {
        if let Some(identity) = self.tree.identity(path) {
            let content = Ok(Arc::new(Cow::Borrowed(elf)));
            lock(&self.contents).insert(identity, content);
        }
    }

    /// The library at a path; `None` where there is nothing.
    pub(crate) fn at(&self, path: &Path) -> At<'a> {
        if let Some(known) = lock(&self.tried).get(path) {
            return known.clone();
        }
        let found = self.look_at(path);
        lock(&self.tried).insert(path.to_owned(), found.clone());
        found
    }

    fn look_at(&self, path: &Path) -> At<'a> {
        let identity = match self.tree.occupant(path)? {
            Occupant::File(identity) => identity,
            // The loader does not search on either: "cannot read file data: Is a directory".
            Occupant::Folder => return Some(Err("it is a folder".to_owned())),
        };
        let elf = match self.content(identity, path) {
            Ok(elf) => elf,
            Err(reason) => return Some(Err(reason)),
        };
        let origin = path.parent().unwrap_or(Path::new("/"));
        let runpath = self.folders(&elf.runpath, origin);
        let rpath = if elf.runpath.is_empty() {
            self.folders(&elf.rpath, origin)
        } else {
            Vec::new()
        };
        Some(Ok(Arc::new(Library {
            path: path.to_owned(),
            identity,
            elf,
            rpath,
            runpath,
        })))
    }

    /// The folders of a search path that are there, as the loader remembers them too: most of those that TensorFlow's files
    /// name were on the machine that built it.
    fn folders(&self, entries: &[String], origin: &Path) -> Vec<PathBuf> {
        let mut folders = self.paths.folders(entries, origin);
        folders.retain(|folder| {
            if let Some(known) = lock(&self.is_folder).get(folder) {
                return *known;
            }
            let is_there = self.tree.occupant(folder) == Some(Occupant::Folder);
            lock(&self.is_folder).insert(folder.clone(), is_there);
            is_there
        });
        folders
    }

    /// Searches for a library as the loader does for a file that needs it.
    pub(crate) fn find(&self, name: &str, asking: Asking<'_>) -> Found<'a> {
        self.find_beyond(name, asking, None)
    }

    /// The same, with one step of the search left out.
    pub(crate) fn find_beyond(
        &self,
        name: &str,
        asking: Asking<'_>,
        without: Option<Step>,
    ) -> Found<'a> {
        if name.contains('/') {
            return self
                .stop_at(Path::new(name), None)
                .unwrap_or(Found::Nothing);
        }
        self.paths
            .candidates(name, asking)
            .filter(|(_, step)| Some(*step) != without)
            .find_map(|(path, step)| self.stop_at(&path, Some(step)))
            .unwrap_or(Found::Nothing)
    }

    /// What the loader makes of a candidate; `None` where it goes on: no file, or one of another architecture.
    fn stop_at(&self, path: &Path, step: Option<Step>) -> Option<Found<'a>> {
        match self.at(path)? {
            Ok(library) if library.elf.architecture == self.architecture => {
                Some(Found::Library(library, step))
            }
            Ok(_) => None,
            Err(reason) => Some(Found::Broken(path.to_owned(), reason)),
        }
    }

    fn content(&self, identity: Identity, path: &Path) -> Read<'a> {
        if let Some(known) = lock(&self.contents).get(&identity) {
            return known.clone();
        }
        // Read without the lock: others may go on meanwhile, and reading twice is no harm.
        let read = (self.read)(&self.tree.real(path))
            .map(|elf| Arc::new(Cow::Owned(elf)))
            .map_err(|error| error.to_string());
        lock(&self.contents).insert(identity, read.clone());
        read
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Nothing is left half done while the lock is held.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
