//! The process that opens files: what is loaded in it, under which names, and who is bound to what.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::search::{Asking, Step};
use super::shelf::{Found, Library, Shelf};
use super::tree::Identity;

/// Libraries in one process beyond this are not followed. The largest environments load a few hundred.
const MOST_LOADED: usize = 4096;

/// A library in the process.
#[derive(Debug, Clone)]
pub(crate) struct Loaded<'a> {
    pub(crate) library: Arc<Library<'a>>,
    /// Who needed it first; the folders of its `DT_RPATH` are searched for this one's libraries too.
    brought_by: Option<usize>,
    /// What it needs, as far as it was found.
    pub(crate) needs: Vec<usize>,
    /// Whether everything in the process is bound to it.
    pub(crate) is_global: bool,
    /// Whether `LD_PRELOAD` named it.
    pub(crate) is_preloaded: bool,
}

/// A name that a file needs, and what became of it.
#[derive(Debug, Clone)]
pub(crate) struct Need {
    pub(crate) name: String,
    /// The file that needs it.
    pub(crate) by: usize,
    pub(crate) outcome: Outcome,
}

/// What became of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A library; the step is missing where it was there before.
    Loaded(usize, Option<Step>),
    /// A file that is no library.
    Broken(PathBuf, String),
    /// Nothing was found.
    Missing,
}

/// What one opening has brought in.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The file that was opened.
    pub(crate) root: usize,
    /// Everything from here on in [`Process::loaded`] up to `end` was loaded by it, and must be bound now.
    pub(crate) first: usize,
    pub(crate) end: usize,
    /// Every need of those.
    pub(crate) needs: Vec<Need>,
}

/// A process, as far as the loader knows it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Process<'a> {
    pub(crate) loaded: Vec<Loaded<'a>>,
    names: HashMap<String, usize>,
    files: HashMap<Identity, usize>,
}

impl<'a> Process<'a> {
    /// A process that has just started: the executable, what is preloaded, and what they need, all global.
    pub(crate) fn start(
        libraries: &Shelf<'a>,
        executable: Arc<Library<'a>>,
        preload: &[&str],
    ) -> Self {
        let mut process = Self::default();
        process.add(executable, None);
        for name in preload {
            // What cannot be preloaded is ignored, with a message on standard error.
            if let Found::Library(library, _) = libraries.find(name, process.asking(0).borrow()) {
                let index = process.add(library, Some(0));
                process.name(name, index);
                process.mark_preloaded(index);
            }
        }
        process.load_needs(libraries, 0);
        for loaded in &mut process.loaded {
            loaded.is_global = true;
        }
        process
    }

    /// Opens a file with everything it needs; `None` where there is nothing to open.
    pub(crate) fn open(
        &mut self,
        libraries: &Shelf<'a>,
        path: &Path,
        globally: bool,
    ) -> Option<Opened> {
        let library = libraries.at(path)?.ok()?;
        let first = self.loaded.len();
        let root = self.add(library, Some(0));
        let needs = if root < first {
            Vec::new()
        } else {
            self.load_needs(libraries, first)
        };
        if globally {
            for index in self.closure(root) {
                if let Some(loaded) = self.loaded.get_mut(index) {
                    loaded.is_global = true;
                }
            }
        }
        Some(Opened {
            root,
            first,
            end: self.loaded.len(),
            needs,
        })
    }

    /// A loaded library by a name that it answers to.
    pub(crate) fn named(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// A file and everything it needs, directly or not, breadth first.
    pub(crate) fn closure(&self, root: usize) -> Vec<usize> {
        let mut seen = vec![false; self.loaded.len()];
        let mut order = vec![root];
        let mut next = 0;
        if let Some(first) = seen.get_mut(root) {
            *first = true;
        }
        while let Some(loaded) = order.get(next).and_then(|index| self.loaded.get(*index)) {
            for need in &loaded.needs {
                if let Some(known @ false) = seen.get_mut(*need) {
                    *known = true;
                    order.push(*need);
                }
            }
            next += 1;
        }
        order
    }

    /// Everything that is global.
    pub(crate) fn globals(&self) -> impl Iterator<Item = &Loaded<'a>> {
        self.loaded.iter().filter(|loaded| loaded.is_global)
    }

