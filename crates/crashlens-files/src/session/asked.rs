//! The paths that were named: those of patterns are looked up, and all must be there.

use std::io;

use super::pattern::{self, Expanded};
use crate::names::path_of;
use crate::stores::{Stores, is_object};

/// Why a path that was named cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// It is not there, or its store does not answer.
    #[error("cannot check {path}: {error}")]
    Missing {
        /// Which.
        path: String,
        /// Why not.
        error: io::Error,
    },
    /// It is a pattern that cannot be used, or that no file fits.
    #[error("cannot use the pattern {pattern}: {reason}")]
    Pattern {
        /// Which.
        pattern: String,
        /// Why not.
        reason: String,
    },
}

/// The paths, in their order, with the files that patterns fit in place of the patterns.
pub fn expand_paths(named: &[String], stores: &Stores) -> Result<Expanded, PathError> {
    let mut expanded = Expanded::default();
    for path in named {
        expand(path, stores, &mut expanded)?;
    }
    for path in &expanded.paths {
        be_there(path, stores).map_err(|error| PathError::Missing {
            path: path.clone(),
            error,
        })?;
    }
    Ok(expanded)
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
fn expand(path: &str, stores: &Stores, expanded: &mut Expanded) -> Result<(), PathError> {
    if first_placeholder(path, stores).is_none() {
        expanded.paths.push(path.to_owned());
        return Ok(());
    }
    let refused = |reason: String| PathError::Pattern {
        pattern: path.to_owned(),
        reason,
    };
    let before = expanded.paths.len();
    pattern::expand(stores.of(path), path, expanded).map_err(|error| refused(error.to_string()))?;
    if expanded.paths.len() == before {
        return Err(refused("no file fits it".to_owned()));
    }
    Ok(())
}

/// Where the part of a pattern begins that stands for many names. A file may have the very name.
fn first_placeholder(path: &str, stores: &Stores) -> Option<usize> {
    path.find(['*', '?', '[']).filter(|_| !stores.has(path))
}

/// The paths, with the folders that patterns begin with in place of the patterns: what lies outside of them was not named.
pub fn fixed_parts(named: &[String], stores: &Stores) -> Vec<String> {
    let fixed = named.iter().map(|path| {
        let Some(at) = first_placeholder(path, stores) else {
            return path.clone();
        };
        match path[..at].rfind('/') {
            Some(0) => "/".to_owned(),
            Some(end) => path[..end].to_owned(),
            None => ".".to_owned(),
        }
    });
    fixed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_becomes_its_files_and_a_name_that_is_not_there_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| format!("{}/{name}", place.path().display());
        for name in ["a.jpg", "b.jpg", "c[1].png", "model.index"] {
            std::fs::write(at(name), "x").unwrap();
        }
        let expanded = |name: &str| {
            expand_paths(&[at(name)], &Stores::default()).map(|expanded| expanded.paths)
        };
        assert_eq!(expanded("*.jpg").unwrap(), [at("a.jpg"), at("b.jpg")]);
        assert_eq!(expanded("*/../b.*").ok(), None, "there is no folder");
        let circle = at("again");
        std::os::unix::fs::symlink(place.path(), circle).unwrap();
        assert_eq!(expanded("**/*.jpg").unwrap(), [at("a.jpg"), at("b.jpg")]);
        assert_eq!(expanded("c[1].png").unwrap(), [at("c[1].png")]);
        assert_eq!(expanded("model").unwrap(), [at("model")]);
        for (name, reason) in [
            ("*.gif", "no file fits it"),
            ("d.jpg", "there is no such file or folder"),
        ] {
            let refused = expanded(name).unwrap_err().to_string();
            assert!(refused.contains(reason), "{refused}");
        }
    }
}
