//! Which store a path is in: the disks of this machine, or object storage.

use crashlens_core::capture::Gap;

use crate::names::path_of;
use crate::store::{LocalStore, Store};

/// What paths in object storage begin with.
const SCHEMES: [&str; 3] = ["s3://", "gs://", "az://"];

/// Whether a path is in object storage.
pub fn is_object(path: &str) -> bool {
    SCHEMES.iter().any(|scheme| path.starts_with(scheme))
}

/// The disks of this machine and, where the program can read it, object storage.
#[derive(Default)]
pub struct Stores {
    objects: Option<Box<dyn Store>>,
}

impl Stores {
    /// With a store for the paths in object storage.
    pub fn with_objects(objects: impl Store + 'static) -> Self {
        Self {
            objects: Some(Box::new(objects)),
        }
    }

    /// The one that a path is in. A file on a disk that names an object does not lead there, nor the other way round.
    pub fn of(&self, path: &str) -> &dyn Store {
        match &self.objects {
            Some(objects) if is_object(path) => objects.as_ref(),
            _ => &LocalStore,
        }
    }

    /// Whether there is a file or folder of this name.
    pub(crate) fn has(&self, path: &str) -> bool {
        if is_object(path) {
            self.of(path).exists(path)
        } else {
            path_of(path).exists()
        }
    }
}

/// What cannot be looked at in object storage, where some of the paths are in it.
pub fn unseen_in_stores(paths: &[String]) -> Option<Gap> {
    paths.iter().any(|path| is_object(path)).then(|| Gap {
        part: "objects that are being written right now".to_owned(),
        reason: "a store shows an object when its upload has ended, and not who uploads".to_owned(),
        remedy: Some("`--watch SECONDS` tells those that are replaced meanwhile".to_owned()),
    })
}
