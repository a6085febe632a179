//! The paths that were asked for: as arguments, as patterns, in a file.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crashlens_files::{path_of, text_of};

use crate::cli::ScanArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

/// All of them, in their order.
pub(super) fn paths(args: &ScanArgs) -> Result<Vec<String>, Failure> {
    let mut paths = Vec::new();
    for path in &args.paths {
        expand(&text_of(path), &mut paths)?;
    }
    if let Some(missing) = paths.iter().find(|path| !is_there(path)) {
        let message = format!("cannot check {missing}: there is no such file or folder");
        return Err(Failure::new(message, ExitStatus::NoReport));
    }
    if let Some(list) = &args.files_from {
        let reader: Box<dyn Read> = if list == Path::new("-") {
            Box::new(io::stdin().lock())
        } else {
            Box::new(File::open(list).map_err(|error| unreadable(list, &error))?)
        };
        for line in BufReader::new(reader).split(b'\n') {
            let line = line.map_err(|error| unreadable(list, &error))?;
            let line = line.strip_suffix(b"\r").unwrap_or(&line);
            if !line.is_empty() {
                paths.push(text_of(OsStr::from_bytes(line)));
            }
        }
    }
    Ok(paths)
}

/// A checkpoint is named by what its files begin with.
fn is_there(path: &str) -> bool {
    let index = format!("{path}.index");
    path_of(path).symlink_metadata().is_ok() || path_of(&index).exists()
}

/// A pattern becomes the files that it fits, where no file has its very name.
fn expand(path: &str, paths: &mut Vec<String>) -> Result<(), Failure> {
    let is_pattern = path.contains(['*', '?', '[']) && !path_of(path).exists();
    if !is_pattern {
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
    let found = glob::glob(path).map_err(|error| refused(&error))?;
    // A folder that may not be looked into is met again, and told, where it is asked for by name.
    paths.extend(found.flatten().map(|path| text_of(path.as_os_str())));
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
