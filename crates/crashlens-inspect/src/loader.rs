//! What the dynamic loader would do: where it finds libraries, and which symbols it finds nowhere.
//!
//! A model of glibc's `ld.so` in the process that opens a file with all symbols bound at once (`RTLD_NOW`), as Python
//! and TensorFlow do: what is loaded under which name ([`process`]), where a library is searched ([`search`]), which
//! symbols are defined ([`binding`]). Nothing is mapped or run. Other C libraries have other rules; for them nothing is
//! said.

mod binding;
pub(crate) mod cache;
mod environment;
mod opening;
mod plugins;
mod process;
mod search;
mod shadowing;
mod shelf;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crashlens_core::survey::{Distribution, Interpreter, Link};
use crashlens_core::{Gaps, Observed, Package};

use crate::elf::{self, ElfFile};
use crate::{Question, bounded};
use environment::Environment;
use opening::Opener;
use process::Process;
use search::{Executable, SearchPaths};
use shelf::{Found, Reader, Shelf};
use tree::Tree;

const MOST_PRELOAD_BYTES: u64 = 64 << 10;

/// A native file of the environment that was read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinkFile<'a> {
    pub(crate) path: &'a Path,
    /// The distribution that lists it.
    pub(crate) package: Option<&'a Package>,
    pub(crate) elf: &'a ElfFile,
}

/// What is known of the environment that files are opened in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinkEnvironment<'a> {
    /// The interpreter that opens them.
    pub(crate) python: &'a Interpreter,
    /// Its native files: the libraries among them that others need may be in the process already.
    pub(crate) files: &'a [LinkFile<'a>],
    pub(crate) distributions: &'a [Distribution],
    pub(crate) question: &'a Question,
    /// How files outside the environment are read: [`elf::read`].
    pub(crate) read: Reader,
}

/// What the loader would say of each file. Absent for a file that it would not take for a library of this machine;
/// unknown where the loader is none that is known, or a library that is needed is cut short.
pub(crate) fn link_all(
    wanted: &[LinkFile<'_>],
    environment: &LinkEnvironment<'_>,
    gaps: &mut Gaps,
) -> Vec<Observed<Link>> {
    let system = match System::start(
        environment.python,
        environment.question,
        environment.read,
        gaps,
    ) {
        Ok(system) => system,
        Err(error) => {
            let gap = gaps.add("what the loader would do", error, None);
            return wanted.iter().map(|_| Observed::Unknown(gap)).collect();
        }
    };
    let System {
        shelf,
        process,
        architecture,
    } = system;
    for file in environment.files.iter().chain(wanted) {
        shelf.lend(file.path, file.elf);
    }
    let tensorflow = plugins::WithTensorflow::load(&shelf, &process, &environment.python.sites);
    let opener = Opener {
        environment: Environment::new(environment.files, environment.distributions, &shelf.tree),
        shelf,
        process,
        tensorflow,
        binder: binding::Binder::default(),
    };
    let link = |file: &LinkFile<'_>| {
        if file.elf.architecture != architecture || !file.elf.is_shared {
            return Ok(None);
        }
        opener.link(file).map(Some)
    };
    let links: Vec<_> = wanted.iter().map(link).collect();
    links
        .into_iter()
        .map(|link| match link {
            Ok(Some(link)) => Observed::Known(link),
            Ok(None) => Observed::Absent,
            Err(unsure) => Observed::Unknown(gaps.add(
                format!("what the loader would say of {}", unsure.file.display()),
                unsure.reason,
                None,
            )),
        })
        .collect()
}

/// The file that the loader finds for a library that a program opens by its plain name, as TensorFlow does with
/// `libcuda.so.1`.
pub(crate) fn find_library(
    name: &str,
    python: &Interpreter,
    question: &Question,
    gaps: &mut Gaps,
) -> Result<Option<PathBuf>, LoaderError> {
    let system = System::start(python, question, elf::read, gaps)?;
    let loaded = system.process.named(name);
    if let Some(loaded) = loaded.and_then(|index| system.process.loaded.get(index)) {
        return Ok(Some(loaded.library.path.clone()));
    }
    let folders = system.process.asking(0);
    Ok(match system.shelf.find(name, folders.borrow()) {
        Found::Library(library, _) => Some(library.path.clone()),
        Found::Broken(..) | Found::Nothing => None,
    })
}

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

/// The interpreter's process as it starts, before any file of the environment is opened.
struct System<'a> {
    shelf: Shelf<'a>,
    process: Process<'a>,
    architecture: String,
}

impl System<'_> {
    fn start(
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
