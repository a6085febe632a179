//! Whether a file is a module that Python imports, and whether this Python would.

use crashlens_core::survey::{Extension, Interpreter};

/// What the name of a file says, and whether it defines `PyInit_…`.
pub(super) fn of(name: &str, is_module: bool, python: &Interpreter) -> Option<Extension> {
    let stem = name.strip_suffix(".so")?;
    let tag = stem.split_once('.').map_or("", |(_, tag)| tag);
    let is_tag = tag == "abi3"
        || ["cpython-", "pypy", "graalpy"]
            .iter()
            .any(|kind| tag.starts_with(kind));
    // What follows the first stop in `libfoo.1.so` is no tag.
    if !is_tag && (!is_module || !tag.is_empty()) {
        return None;
    }
    Some(Extension {
        tag: tag.to_owned(),
        is_importable: is_importable(tag, python),
    })
}

/// Whether the import system looks for files of that tag. Where the version of Python is not known, it may.
fn is_importable(tag: &str, python: &Interpreter) -> bool {
    let Some(rest) = tag.strip_prefix("cpython-") else {
        return tag.is_empty() || tag == "abi3" || python.version.is_empty();
    };
    let (version, platform) = rest.split_once('-').unwrap_or((rest, ""));
    // Letters stand for ways of building: `37m`, `313t`.
    let digits = version.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    is_version(digits, &python.version) && is_platform(platform, python)
}

fn is_version(digits: &str, version: &str) -> bool {
    let mut parts = version.split('.');
    match (parts.next(), parts.next()) {
        (Some(major), Some(minor)) => digits.strip_prefix(major) == Some(minor),
        _ => true,
    }
}

/// `x86_64-linux-gnu`. Which C library the interpreter has is not asked: no tag of another was ever looked for by it.
fn is_platform(platform: &str, python: &Interpreter) -> bool {
    let Some(machine) = python.architecture.known() else {
        return true;
    };
    let machine = match machine.as_str() {
        "x86-64" => "x86_64",
        "x86" => "i386",
        "ppc64le" => "powerpc64le",
        other => other,
    };
    platform.is_empty() || platform.split('-').next() == Some(machine)
}
