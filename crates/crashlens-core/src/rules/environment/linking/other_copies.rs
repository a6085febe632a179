//! Which libraries of the same name, or with the same functions, are other libraries.

use super::libraries;
use crate::survey::{Shadowed, Survey};

/// Libraries that keep to their interface over all versions that are in use, and allocators and checkers that are meant
/// to be preloaded. The versions of GPU libraries are held against each other elsewhere.
const HARMLESS: [&str; 17] = [
    "libgomp",
    "libiomp5",
    "libomp",
    "libstdc++",
    "libgcc_s",
    "libz.",
    "libz-",
    "libgfortran",
    "libquadmath",
    "libtcmalloc",
    "libjemalloc",
    "libmimalloc",
    "libasan",
    "libtsan",
    "libubsan",
    "libc.",
    "libpthread",
];

/// Whether it is another library than the one that was brought: not the same file by another way, and no copy of it.
pub(super) fn is_other(survey: &Survey, shadow: &Shadowed) -> bool {
    let is_harmless = |name: &str| {
        HARMLESS.iter().any(|start| name.starts_with(start)) || libraries::is_optional(name)
    };
    let size = |path: &str| survey.native_file(path).map(|file| file.size);
    let found = size(&shadow.found);
    let is_copy = found.is_some() && found == size(&shadow.bundled);
    !is_harmless(&shadow.name)
        && !is_harmless(file_name(&shadow.found))
        && !is_copy
        && shadow.found != shadow.bundled
}

/// The last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// All but the last part of a path.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether what is found is for something else, and only some of its functions have the same names.
pub(super) fn is_interposed(shadow: &Shadowed) -> bool {
    stem(file_name(&shadow.found)) != stem(&shadow.name)
}

/// `libhdf5` of `libhdf5-13db4ec7.so.310` and of `libhdf5_serial.so.103`.
fn stem(name: &str) -> &str {
    let end = name.find(['-', '_', '.']).unwrap_or(name.len());
    name.get(..end).unwrap_or(name)
}
