//! The interpreter's process as it starts, and what it finds by plain names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crashlens_core::survey::Interpreter;
use crashlens_core::{GapId, Gaps, Observed};

use super::process::Process;
use super::search::{Executable, SearchPaths};
use super::shelf::{Found, Reader, Shelf};
use super::tree::Tree;
use crate::{Question, bounded, elf};

const MOST_PRELOAD_BYTES: u64 = 64 << 10;

/// Why nothing is said of any file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoaderError {
    /// The interpreter's executable cannot be read.
    #[error("the interpreter {path} is no executable that can be read: {reason}")]
    NoExecutable { path: PathBuf, reason: String },
    /// Its loader is not glibc's.
    #[error("{0} is the loader of another C library than glibc, whose rules are not known here")]
    OtherLoader(String),
    /// It is not dynamically linked.
    #[error("the interpreter {0} is linked statically: it opens no libraries")]
    Static(PathBuf),
}

/// The interpreter's process before any file of the environment is opened.
#[derive(Debug)]
pub(super) struct System<'a> {
    pub(super) shelf: Shelf<'a>,
    pub(super) process: Process<'a>,
    pub(super) architecture: String,
}

impl System<'_> {
    pub(super) fn start(
        python: &Interpreter,
        question: &Question,
        read: Reader,
        gaps: &mut Gaps,
    ) -> Result<Self, LoaderError> {
        let tree = Tree::new(&question.root);
        let path = PathBuf::from(if python.real_path.is_empty() {
            &python.path
        } else {
            &python.real_path
        });
        let unusable = |reason: String| LoaderError::NoExecutable {
            path: path.clone(),
            reason,
        };
        let elf = read(&tree.real(&path)).map_err(|error| unusable(error.to_string()))?;
        let Some(interpreter) = elf.interpreter.clone() else {
            return Err(LoaderError::Static(path));
        };
        if !is_glibc(&interpreter) {
            return Err(LoaderError::OtherLoader(interpreter));
        }
        let executable = Executable {
            architecture: &elf.architecture,
            interpreter: Path::new(&interpreter),
            origin: path.parent().unwrap_or(Path::new("/")),
        };
        let paths = SearchPaths::read(&tree, &executable, &question.variables, gaps);
        let preload = preloaded(&tree, &question.variables);
        let shelf = Shelf::new(tree, paths, elf.architecture.clone(), read);
        let library = shelf
            .at(&path)
            .ok_or_else(|| unusable("there is no such file".to_owned()))?
            .map_err(unusable)?;
        let names: Vec<&str> = preload.iter().map(String::as_str).collect();
        let mut process = Process::start(&shelf, Arc::clone(&library), &names);
        // The loader itself is part of every process, whether something needs it or not.
        process.open(&shelf, Path::new(&interpreter), true);
        Ok(Self {
            shelf,
            process,
            architecture: elf.architecture,
        })
    }
}

fn is_glibc(interpreter: &str) -> bool {
    let name = interpreter.rsplit('/').next().unwrap_or_default();
    ["ld-linux", "ld.so", "ld64.so"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// What is preloaded, by the variable and by the system's own list.
fn preloaded(tree: &Tree, variables: &BTreeMap<String, String>) -> Vec<String> {
    let list = tree.real(Path::new("/etc/ld.so.preload"));
    let list = bounded::read_text(&list, MOST_PRELOAD_BYTES).unwrap_or_default();
    let listed = list
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default());
    let variable = variables.get("LD_PRELOAD").map(String::as_str);
    variable
        .into_iter()
        .chain(listed)
        .flat_map(|names| names.split([' ', ':', '\t']))
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Finds libraries that a program opens by their plain names, as TensorFlow does with `libcuda.so.1`.
#[derive(Debug)]
pub(crate) struct Finder<'a> {
    system: Result<System<'a>, GapId>,
}

impl Finder<'_> {
    /// Looks at the interpreter and the system's folders once, for any number of names.
    pub(crate) fn start(python: &Interpreter, question: &Question, gaps: &mut Gaps) -> Self {
        let system = System::start(python, question, elf::read, gaps);
        Self {
            system: system.map_err(|error| gaps.add("what the loader would find", error, None)),
        }
    }

    /// The file that the loader takes for the name; absent where it finds none that can be loaded.
    pub(crate) fn find(&self, name: &str) -> Observed<PathBuf> {
        let system = match &self.system {
            Ok(system) => system,
            Err(gap) => return Observed::Unknown(*gap),
        };
        let loaded = system.process.named(name);
        if let Some(loaded) = loaded.and_then(|index| system.process.loaded.get(index)) {
            return Observed::Known(loaded.library.path.clone());
        }
        let folders = system.process.asking(0);
        match system.shelf.find(name, folders.borrow()) {
            Found::Library(library, _) => Observed::Known(library.path.clone()),
            Found::Broken(..) | Found::Nothing => Observed::Absent,
        }
    }
}
