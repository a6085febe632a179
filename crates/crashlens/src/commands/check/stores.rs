//! Which store a path is in: this machine's disks, or object storage where crashlens was built with it.

use std::time::Duration;

use crashlens_core::capture::Gap;
use crashlens_files::{LocalStore, Store};

use crate::exit_status::ExitStatus;
use crate::failure::Failure;

/// What paths in object storage begin with.
const SCHEMES: [&str; 3] = ["s3://", "gs://", "az://"];

/// Whether a path is in object storage.
pub(super) fn is_object(path: &str) -> bool {
    SCHEMES.iter().any(|scheme| path.starts_with(scheme))
}

/// The stores of the paths that were asked for.
pub(super) struct Stores {
    #[cfg(feature = "object-storage")]
    objects: Option<crashlens_objects::Objects>,
}

impl Stores {
    /// For these paths and what lies below them, and nothing else; no question to a store takes longer than `patience`.
    #[cfg(feature = "object-storage")]
    pub(super) fn of_paths(paths: &[&str], patience: Duration) -> Result<Self, Failure> {
        let mut paths = paths
            .iter()
            .copied()
            .filter(|path| is_object(path))
            .peekable();
        if paths.peek().is_none() {
            return Ok(Self { objects: None });
        }
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
            Some((name, value))
        });
        let objects = crashlens_objects::Objects::new(paths, variables, patience);
        let objects = objects.map_err(|error| {
            let message = format!("cannot use object storage: {error}");
            Failure::new(message, ExitStatus::NoReport)
        })?;
        Ok(Self {
            objects: Some(objects),
        })
    }

    /// For these paths, which must be on this machine.
    #[cfg(not(feature = "object-storage"))]
    pub(super) fn of_paths(paths: &[&str], _patience: Duration) -> Result<Self, Failure> {
        match paths.iter().find(|path| is_object(path)) {
            None => Ok(Self {}),
            Some(_) => Err(Failure::new(
                "this build reads no object storage; \
                 `cargo install --path crates/crashlens --features object-storage` makes one that does",
                ExitStatus::NoReport,
            )),
        }
    }

    /// The one that a path is in. What a file on a disk names in object storage is not followed, nor the other way round.
    pub(super) fn of(&self, path: &str) -> &dyn Store {
        #[cfg(feature = "object-storage")]
        if let Some(objects) = self.objects.as_ref().filter(|_| is_object(path)) {
            return objects;
        }
        #[cfg(not(feature = "object-storage"))]
        let _ = (self, path);
        &LocalStore
    }

    /// What cannot be looked at in object storage.
    pub(super) fn gap(paths: &[String]) -> Option<Gap> {
        paths.iter().any(|path| is_object(path)).then(|| Gap {
            part: "objects that are being written right now".to_owned(),
            reason: "a store shows an object when its upload has ended, and not who uploads"
                .to_owned(),
            remedy: Some("`--watch SECONDS` tells those that are replaced meanwhile".to_owned()),
        })
    }
}
