//! The paths that were asked for: as arguments, as patterns, in a file.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crashlens_files::{path_of, text_of};

use super::pattern;
use super::stores::{Stores, is_object};
use crate::cli::ScanArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

/// All of them, in their order, and the stores they are in.
pub(super) fn paths(args: &ScanArgs) -> Result<(Vec<String>, Stores), Failure> {
    let listed = listed(args)?;
    let asked: Vec<String> = args.paths.iter().map(|path| text_of(path)).collect();
    let all: Vec<&str> = asked.iter().chain(&listed).map(String::as_str).collect();
    let stores = Stores::of_paths(&all, args.timeout)?;
    let mut paths = Vec::new();
    for path in &asked {
        expand(path, &stores, &mut paths)?;
    }
    for path in &paths {
        be_there(path, &stores).map_err(|error| {
            let message = format!("cannot check {path}: {error}");
            Failure::new(message, ExitStatus::NoReport)
        })?;
    }
    paths.extend(listed);
    Ok((paths, stores))
}

/// The paths in the file that was named.
fn listed(args: &ScanArgs) -> Result<Vec<String>, Failure> {
    let Some(list) = &args.files_from else {
        return Ok(Vec::new());
    };
    let reader: Box<dyn Read> = if list == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(list).map_err(|error| unreadable(list, &error))?)
    };
    let mut paths = Vec::new();
    let end = if args.null { b'\0' } else { b'\n' };
    for name in BufReader::new(reader).split(end) {
        let name = name.map_err(|error| unreadable(list, &error))?;
        let name = match name.strip_suffix(b"\r") {
            Some(line) if !args.null => line,
            _ => &name,
        };
        if !name.is_empty() {
            paths.push(text_of(OsStr::from_bytes(name)));
        }
    }
    Ok(paths)
}

/// A checkpoint is named by what its files begin with.
fn be_there(path: &str, stores: &Stores) -> io::Result<()> {
    let index = format!("{path}.index");
    if !is_object(path) {
        let is_there = path_of(path).symlink_metadata().is_ok() || path_of(&index).exists();
        return is_there
            .then_some(())
            .ok_or_else(|| io::Error::other("there is no such file or folder"));
    }
    let store = stores.of(path);
    if !path.ends_with('/') && store.exists(path) {
        return Ok(());
    }
    match store.list(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && store.exists(&index) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(()),
        listed => listed.map(drop),
    }
}

/// A pattern becomes the files that it fits, where no file has its very name.
fn expand(path: &str, stores: &Stores, paths: &mut Vec<String>) -> Result<(), Failure> {
    let is_there = |path| {
        if is_object(path) {
            stores.of(path).exists(path)
        } else {
            path_of(path).exists()
        }
    };
    if !path.contains(['*', '?', '[']) || is_there(path) {
        paths.push(path.to_owned());
        return Ok(());
    }
    let refused = |error: &dyn std::fmt::Display| {
        Failure::new(
            format!("cannot use the pattern {path}: {error}"),
            ExitStatus::NoReport,
        )
    };
    let before = paths.len();
    if is_object(path) {
        pattern::expand(stores.of(path), path, paths).map_err(|error| refused(&error))?;
    } else {
        let found = glob::glob(path).map_err(|error| refused(&error))?;
        // A folder that may not be looked into is met again, and told, where it is asked for by name.
        paths.extend(found.flatten().map(|path| text_of(path.as_os_str())));
    }
    if paths.len() == before {
        return Err(refused(&"no file fits it"));
    }
    Ok(())
}

fn unreadable(list: &Path, error: &io::Error) -> Failure {
    Failure::new(
        format!("cannot read the list {}: {error}", list.display()),
        ExitStatus::NoReport,
    )
}
