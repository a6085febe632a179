//! Which libraries of the same name are other libraries.

use super::super::libraries;
use crate::survey::{Shadowed, Survey};

/// Libraries that keep to their interface over all versions that are in use, and GPU libraries, whose versions are held
/// against each other elsewhere.
const HARMLESS: [&str; 8] = [
    "libgomp",
    "libiomp5",
    "libomp",
    "libstdc++",
    "libgcc_s",
    "libz.",
    "libgfortran",
    "libquadmath",
];

/// Whether it is another library than the one that was brought: not the same file by another way, and no copy of it.
pub(super) fn is_other(survey: &Survey, shadow: &Shadowed) -> bool {
    let is_harmless = HARMLESS.iter().any(|name| shadow.name.starts_with(name))
        || libraries::is_optional(&shadow.name);
    let size = |path: &str| survey.native_file(path).map(|file| file.size);
    let found = size(&shadow.found);
    let is_copy = found.is_some() && found == size(&shadow.bundled);
    !is_harmless && !is_copy && shadow.found != shadow.bundled
}