    /// Where the loader would look for what this library needs.
    pub(crate) fn asking(&self, index: usize) -> Folders {
        let Some(loaded) = self.loaded.get(index) else {
            return Folders::default();
        };
        let mut folders = Folders {
            rpath: Vec::new(),
            runpath: loaded.library.runpath.clone(),
        };
        if !loaded.library.elf.runpath.is_empty() {
            return folders;
        }
        let mut at = Some(index);
        let mut saw_executable = false;
        for _ in 0..MOST_LOADED {
            let Some(link) = at.and_then(|index| self.loaded.get(index)) else {
                break;
            };
            saw_executable |= at == Some(0);
            folders.rpath.extend_from_slice(&link.library.rpath);
            at = link.brought_by;
        }
        if !saw_executable && let Some(executable) = self.loaded.first() {
            folders.rpath.extend_from_slice(&executable.library.rpath);
        }
        folders
    }

    /// Loads what all libraries from `first` on need, breadth first; new ones are appended and come up in turn.
    fn load_needs(&mut self, libraries: &Shelf<'a>, first: usize) -> Vec<Need> {
        let mut needs = Vec::new();
        let mut by = first;
        while let Some(loaded) = self.loaded.get(by) {
            let elf = Arc::clone(&loaded.library.elf);
            let folders = self.asking(by);
            for name in &elf.needed {
                let outcome = self.load(libraries, name, by, &folders);
                if let Outcome::Loaded(index, _) = outcome
                    && let Some(loaded) = self.loaded.get_mut(by)
                {
                    loaded.needs.push(index);
                }
                needs.push(Need {
                    name: name.clone(),
                    by,
                    outcome,
                });
            }
            by += 1;
        }
        needs
    }

    fn load(&mut self, libraries: &Shelf<'a>, name: &str, by: usize, folders: &Folders) -> Outcome {
        if let Some(index) = self.named(name) {
            return Outcome::Loaded(index, None);
        }
        if self.loaded.len() >= MOST_LOADED {
            return Outcome::Missing;
        }
        match libraries.find(name, folders.borrow()) {
            Found::Library(library, step) => {
                let index = self.add(library, Some(by));
                self.name(name, index);
                Outcome::Loaded(index, step)
            }
            Found::Broken(path, reason) => Outcome::Broken(path, reason),
            Found::Nothing => Outcome::Missing,
        }
    }

    /// Adds a library unless the same file is there, and gives its place.
    fn add(&mut self, library: Arc<Library<'a>>, brought_by: Option<usize>) -> usize {
        if let Some(index) = self.files.get(&library.identity) {
            return *index;
        }
        let index = self.loaded.len();
        self.files.insert(library.identity, index);
        self.name(&library.path.to_string_lossy(), index);
        if let Some(soname) = &library.elf.soname {
            self.name(soname, index);
        }
        self.loaded.push(Loaded {
            library,
            brought_by,
            needs: Vec::new(),
            is_global: false,
            is_preloaded: false,
        });
        index
    }

    /// The first library of a name keeps it.
    fn name(&mut self, name: &str, index: usize) {
        self.names.entry(name.to_owned()).or_insert(index);
    }

    fn mark_preloaded(&mut self, index: usize) {
        if let Some(loaded) = self.loaded.get_mut(index) {
            loaded.is_preloaded = true;
        }
    }
}

/// Folders that are searched for one library's needs.
#[derive(Debug, Default)]
pub(crate) struct Folders {
    rpath: Vec<PathBuf>,
    runpath: Vec<PathBuf>,
}

impl Folders {
    pub(crate) fn borrow(&self) -> Asking<'_> {
        Asking {
            rpath: &self.rpath,
            runpath: &self.runpath,
        }
    }
}
