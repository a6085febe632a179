//! What is special to the TensorFlow that is installed.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crashlens_core::survey::TensorflowTraits;
use crashlens_core::{Gaps, Observed};
use object::ReadCache;
use object::elf::FileHeader64;
use object::read::elf::{FileHeader, SectionHeader};

use crate::bounded;
use crate::site::Installed;

const MAX_HEADER_BYTES: u64 = 64 << 10;
/// 20 MB in TensorFlow 2.21.
const MAX_NAMES_BYTES: u64 = 128 << 20;
const CHUNK: usize = 1 << 20;

/// Traits of the TensorFlow in the folders of packages; absent where there is none.
pub(crate) fn traits(installed: &Installed, gaps: &mut Gaps) -> Observed<TensorflowTraits> {
    let Some(folder) = installed.folders.get("tensorflow") else {
        return Observed::Absent;
    };
    let is_there = |name: &str| folder.join(name).exists();
    // Only rests of it are no TensorFlow either, but somebody's folder of that name is none at all.
    if !is_there("python") && !is_there("core") && library(folder).is_none() {
        return Observed::Absent;
    }
    let abi = library(folder).map(|library| returns_new_strings(&library));
    let cxx11_abi = match abi {
        Some(Err(reason)) => {
            gaps.add("C++ interface of TensorFlow's libraries", reason, None);
            None
        }
        Some(Ok(abi)) => abi,
        None => None,
    };
    Observed::Known(TensorflowTraits {
        folder: folder.display().to_string(),
        loads_globally: is_there("python/pywrap_dlopen_global_flags.py"),
        own_version: own_version(folder),
        cxx11_abi,
    })
}

/// The version in the header for plugins, or, since that leaves it to the build, in the script that made the wheel.
fn own_version(folder: &Path) -> Option<String> {
    let read = |path: &str| bounded::read_text(&folder.join(path), MAX_HEADER_BYTES).ok();
    read("include/tensorflow/core/public/version.h")
        .and_then(|text| version_of_header(&text))
        .or_else(|| version_of_script(&read("tools/pip_package/setup.py")?))
}

/// `#define TF_MAJOR_VERSION 2` and so on.
pub(crate) fn version_of_header(text: &str) -> Option<String> {
    let value = |name: &str| {
        let lines = text
            .lines()
            .filter_map(|line| line.strip_prefix("#define "));
        let mut values =
            lines.filter_map(|line| line.trim_start().strip_prefix(name)?.strip_prefix(' '));
        values.next().map(str::trim)
    };
    let number = |name: &str| value(name)?.parse::<u32>().ok();
    let (major, minor) = (number("TF_MAJOR_VERSION")?, number("TF_MINOR_VERSION")?);
    let patch = number("TF_PATCH_VERSION")?;
    let suffix = value("TF_VERSION_SUFFIX")
        .unwrap_or_default()
        .trim_matches('"');
    let version = format!("{major}.{minor}.{patch}{suffix}");
    is_version(&version).then_some(version)
}

/// `_VERSION = '2.21.0'`.
pub(crate) fn version_of_script(text: &str) -> Option<String> {
    let value = text.lines().find_map(|line| {
        let value = line
            .strip_prefix("_VERSION")?
            .trim_start()
            .strip_prefix('=')?;
        Some(value.trim().trim_matches(['\'', '"']))
    })?;
    is_version(value).then(|| value.to_owned())
}

fn is_version(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b".-+".contains(&byte);
    text.len() <= 40
        && text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(is_part)
}

/// The library that exports what plugins use.
fn library(folder: &Path) -> Option<PathBuf> {
    let names = [
        "libtensorflow_framework.so.2",
        "libtensorflow_framework.so.1",
        "libtensorflow_framework.so",
    ];
    names
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_file())
}

/// Whether functions return the string type that C++11 brought; `None` where none is seen that returns a string.
fn returns_new_strings(library: &Path) -> Result<Option<bool>, String> {
    let file = bounded::open(library).map_err(|error| error.to_string())?;
    let (start, size) = {
        let cache = ReadCache::new(&file);
        string_table(&cache)?
    };
    let mut file = file;
    let io = |error: std::io::Error| error.to_string();
    file.seek(SeekFrom::Start(start)).map_err(io)?;
    let mut names = file.take(size.min(MAX_NAMES_BYTES));
    // Many classes have a function of this name that returns a string; with the new type its name says so. The new
    // type alone proves nothing: libraries of the old interface name it too.
    let new = memchr::memmem::Finder::new(b"DebugStringB5cxx11Ev");
    let old = memchr::memmem::Finder::new(b"DebugStringEv");
    let mut has_old = false;
    let mut window = Vec::with_capacity(CHUNK + 64);
    loop {
        let kept = window.len().min(64);
        window.drain(..window.len() - kept);
        let read = names
            .by_ref()
            .take(CHUNK as u64)
            .read_to_end(&mut window)
            .map_err(io)?;
        if new.find(&window).is_some() {
            return Ok(Some(true));
        }
        has_old |= old.find(&window).is_some();
        if read == 0 {
            return Ok(has_old.then_some(false));
        }
    }
}

/// Place and size of `.dynstr`.
fn string_table(cache: &ReadCache<&std::fs::File>) -> Result<(u64, u64), String> {
    let header =
        FileHeader64::<object::Endianness>::parse(cache).map_err(|error| error.to_string())?;
    let endian = header.endian().map_err(|error| error.to_string())?;
    let sections = header
        .sections(endian, cache)
        .map_err(|error| error.to_string())?;
    let (_, section) = sections
        .section_by_name(endian, b".dynstr")
        .ok_or("the library has no names of symbols")?;
    Ok((section.sh_offset(endian), section.sh_size(endian)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_in_the_header_or_in_the_script() {
        let header = "#define TF_MAJOR_VERSION 2\n#define TF_MINOR_VERSION 15\n#define TF_PATCH_VERSION 1\n\
                      // TF_VERSION_SUFFIX is non-empty\n#define TF_VERSION_SUFFIX \"-rc0\"\n";
        assert_eq!(version_of_header(header).as_deref(), Some("2.15.1-rc0"));
        assert_eq!(version_of_header("#ifndef TF_MAJOR_VERSION\n"), None);
        assert_eq!(
            version_of_script("x\n_VERSION = '2.21.0'\n").as_deref(),
            Some("2.21.0")
        );
        assert_eq!(version_of_script("_VERSION = 'a b'\n"), None);
    }
}
