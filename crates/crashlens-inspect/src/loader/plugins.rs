//! TensorFlow's own libraries, and the files that it loads into them: custom operations and add-ons.

use std::path::{Path, PathBuf};

use super::process::Process;
use super::shelf::Shelf;
use crate::elf::ElfFile;

/// What TensorFlow itself opens when it is imported, and everything hangs on: the first one that is there brings in the
/// rest. Before 2.10 it holds the whole of TensorFlow.
const ENTRY: &str = "python/_pywrap_tensorflow_internal.so";
/// Where that file is missing, these are opened by themselves.
const LIBRARIES: [&str; 2] = ["libtensorflow_framework.so.2", "libtensorflow_cc.so.2"];
/// A TensorFlow that has this file makes all its symbols visible to whatever is loaded later.
const GLOBAL_FLAGS: &str = "python/pywrap_dlopen_global_flags.py";

/// A process in which TensorFlow is loaded.
#[derive(Debug)]
pub(crate) struct WithTensorflow<'a> {
    pub(crate) folder: PathBuf,
    pub(crate) process: Process<'a>,
    /// What was opened, and whether globally.
    pub(crate) opened: Vec<(PathBuf, bool)>,
}

impl<'a> WithTensorflow<'a> {
    /// Loads the TensorFlow of the first folder of packages that has one.
    pub(crate) fn load(shelf: &Shelf<'a>, plain: &Process<'a>, sites: &[String]) -> Option<Self> {
        let folders = sites.iter().map(|site| Path::new(site).join("tensorflow"));
        let folder = folders.into_iter().find(|folder| {
            let mut files = LIBRARIES.iter().chain([&ENTRY]);
            files.any(|name| shelf.tree.identity(&folder.join(name)).is_some())
        })?;
        let globally = shelf.tree.identity(&folder.join(GLOBAL_FLAGS)).is_some();
        let mut process = plain.clone();
        let mut opened = Vec::new();
        for name in [ENTRY].iter().chain(&LIBRARIES) {
            let path = folder.join(name);
            if process.open(shelf, &path, globally).is_some() {
                opened.push((path, globally));
            }
        }
        Some(Self {
            folder,
            process,
            opened,
        })
    }

    /// Whether a file stands outside TensorFlow and is linked to its libraries: then TensorFlow is there before it.
    pub(crate) fn loads(&self, path: &Path, elf: &ElfFile) -> bool {
        let is_library = |name: &String| {
            name.starts_with("libtensorflow_framework.so")
                || name.starts_with("libtensorflow_cc.so")
        };
        self.is_outside(path) && elf.needed.iter().any(is_library)
    }

    /// Whether a file outside TensorFlow needs a symbol that only TensorFlow has.
    pub(crate) fn lends(&self, path: &Path, symbol: &str) -> bool {
        let own = [
            "_ZN10tensorflow",
            "_ZNK10tensorflow",
            "_ZTIN10tensorflow",
            "TF_",
            "TFE_",
        ];
        self.is_outside(path) && own.iter().any(|start| symbol.starts_with(start))
    }

    fn is_outside(&self, path: &Path) -> bool {
        !path.starts_with(&self.folder)
    }
}
