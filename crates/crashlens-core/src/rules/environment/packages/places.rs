//! Where a file is in its package.

use crate::survey::{Distribution, FileList};

/// The path from the folder of packages on: `numpy/core/_multiarray_umath.so`.
pub(super) fn within<'a>(path: &'a str, distribution: &Distribution) -> &'a str {
    let inside = path.strip_prefix(distribution.site());
    let inside = inside.and_then(|inside| inside.strip_prefix('/'));
    inside.unwrap_or(path)
}

/// Whether a file is what an import of the package begins with, and not a file of that name further down.
pub(super) fn is_entry(path: &str, files: &FileList) -> bool {
    files.top.iter().any(|top| {
        let end = format!("/{top}/__init__.py");
        path == &end[1..] || path.ends_with(&format!("-packages{end}"))
    })
}
