//! Ways in for the fuzz targets: any bytes, under any name.

use crashlens_core::files::{FileFacts, FlawKind, Format};

use std::io;

use crate::source::Source;
use crate::store::{Entry, Identity, Store};
use crate::{Options, Purpose, examine};

/// One file in memory.
struct OneFile<'a>(&'a [u8]);

impl Store for OneFile<'_> {
    fn open(&self, _path: &str) -> io::Result<Source> {
        Ok(Source::of_bytes(self.0.to_vec()))
    }

    fn list(&self, _folder: &str) -> io::Result<Vec<Entry>> {
        Ok(Vec::new())
    }

    fn identity(&self, _path: &str) -> io::Result<Option<Identity>> {
        Ok(None)
    }
}

/// Files in memory, by path.
struct Files<'a>(&'a [(&'a str, &'a [u8])]);

impl Store for Files<'_> {
    fn open(&self, path: &str) -> io::Result<Source> {
        let found = self.0.iter().find(|(name, _)| *name == path);
        let (_, bytes) = found.ok_or(io::ErrorKind::NotFound)?;
        Ok(Source::of_bytes(bytes.to_vec()))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<Entry>> {
        let mut entries: Vec<Entry> = Vec::new();
        for (path, bytes) in self.0 {
            let inside = match folder {
                "." => Some(*path),
                folder => path
                    .strip_prefix(folder)
                    .and_then(|rest| rest.strip_prefix('/')),
            };
            let Some(inside) = inside else { continue };
            let (name, is_folder) = match inside.split_once('/') {
                Some((name, _)) => (name, true),
                None => (inside, false),
            };
            if entries.iter().all(|entry| entry.name != name) {
                entries.push(Entry {
                    name: name.to_owned(),
                    is_folder,
                    size: bytes.len() as u64,
                    ..Entry::default()
                });
            }
        }
        if entries.is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(entries)
    }

    fn identity(&self, path: &str) -> io::Result<Option<Identity>> {
        let is_there = self.0.iter().any(|(name, _)| *name == path) || self.list(path).is_ok();
        if is_there {
            Ok(None)
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }
}

/// What is seen of `path` among these files.
pub fn examine_files(files: &[(&str, &[u8])], path: &str, options: &Options) -> FileFacts {
    examine(&Files(files), path, options)
}

/// What is seen of these bytes, named `name`.
pub fn examine_bytes(name: &str, bytes: &[u8], options: &Options) -> FileFacts {
    examine(&OneFile(bytes), name, options)
}

/// Examined under each of these names, quickly and fully, with limits that the fuzzer can reach.
fn under(names: &[&str], bytes: &[u8]) {
    let mut options = Options::default();
    options.limits.unpacked = 1 << 20;
    options.limits.memory = 1 << 17;
    for name in names {
        for full in [false, true] {
            options.full = full;
            let facts = examine_bytes(name, bytes, &options);
            let failed = facts.flaws_of(FlawKind::ReaderFailed).next();
            assert!(failed.is_none(), "a reader failed on {name}");
        }
    }
}

/// A file of any format: the first byte chooses the ending of its name, and what it is for.
pub fn any_file(bytes: &[u8]) {
    let Some((&first, bytes)) = bytes.split_first() else {
        return;
    };
    let mut options = Options::default();
    options.limits.unpacked = 1 << 20;
    options.limits.memory = 1 << 17;
    options.limits.pixels = 1 << 20;
    options.full = first & 0x80 != 0;
    if first & 0x40 != 0 {
        options.purpose = Purpose::Model;
    }
    let endings = || Format::ALL.iter().flat_map(|format| format.endings());
    let chosen = usize::from(first & 0x3f) % endings().count();
    let name = endings().nth(chosen).map(|ending| format!("a.{ending}"));
    let facts = examine_bytes(&name.unwrap_or_default(), bytes, &options);
    let failed = facts.flaws_of(FlawKind::ReaderFailed).next();
    assert!(failed.is_none(), "a reader failed: {:?}", facts.format);
}

/// TFRecord, plain and compressed.
pub fn records(bytes: &[u8]) {
    under(&["a.tfrecord", "a.tfrecord.gz", "a.tfrecord.zlib"], bytes);
}

/// NumPy arrays and archives of them.
pub fn numpy_files(bytes: &[u8]) {
    under(&["a.npy", "a.npz"], bytes);
}

/// Comma-separated text.
pub fn tables(bytes: &[u8]) {
    under(&["a.csv", "a.tsv"], bytes);
}

/// WAV sound.
pub fn sound(bytes: &[u8]) {
    under(&["a.wav"], bytes);
}

/// Parquet and Arrow.
pub fn columns(bytes: &[u8]) {
    under(&["a.parquet", "a.arrow"], bytes);
}
