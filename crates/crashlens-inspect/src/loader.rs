//! What the dynamic loader would do: where it finds libraries, and which symbols it finds nowhere.
//!
//! A model of glibc's `ld.so` in the process that opens a file with all symbols bound at once (`RTLD_NOW`), as Python
//! and TensorFlow do: what is loaded under which name ([`process`]), where a library is searched ([`search`]), which
//! symbols are defined ([`binding`]). Nothing is mapped or run. Other C libraries have other rules; for them nothing is
//! said.
//!
//! Not the `lddtree` or `ld-so-cache` crate: they know neither symbol versions nor the order of what is loaded already.

mod binding;
pub(crate) mod cache;
mod environment;
mod opening;
mod plugins;
mod process;
mod search;
mod shadowing;
mod shelf;
mod system;
#[cfg(test)]
mod tests;
mod tree;

use std::path::{Path, PathBuf};

use crashlens_core::survey::{Distribution, Interpreter, Link};
use crashlens_core::{Gaps, Observed, Package};

use crate::Question;
use crate::elf::ElfFile;
use environment::Environment;
use opening::Opener;
use shelf::Reader;
use system::System;

pub(crate) use system::Finder;

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
    /// Its native files that were read: the libraries among them that others need may be in the process already.
    pub(crate) files: &'a [LinkFile<'a>],
    /// All its native files, also those that were not read.
    pub(crate) native: &'a [(PathBuf, Option<Package>)],
    pub(crate) distributions: &'a [Distribution],
    pub(crate) question: &'a Question,
    /// How files are read that were not: [`crate::elf::read`].
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
        environment: Environment::new(environment, &shelf.tree),
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
            Err(unsure) => Observed::Unknown(gaps.add(unsure.part, unsure.reason, None)),
        })
        .collect()
}
