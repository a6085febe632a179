//! What other libraries export that a TensorFlow which loads itself with `RTLD_GLOBAL` exports too.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use crashlens_core::Observed;
use crashlens_core::survey::TensorflowTraits;

use super::Reading;
use crate::cache::ElfCache;
use crate::elf::{ElfFile, Exports};
use crate::site::Installed;

/// The libraries that TensorFlow puts into the scope of the whole process.
const GLOBAL: [&str; 2] = ["libtensorflow_framework.so", "libtensorflow_cc.so"];

/// For each file the names that it shares with TensorFlow's own libraries, counted by namespace; empty for TensorFlow's
/// own files and wherever TensorFlow keeps its symbols to itself.
pub(super) fn with_tensorflow(
    readings: &[Reading],
    installed: &Installed,
    tensorflow: &Observed<TensorflowTraits>,
    cache: &ElfCache,
) -> Vec<BTreeMap<String, u64>> {
    let traits = tensorflow.known().filter(|traits| traits.loads_globally);
    let Some(folder) = traits.map(|traits| Path::new(&traits.folder)) else {
        return readings.iter().map(|_| BTreeMap::new()).collect();
    };
    let libraries = libraries(readings, installed, folder, cache);
    let exposed: Vec<&Exports> = libraries.iter().map(|library| &library.exported).collect();
    let shared = |reading: &Reading| match &reading.elf {
        Ok(elf) if !reading.file.path.starts_with(folder) => elf.exported.shared_with(&exposed),
        _ => BTreeMap::new(),
    };
    readings.iter().map(shared).collect()
}

/// When only some files were asked for, TensorFlow's own are read besides.
fn libraries<'a>(
    readings: &'a [Reading],
    installed: &Installed,
    folder: &Path,
    cache: &ElfCache,
) -> Vec<Cow<'a, ElfFile>> {
    let paths = installed.native.iter().map(|(path, _)| path);
    // `libtensorflow_cc.so` is a link to `libtensorflow_cc.so.2`.
    let exposed =
        paths.filter(|path| path.parent() == Some(folder) && is_global(path) && !path.is_symlink());
    exposed
        .filter_map(|path| {
            let read = readings.iter().find(|reading| reading.file.path == *path);
            match read {
                Some(reading) => reading.elf.as_ref().ok().map(Cow::Borrowed),
                None => cache.read(path, false).ok().map(Cow::Owned),
            }
        })
        .collect()
}

fn is_global(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| GLOBAL.iter().any(|library| name.starts_with(library)))
}
