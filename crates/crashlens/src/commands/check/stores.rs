//! Which stores can be read: this machine's disks, and object storage where crashlens was built with it.

use std::time::Duration;

use crashlens_files::{Stores, is_object};

use crate::exit_status::ExitStatus;
use crate::failure::Failure;

/// For these paths and what lies below them, and nothing else; no question to a store takes longer than `patience`.
#[cfg(feature = "object-storage")]
pub(super) fn of_paths(paths: &[&str], patience: Duration) -> Result<Stores, Failure> {
    let mut paths = paths
        .iter()
        .copied()
        .filter(|path| is_object(path))
        .peekable();
    if paths.peek().is_none() {
        return Ok(Stores::default());
    }
    let variables = std::env::vars_os().filter_map(|(name, value)| {
        let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
        Some((name, value))
    });
    let objects = crashlens_objects::Objects::new(paths, variables, patience);
    objects.map(Stores::with_objects).map_err(|error| {
        let message = format!("cannot use object storage: {error}");
        Failure::new(message, ExitStatus::NoReport)
    })
}

/// For these paths, which must be on this machine.
#[cfg(not(feature = "object-storage"))]
pub(super) fn of_paths(paths: &[&str], _patience: Duration) -> Result<Stores, Failure> {
    match paths.iter().find(|path| is_object(path)) {
        None => Ok(Stores::default()),
        Some(_) => Err(Failure::new(
            "this build reads no object storage; \
             `cargo install --path crates/crashlens --features object-storage` makes one that does",
            ExitStatus::NoReport,
        )),
    }
}
