//! Which lines of CUDA's libraries the packages of an environment use.

use std::collections::BTreeMap;

use crate::survey::{NativeFile, Survey};

/// Libraries whose first number says the line.
pub(super) const LIBRARIES: [&str; 3] = ["libcudart.so.", "libcublas.so.", "libcudnn.so."];

/// A file that needs each line of a library that is there. What NVIDIA's own packages need of each other is no use.
pub(super) fn lines<'a>(survey: &'a Survey, library: &str) -> BTreeMap<u64, &'a NativeFile> {
    let mut lines = BTreeMap::new();
    for file in &survey.native {
        let is_nvidias = file.owner().starts_with("nvidia");
        for need in file.needed.iter().filter(|_| !is_nvidias) {
            if let Some(line) = line(need, library).filter(|it| is_there(survey, library, *it)) {
                lines.entry(line).or_insert(file);
            }
        }
    }
    if let Some((line, file)) = tensorflows(survey, library) {
        lines.entry(line).or_insert(file);
    }
    lines
}

/// TensorFlow opens CUDA's libraries by itself, of the line that it was built with.
fn tensorflows<'a>(survey: &'a Survey, library: &str) -> Option<(u64, &'a NativeFile)> {
    let built_with = survey.gpu.built_with.known()?;
    let version = if library == LIBRARIES[2] {
        built_with.cudnn.as_deref()
    } else {
        built_with.cuda.as_deref()
    };
    let line = version?.split('.').next()?.parse().ok()?;
    let mut files = survey.native.iter();
    let file = files.find(|file| file.name().starts_with("libtensorflow_framework"))?;
    is_there(survey, library, line).then_some((line, file))
}

/// `12` of `libcudart.so.12` and `libcudart.so.11.0`.
fn line(name: &str, library: &str) -> Option<u64> {
    let number = name.strip_prefix(library)?.split('.').next()?;
    number.parse().ok()
}

/// Whether the loader could come to a library of that line: where it could not, nothing is loaded.
fn is_there(survey: &Survey, library: &str, wanted: u64) -> bool {
    let of_files = survey
        .native
        .iter()
        .filter_map(|file| file.soname.as_deref());
    let of_gpu = survey
        .gpu
        .libraries
        .iter()
        .filter_map(|it| it.soname.as_deref());
    of_files
        .chain(of_gpu)
        .any(|soname| line(soname, library) == Some(wanted))
}
