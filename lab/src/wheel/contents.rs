//! What is in the wheel, whether its list of files is right, and what its program asks of a system.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::Subject;
use super::home::{Home, files};
use super::page::Row;
use crate::workspace;

/// Maximum size of the wheel, in bytes.
const MAX_SIZE: u64 = 8_000_000;
/// Maximum version of glibc that its program needs: that of manylinux2014.
const MAX_GLIBC: (u32, u32) = (2, 17);
/// The C library, in the parts that it had before glibc 2.34.
const LIBRARIES: [&str; 5] = [
    "libc.so.6",
    "libm.so.6",
    "libpthread.so.0",
    "libdl.so.2",
    "ld-linux-x86-64.so.2",
];

pub fn check(subject: &Subject) -> Result<Vec<Row>> {
    let size = fs_err::metadata(&subject.wheel)?.len();
    ensure!(size <= MAX_SIZE, "the wheel has {size} bytes");
    let home = Home::new()?;
    // It compares every file with RECORD.
    let folder = home.path("wheel");
    home.succeed(
        &format!(
            "wheel unpack --dest {} {}",
            folder.display(),
            subject.wheel.display()
        ),
        &[&subject.tools],
    )?;
    let name = format!("crashlens-{}", env!("CARGO_PKG_VERSION"));
    let folder = folder.join(&name);
    let (found, wanted) = (files(&folder)?, wanted(&name)?);
    ensure!(
        found == wanted,
        "only in the wheel: {:?}\nmissing: {:?}",
        found.difference(&wanted).collect::<Vec<_>>(),
        wanted.difference(&found).collect::<Vec<_>>()
    );
    let program = folder.join(format!("{name}.data/scripts/crashlens"));
    needs_little(&program)?;
    let bytes = fs_err::read(&program)?;
    ensure_anonymous(&bytes)?;
    types(subject, &home)?;
    Ok(vec![Row(format!(
        "| the wheel | {:.1} MB, {} files; its program is {:.1} MB |",
        size as f64 / 1e6,
        found.len(),
        bytes.len() as f64 / 1e6
    ))])
}

/// The files that belong into a wheel of this name and version.
fn wanted(name: &str) -> Result<BTreeSet<PathBuf>> {
    let mut wanted: BTreeSet<PathBuf> = [
        "METADATA",
        "WHEEL",
        "RECORD",
        "licenses/LICENSE-APACHE",
        "licenses/LICENSE-MIT",
    ]
    .map(|file| Path::new(&format!("{name}.dist-info")).join(file))
    .into();
    let data = PathBuf::from(format!("{name}.data"));
    wanted.insert(data.join("scripts/crashlens"));
    for path in workspace::tracked_files()? {
        let Ok(path) = path.strip_prefix("python") else {
            continue;
        };
        if let Ok(path) = path.strip_prefix("crashlens.data") {
            wanted.insert(data.join(path));
        } else if path != Path::new("README.md") {
            wanted.insert(path.to_path_buf());
        }
    }
    Ok(wanted)
}

/// Nothing but the C library, and no newer one than that of manylinux2014.
fn needs_little(program: &Path) -> Result<()> {
    let file = crashlens_inspect::elf::read(program)?;
    let is_allowed = |name: &str| LIBRARIES.contains(&name);
    let others: Vec<_> = file
        .needed
        .iter()
        .filter(|name| !is_allowed(name))
        .collect();
    ensure!(others.is_empty(), "the program needs {others:?}");
    for need in &file.version_needs {
        let version = glibc(&need.version)
            .with_context(|| format!("the program needs {} of {}", need.version, need.library))?;
        ensure!(
            version <= MAX_GLIBC,
            "the program needs {} of {}",
            need.version,
            need.library
        );
    }
    ensure!(
        !file.version_needs.is_empty(),
        "the program's needs could not be read"
    );
    Ok(())
}

/// `GLIBC_2.3.4`: (2, 3).
fn glibc(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.strip_prefix("GLIBC_")?.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// No path of the machine that built it.
fn ensure_anonymous(program: &[u8]) -> Result<()> {
    let home = std::env::var("HOME").context("HOME is not set")?;
    for folder in [
        workspace::root().join("crates"),
        Path::new(&home).join(".cargo"),
    ] {
        let folder = folder.display().to_string();
        let is_there = program
            .windows(folder.len())
            .any(|window| window == folder.as_bytes());
        ensure!(!is_there, "the program has the path {folder}");
    }
    Ok(())
}

/// The package keeps its own promises: it has a `py.typed`.
fn types(subject: &Subject, home: &Home) -> Result<()> {
    let cache = home.path("mypy").display().to_string();
    home.succeed(
        &format!("mypy --strict --cache-dir {cache} python/crashlens"),
        &[&subject.tools],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_glibc_are_compared_as_numbers() {
        assert_eq!(glibc("GLIBC_2.3.4"), Some((2, 3)));
        assert!(glibc("GLIBC_2.17").is_some_and(|version| version <= MAX_GLIBC));
        assert!(glibc("GLIBC_2.4").is_some_and(|version| version <= MAX_GLIBC));
        assert!(glibc("GLIBC_2.27").is_some_and(|version| version > MAX_GLIBC));
        assert_eq!(glibc("GLIBC_PRIVATE"), None);
    }
}
