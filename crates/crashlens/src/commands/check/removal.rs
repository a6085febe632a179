//! What is done with bad files: listed, or moved away where that was asked for. Nothing is ever deleted.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use crashlens_files::path_of;

use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::saved::write_atomically;

/// Writes the paths, one on each line.
pub(super) fn list(file: &Path, bad: &[String]) -> Result<(), Failure> {
    let mut text = Vec::new();
    for path in bad {
        text.extend_from_slice(path_of(path).as_os_str().as_bytes());
        text.push(b'\n');
    }
    write_atomically(file, 0o666, &mut |out| out.write_all(&text)).map_err(|error| {
        let message = format!("cannot write the list {}: {error}", file.display());
        Failure::new(message, ExitStatus::NoReport)
    })
}

/// Moves the files below `folder`, where they keep their paths. Nothing that is there is overwritten.
pub(super) fn move_to(folder: &Path, bad: &[String]) -> Result<(), Failure> {
    let mut failed = Vec::new();
    for path in bad {
        if let Err(reason) = move_one(folder, &path_of(path)) {
            failed.push(format!("{path}: {reason}"));
        }
    }
    let Some(first) = failed.first() else {
        return Ok(());
    };
    let message = format!("{} files could not be moved; first {first}", failed.len());
    Err(Failure::new(message, ExitStatus::NoReport)
        .with_help("Name a folder on the same file system that does not hold them yet."))
}

fn move_one(folder: &Path, path: &Path) -> Result<(), String> {
    match path.symlink_metadata() {
        // It may be what is wrong with it that it is not there.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.to_string()),
        Ok(metadata) if metadata.is_dir() => return Err("it is a folder".to_owned()),
        Ok(_) => {}
    }
    // A path that begins at the root, or climbs, stays below the folder all the same.
    let inner: PathBuf = path
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .collect();
    let target = folder.join(inner);
    if target.symlink_metadata().is_ok() {
        return Err(format!("{} is there already", target.display()));
    }
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent).map_err(|error| error.to_string())?;
    }
    fs::rename(path, &target).map_err(|error| error.to_string())
}
