//! The manifest of a scan: written, continued, or compared with.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, BufReader, Seek as _, SeekFrom};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crashlens_core::files::{Extent, FileFacts, Flaw, FlawKind};

use super::noticed::flaw;
use crate::finder::Subject;
use crate::hashing::hash;
use crate::manifest::{Listed, Manifest, plain_path};
use crate::store::Identity;
use crate::stores::Stores;

/// Why there is no manifest, or no whole one.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The one that is there cannot be read.
    #[error("cannot read the manifest {}: {error}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// It cannot be written.
    #[error("cannot write the manifest {}: {error}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
}

/// What an earlier scan has left, and what that is good for now.
pub(super) struct Known<'a> {
    stores: &'a Stores,
    path: Option<PathBuf>,
    manifest: Manifest,
}

impl<'a> Known<'a> {
    /// Reads the manifest that was asked for, where there is one already.
    pub(super) fn read(path: Option<&Path>, stores: &'a Stores) -> Result<Self, ManifestError> {
        let manifest = match path {
            None => Manifest::default(),
            Some(path) => left_at(path).map_err(|error| ManifestError::Read {
                path: path.to_owned(),
                error,
            })?,
        };
        Ok(Self {
            stores,
            path: path.map(Path::to_owned),
            manifest,
        })
    }

    /// Whether the manifest is of a scan that came to its end.
    pub(super) fn is_complete(&self) -> bool {
        self.manifest.is_complete
    }

    /// Opens the file that a scan goes on with; `None` where the manifest is only compared with, or there is none.
    pub(super) fn open(&self) -> Result<Option<File>, ManifestError> {
        match &self.path {
            Some(path) if !self.manifest.is_complete => continued(path)
                .map(Some)
                .map_err(|error| unwritable(path, error)),
            _ => Ok(None),
        }
    }

    /// What an interrupted scan saw of a file that has not changed since; where everything is to be looked at, only what
    /// was looked at so.
    pub(super) fn facts(&self, subject: &Subject, full: bool) -> Option<&Listed> {
        if self.manifest.is_complete {
            return None;
        }
        let listed = self.manifest.get(&subject.path)?;
        let identity = self.identity(&subject.path);
        let is_same = listed.modified == modified(identity.as_ref())
            && listed.tag == identity.and_then(|identity| identity.tag)
            && listed.facts.size == subject.size;
        let is_enough =
            !full || listed.facts.extent == Extent::Full || listed.facts.format.is_none();
        (is_same && is_enough).then_some(listed)
    }

    fn identity(&self, path: &str) -> Option<Identity> {
        self.stores.of(path).identity(path).ok().flatten()
    }

    /// With its hash, where a manifest needs it, and what that says.
    pub(super) fn hashed(&self, mut facts: FileFacts) -> Listed {
        if self.path.is_none() {
            return Listed {
                modified: String::new(),
                tag: None,
                sha256: String::new(),
                facts,
            };
        }
        let identity = self.identity(&facts.path);
        let store = self.stores.of(&facts.path);
        let sha256 = hash(store, &facts.path, u64::MAX).unwrap_or_default();
        if self.manifest.is_complete {
            facts.flaws.extend(self.compared(&facts.path, &sha256));
        }
        Listed {
            modified: modified(identity.as_ref()),
            tag: identity.and_then(|identity| identity.tag),
            sha256,
            facts,
        }
    }

    /// What the manifest says of a file. One that cannot be read now has no hash, and is told as that.
    fn compared(&self, path: &str, sha256: &str) -> Option<Flaw> {
        let Some(listed) = self.manifest.get(path) else {
            return Some(flaw(FlawKind::Unlisted, "the manifest does not list it"));
        };
        if sha256.is_empty() || listed.sha256 == sha256 {
            None
        } else if listed.sha256.is_empty() {
            let detail = "it could not be read when the manifest was made";
            Some(flaw(FlawKind::Unlisted, detail))
        } else {
            Some(flaw(FlawKind::OffManifest, "its SHA-256 is another"))
        }
    }
}

/// The manifest while it is written.
pub(super) struct Ledger<'a> {
    known: &'a Known<'a>,
    out: Option<File>,
    seen: BTreeSet<String>,
    count: u64,
}

impl<'a> Ledger<'a> {
    /// `out` is what [`Known::open`] has opened.
    pub(super) fn new(known: &'a Known<'a>, out: Option<File>) -> Self {
        Self {
            known,
            out,
            seen: BTreeSet::new(),
            count: 0,
        }
    }

    /// Takes in one file; writes it, unless it stands there already.
    pub(super) fn write(&mut self, listed: &Listed) -> Result<(), ManifestError> {
        self.count += 1;
        if self.known.manifest.is_complete {
            self.seen.insert(plain_path(&listed.facts.path));
        }
        let before = self.known.manifest.get(&listed.facts.path);
        match (&mut self.out, &self.known.path) {
            (Some(out), Some(path)) if before != Some(listed) => {
                Manifest::write(listed, out).map_err(|error| unwritable(path, error))
            }
            _ => Ok(()),
        }
    }

    /// Files that the manifest lists and that the scan has not met.
    pub(super) fn missing(&self) -> Vec<FileFacts> {
        if !self.known.manifest.is_complete {
            return Vec::new();
        }
        // What is there and was not met was not asked for.
        let files = self.known.manifest.listed();
        files
            .filter(|listed| {
                let path = &listed.facts.path;
                !self.seen.contains(&plain_path(path)) && self.known.identity(path).is_none()
            })
            .map(|listed| FileFacts {
                path: listed.facts.path.clone(),
                format: listed.facts.format,
                flaws: vec![flaw(
                    FlawKind::Missing,
                    "the manifest lists it, and it is not there",
                )],
                ..FileFacts::default()
            })
            .collect()
    }

    /// The scan has come to its end.
    pub(super) fn close(mut self) -> Result<(), ManifestError> {
        match (&mut self.out, &self.known.path) {
            (Some(out), Some(path)) => {
                Manifest::close(self.count, out).map_err(|error| unwritable(path, error))
            }
            _ => Ok(()),
        }
    }
}

fn modified(identity: Option<&Identity>) -> String {
    identity.map_or_else(String::new, |identity| identity.modified.to_string())
}

/// Opens it to go on behind its last whole line.
fn continued(path: &Path) -> io::Result<File> {
    let text = std::fs::read(path).unwrap_or_default();
    let whole = text.iter().rposition(|byte| *byte == b'\n');
    let whole = whole.map_or(0, |at| at as u64 + 1);
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path)?;
    // The umask may have taken from the mode; where the file is that of another user, its mode is for that user to decide.
    if file.metadata()?.is_file() {
        let _ = file.set_permissions(Permissions::from_mode(0o600));
    }
    file.set_len(whole)?;
    file.seek(SeekFrom::End(0))?;
    Ok(file)
}

/// The manifest that is at a path; an empty one where none is.
fn left_at(path: &Path) -> io::Result<Manifest> {
    match File::open(path) {
        Ok(file) => Manifest::read(BufReader::new(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Manifest::default()),
        Err(error) => Err(error),
    }
}

fn unwritable(path: &Path, error: io::Error) -> ManifestError {
    ManifestError::Write {
        path: path.to_owned(),
        error,
    }
}
