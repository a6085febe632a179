//! The manifest of a scan: hashes and facts of every file, a line of JSON each.
//!
//! While a scan writes it, it is how an interrupted scan goes on. Once whole, it is what later scans are compared with:
//! in formats without checksums nothing else shows silent damage.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use crashlens_core::files::FileFacts;
use serde::{Deserialize, Serialize};

/// Bytes of one line; a longer one is somebody else's file.
const MOST_LINE: u64 = 16 << 20;
/// What its last line says.
const COMPLETE: &str = "crashlens.manifest.complete/1";

/// One file of a manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Listed {
    /// When its content last changed, in nanoseconds since 1970, as text: JSON's numbers end before that.
    pub(crate) modified: String,
    /// What the store called its content, where it has names for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tag: Option<String>,
    /// SHA-256 of its bytes; empty for a model of several files.
    pub(crate) sha256: String,
    /// What was seen of it.
    pub(crate) facts: FileFacts,
}

/// A manifest as it was found.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    /// The files, by path without what changes nothing (`./a//b`).
    files: BTreeMap<String, Listed>,
    /// Whether the scan that wrote it came to its end.
    pub(crate) is_complete: bool,
}

#[derive(Serialize, Deserialize)]
struct Closing {
    schema: String,
    files: u64,
}

/// A path without its parts that lead nowhere: what a manifest knows a file by.
pub(crate) fn plain_path(path: &str) -> String {
    // In an object store every letter of a name counts.
    if path.contains("://") {
        return path.to_owned();
    }
    let parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.collect::<Vec<_>>().join("/"))
}

impl Manifest {
    /// What it says of the file at a path.
    pub(crate) fn get(&self, path: &str) -> Option<&Listed> {
        self.files.get(&plain_path(path))
    }

    /// All of it, in the order of the paths.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &Listed> {
        self.files.values()
    }

    /// Reads one; the last line may be half of one.
    pub(crate) fn read(mut text: impl BufRead) -> io::Result<Self> {
        let mut manifest = Self::default();
        let mut line = String::new();
        loop {
            line.clear();
            if io::Read::take(&mut text, MOST_LINE).read_line(&mut line)? == 0 {
                return Ok(manifest);
            }
            if let Ok(listed) = serde_json::from_str::<Listed>(&line) {
                manifest
                    .files
                    .insert(plain_path(&listed.facts.path), listed);
            } else if let Ok(closing) = serde_json::from_str::<Closing>(&line) {
                manifest.is_complete = closing.schema == COMPLETE;
            } else if line.ends_with('\n') {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "it is not a manifest of crashlens",
                ));
            }
        }
    }

    /// Writes one file.
    pub(crate) fn write(listed: &Listed, out: &mut dyn Write) -> io::Result<()> {
        write_line(listed, out)
    }

    /// Writes the end.
    pub(crate) fn close(files: u64, out: &mut dyn Write) -> io::Result<()> {
        let closing = Closing {
            schema: COMPLETE.to_owned(),
            files,
        };
        write_line(&closing, out)
    }
}

/// In one piece: half a line is what a killed scan may leave, and a file is written to for every piece.
fn write_line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    out.write_all(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(path: &str) -> Listed {
        Listed {
            modified: "1".to_owned(),
            tag: None,
            sha256: "ab".to_owned(),
            facts: FileFacts {
                path: path.to_owned(),
                ..FileFacts::default()
            },
        }
    }

    #[test]
    fn what_was_written_is_read_again() {
        let mut text = Vec::new();
        Manifest::write(&listed("a.jpg"), &mut text).unwrap();
        Manifest::close(1, &mut text).unwrap();
        let manifest = Manifest::read(text.as_slice()).unwrap();
        assert!(manifest.is_complete);
        assert_eq!(manifest.get("a.jpg"), Some(&listed("a.jpg")));
    }

    #[test]
    fn a_scan_that_was_killed_leaves_what_it_had() {
        let mut text = Vec::new();
        Manifest::write(&listed("a.jpg"), &mut text).unwrap();
        Manifest::write(&listed("b.jpg"), &mut text).unwrap();
        text.truncate(text.len() - 20);
        let manifest = Manifest::read(text.as_slice()).unwrap();
        assert!(!manifest.is_complete);
        assert_eq!(manifest.files.len(), 1);
    }

    #[test]
    fn a_path_may_be_written_in_several_ways() {
        let mut text = Vec::new();
        Manifest::write(&listed("./train//a.jpg"), &mut text).unwrap();
        let manifest = Manifest::read(text.as_slice()).unwrap();
        assert!(manifest.get("train/a.jpg").is_some());
        assert!(manifest.get("train/./a.jpg").is_some());
        assert!(manifest.get("/train/a.jpg").is_none());
    }

    #[test]
    fn another_file_is_refused() {
        assert!(Manifest::read(b"import os\n".as_slice()).is_err());
    }
}
