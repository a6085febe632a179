//! Which version an interpreter is, by its files.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::bounded;

const MAX_HEADER_BYTES: u64 = 16 << 10;
/// Static executables of CPython with debug information have 30 MB.
const MAX_PROGRAM_BYTES: u64 = 96 << 20;
const CHUNK: usize = 1 << 20;
const MAX_ENTRIES: usize = 10_000;

/// The folder of modules that a version has in `lib`: `python3.11`, `python3.13t`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Library {
    implementation: &'static str,
    major: u32,
    minor: u32,
    /// Built without the global lock.
    is_free_threaded: bool,
}

impl Library {
    /// Reads `python3.11`, `python3.7m`, `pypy3.10` and whatever follows.
    fn from_name(name: &str) -> Option<Self> {
        let (implementation, rest) = ["python", "pypy"].into_iter().find_map(|implementation| {
            Some((implementation, name.strip_prefix(implementation)?))
        })?;
        let (major, rest) = rest.split_once('.')?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (minor, rest) = rest.split_at_checked(digits)?;
        Some(Self {
            implementation,
            major: major.parse().ok()?,
            minor: minor.parse().ok()?,
            is_free_threaded: rest.starts_with('t'),
        })
    }

    pub(super) fn from_version(version: &str) -> Option<Self> {
        Self::from_name(&format!("python{version}"))
    }

    /// `python3.11`.
    pub(super) fn folder(&self) -> String {
        let suffix = if self.is_free_threaded { "t" } else { "" };
        format!("{}{}{suffix}", self.implementation, self.short())
    }

    /// `3.11`.
    pub(super) fn short(&self) -> String {
        format!("{}.{}", self.major, self.minor)
    }

    pub(super) fn is_python_2(&self) -> bool {
        self.major == 2
    }
}

/// Searches from the folder of an executable upwards for a standard library: its prefix, and its version.
pub(super) fn library(real_path: &Path, start: &Path) -> Option<(PathBuf, Library)> {
    let mut prefixes = start.ancestors();
    prefixes.find_map(|prefix| library_of(real_path, prefix))
}

/// The standard library of just this prefix: where `PYTHONHOME` names it, Python looks nowhere else.
pub(super) fn library_of(real_path: &Path, prefix: &Path) -> Option<(PathBuf, Library)> {
    let by_name = real_path.file_name()?.to_str().and_then(Library::from_name);
    let library = match by_name {
        Some(library) => has_standard_library(prefix, &library).then_some(library),
        None => only_library(prefix),
    }?;
    Some((prefix.to_owned(), library))
}

fn has_standard_library(prefix: &Path, library: &Library) -> bool {
    let landmarks = ["os.py", "os.pyc"];
    ["lib", "lib64"].iter().any(|lib| {
        let folder = prefix.join(lib).join(library.folder());
        landmarks
            .iter()
            .any(|landmark| folder.join(landmark).is_file())
    })
}

/// Names of the folders of modules in a `lib`, of whatever version.
pub(super) fn libraries(lib: &Path) -> impl Iterator<Item = String> {
    let entries = std::fs::read_dir(lib).into_iter().flatten();
    entries.take(MAX_ENTRIES).filter_map(|entry| {
        let name = entry.ok()?.file_name().into_string().ok()?;
        Library::from_name(&name).map(|_| name)
    })
}

/// The one standard library there is: with two, the name of the executable would have to tell.
fn only_library(prefix: &Path) -> Option<Library> {
    let entries = std::fs::read_dir(prefix.join("lib")).ok()?;
    let mut found = entries
        .take(MAX_ENTRIES)
        .filter_map(|entry| Library::from_name(entry.ok()?.file_name().to_str()?))
        .filter(|library| has_standard_library(prefix, library));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// With the third number where something tells it: conda, the header, the program itself, or what the environment was made
/// with, in this order: an environment does not notice when the interpreter below it is replaced.
pub(super) fn full(
    base: &Path,
    library: &Library,
    real_path: &Path,
    recorded: Option<&str>,
) -> String {
    let short = library.short();
    let shared = ["", "m", "t"].map(|abi| base.join(format!("lib/libpython{short}{abi}.so.1.0")));
    from_conda(base, &short)
        .or_else(|| from_header(base, library))
        .or_else(|| from_program(real_path, &short))
        .or_else(|| shared.iter().find_map(|path| from_program(path, &short)))
        .or_else(|| {
            let agrees = |version: &&str| {
                Library::from_version(version).is_some_and(|of| of.short() == short)
            };
            recorded.filter(agrees).map(str::to_owned)
        })
        .unwrap_or(short)
}

/// conda names a file after what it has installed: `conda-meta/python-3.11.7-hab00c5b_1_cpython.json`.
fn from_conda(base: &Path, short: &str) -> Option<String> {
    let entries = std::fs::read_dir(base.join("conda-meta")).ok()?;
    let mut names = entries
        .take(MAX_ENTRIES)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.find_map(|name| {
        let version = name.strip_prefix("python-")?.split('-').next()?;
        is_of(version.as_bytes(), short).then(|| version.to_owned())
    })
}

/// `#define PY_VERSION "3.11.7"`.
fn from_header(base: &Path, library: &Library) -> Option<String> {
    let folders = [library.folder(), format!("{}m", library.folder())];
    let text = folders.iter().find_map(|folder| {
        let path = base.join("include").join(folder).join("patchlevel.h");
        bounded::read_text(&path, MAX_HEADER_BYTES).ok()
    })?;
    let value = text.lines().find_map(|line| {
        line.strip_prefix("#define PY_VERSION")?
            .trim()
            .strip_prefix('"')
    })?;
    let version = value.split('"').next()?;
    is_of(version.as_bytes(), &library.short()).then(|| version.to_owned())
}

/// A string of its own in the program's constants: a zero byte, `3.11.2`, a zero byte.
fn from_program(path: &Path, short: &str) -> Option<String> {
    let mut file = bounded::open(path).ok()?.take(MAX_PROGRAM_BYTES);
    let needle = format!("\0{short}.");
    let finder = memchr::memmem::Finder::new(&needle);
    let mut window = Vec::with_capacity(CHUNK + 64);
    loop {
        let kept = window.len().min(64);
        window.drain(..window.len() - kept);
        let read = file
            .by_ref()
            .take(CHUNK as u64)
            .read_to_end(&mut window)
            .ok()?;
        let found = finder
            .find_iter(&window)
            .filter_map(|at| window.get(at + 1..)?.splitn(2, |byte| *byte == 0).next())
            .find(|text| is_of(text, short));
        if let Some(version) = found {
            return String::from_utf8(version.to_vec()).ok();
        }
        if read == 0 {
            return None;
        }
    }
}

/// Whether a text is a version of this series: `3.11.7`, `3.13.0rc1`, `3.11.2+`.
fn is_of(text: &[u8], short: &str) -> bool {
    let Some(rest) = text
        .strip_prefix(short.as_bytes())
        .and_then(|rest| rest.strip_prefix(b"."))
    else {
        return false;
    };
    let is_part = |byte: &u8| byte.is_ascii_digit() || b"abrc+".contains(byte);
    rest.len() <= 8 && rest.first().is_some_and(u8::is_ascii_digit) && rest.iter().all(is_part)
}
