//! The files in which a distribution tells about itself: its name, what it requires, and what it installed.
//!
//! Parsers of text only; which distributions there are, and whether their files are whole, is `site`'s question.

mod listing;
mod metadata;

use std::path::Path;

use crate::bounded;

pub use crashlens_core::survey::normal_name;
pub use listing::{Listed, Listing};
pub use metadata::Metadata;
pub(crate) use metadata::{printable, printable_path};

/// For `top_level.txt`: names of modules, one a line.
const MAX_MODULES_BYTES: u64 = 16 << 10;

/// Name and version in the name of a `*.dist-info`, `*.egg-info` or `*.egg`: `PyYAML-6.0`, `crcmod-1.7-py3.11`, and in
/// development installs `mypackage`.
pub fn name_and_version(file_name: &str) -> Option<(&str, Option<&str>)> {
    let stem = [".dist-info", ".egg-info", ".egg"]
        .iter()
        .find_map(|suffix| file_name.strip_suffix(suffix))?;
    let mut parts = stem.split('-');
    let name = parts.next().filter(|name| !name.is_empty())?;
    Some((name, parts.next().filter(|version| !version.is_empty())))
}

/// What a top entry of a folder of packages is imported as: `numpy.libs` (libraries that auditwheel moved beside the
/// package) is `numpy`, `_x.cpython-311-x86_64-linux-gnu.so` is `_x`.
pub fn module_name(top: &str) -> &str {
    top.split('.')
        .next()
        .filter(|stem| !stem.is_empty())
        .unwrap_or(top)
}

/// Whether a distribution without a list of files can own what lies under `top`, an entry of its folder of packages.
/// `name` is its name in normal form.
pub fn claims(metadata: &Path, name: &str, top: &str) -> bool {
    let module = module_name(top);
    match bounded::read_text(&metadata.join("top_level.txt"), MAX_MODULES_BYTES) {
        Ok(modules) => modules.lines().any(|line| line.trim() == module),
        Err(_) => normal_name(module) == name,
    }
}

#[cfg(test)]
mod tests;
