//! Folders of packages: what is installed in them, and whether it is whole.

use std::collections::HashMap;
use std::path::PathBuf;

use crashlens_core::survey::{Distribution, Interpreter};
use crashlens_core::{Gaps, Package};

use crate::Question;

/// What the folders of packages hold.
#[derive(Debug, Default)]
pub(crate) struct Installed {
    /// Every distribution, by name.
    pub(crate) distributions: Vec<Distribution>,
    /// Every file that is or claims to be native (`*.so`, `*.so.*`, `*.pyd`), by path, with the distribution that lists it.
    pub(crate) native: Vec<(PathBuf, Option<Package>)>,
    /// Every listed file of distributions that are TensorFlow, by path relative to its folder of packages.
    pub(crate) folders: HashMap<String, PathBuf>,
}

/// Reads all folders of packages of the interpreter.
pub(crate) fn read(_python: &Interpreter, _question: &Question, _gaps: &mut Gaps) -> Installed {
    Installed::default()
}
