//! Moves bad files away where that was asked for. Nothing is ever deleted.
//!
//! A scan follows links, a move does not: what a link leads to may belong to other people, and a link that is moved leads
//! to another place or nowhere.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::names::path_of;

/// The files and folders that were named, by their real paths. Nothing outside of them is moved.
#[derive(Debug)]
pub struct Roots(HashSet<PathBuf>);

impl Roots {
    /// Those of paths as [`crate::fixed_parts`] has them.
    pub fn of(named: &[String]) -> Self {
        let real = named.iter().map(|path| path_of(path).canonicalize());
        Self(real.flatten().collect())
    }

    fn have(&self, path: &Path) -> bool {
        path.ancestors().any(|folder| self.0.contains(folder))
    }
}

/// What came of moving files away.
#[derive(Debug, Default)]
pub struct Moved {
    /// How many were.
    pub count: u64,
    /// Those that were not, and why.
    pub failed: Vec<String>,
}

/// Moves the files below `folder`, where they keep their paths. Nothing that is there is overwritten.
pub fn move_to(folder: &Path, bad: &[String], roots: &Roots) -> Moved {
    let mut moved = Moved::default();
    for path in bad {
        match move_one(folder, &path_of(path), roots) {
            Ok(true) => moved.count += 1,
            // It may be what is wrong with it that it is not there.
            Ok(false) => {}
            Err(reason) => moved.failed.push(format!("cannot move {path}: {reason}")),
        }
    }
    moved
}

/// Whether there was a file to move.
fn move_one(folder: &Path, path: &Path, roots: &Roots) -> Result<bool, String> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error.to_string()),
        Ok(metadata) if metadata.is_dir() => return Err("it is a folder".to_owned()),
        Ok(metadata) if metadata.is_symlink() => return Err(left_alone(path)),
        Ok(_) => {}
    }
    let real = path.canonicalize().map_err(|error| error.to_string())?;
    if !roots.have(&real) {
        let real = real.display();
        return Err(format!(
            "a link leads to it, outside of what was named: {real}"
        ));
    }
    // A path that begins at the root, or climbs, stays below the folder all the same.
    let inner: PathBuf = path
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .collect();
    let target = folder.join(inner);
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent)
            .map_err(|error| format!("cannot make the folder {}: {error}", parent.display()))?;
    }
    // Renaming replaces what has the name; an empty file that is made only where nothing has it is ours to replace.
    let place = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&target);
    place.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => format!("{} is there already", target.display()),
        _ => format!("cannot make {}: {error}", target.display()),
    })?;
    let renamed = fs::rename(&real, &target);
    if renamed.is_err() {
        let _ = fs::remove_file(&target);
    }
    renamed.map(|()| true).map_err(|error| match error.kind() {
        io::ErrorKind::CrossesDevices => {
            format!("{} is on another file system", folder.display())
        }
        _ => error.to_string(),
    })
}

fn left_alone(link: &Path) -> String {
    let target = fs::read_link(link).unwrap_or_default();
    format!(
        "it is a link to {}; links are left where they are",
        target.display()
    )
}
