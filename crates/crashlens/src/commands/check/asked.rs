//! The paths that were asked for: as arguments, as patterns, in a file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crashlens_files::{PathEnd, Stores, Unentered, expand_paths, fixed_parts, read_paths, text_of};

use super::stores;
use crate::cli::ScanArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

/// What was asked for.
pub(super) struct Asked {
    /// All paths, in their order, with the files that patterns fit in place of the patterns.
    pub(super) paths: Vec<String>,
    /// The files and folders that were named; of patterns, the folders that they begin with.
    pub(super) named: Vec<String>,
    /// What was not entered to look for files that patterns fit.
    pub(super) unentered: Unentered,
    /// Where they are.
    pub(super) stores: Stores,
}

/// Looks up what the arguments name.
pub(super) fn paths(args: &ScanArgs) -> Result<Asked, Failure> {
    let listed = match &args.files_from {
        Some(list) => listed(list, args.path_end())?,
        None => Vec::new(),
    };
    let named: Vec<String> = args.paths.iter().map(|path| text_of(path)).collect();
    let all: Vec<&str> = named.iter().chain(&listed).map(String::as_str).collect();
    let stores = stores::of_paths(&all, args.timeout)?;
    let mut expanded = expand_paths(&named, &stores)
        .map_err(|error| Failure::new(error.to_string(), ExitStatus::NoReport))?;
    let mut named = fixed_parts(&named, &stores);
    named.extend_from_slice(&listed);
    expanded.paths.extend(listed);
    Ok(Asked {
        paths: expanded.paths,
        unentered: expanded.unentered,
        named,
        stores,
    })
}

/// The paths in the file that was named.
fn listed(list: &Path, end: PathEnd) -> Result<Vec<String>, Failure> {
    let opened: io::Result<Box<dyn Read>> = if list == Path::new("-") {
        Ok(Box::new(io::stdin().lock()))
    } else {
        File::open(list).map(|file| Box::new(file) as Box<dyn Read>)
    };
    let paths = opened.and_then(|list| read_paths(list, end));
    paths.map_err(|error| {
        let message = format!("cannot read the list {}: {error}", list.display());
        Failure::new(message, ExitStatus::NoReport)
    })
}
