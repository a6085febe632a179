//! What was read of ELF files, kept from one time to the next by the identity of the file.
//!
//! One small file for each ELF file, written beside and renamed, so that several processes may read and write at once.
//! Whatever is not as expected (another version, a damaged or foreign file) is as if it were not there; a folder that
//! cannot be written is no failure. Nothing but this folder is ever written.

mod entry;
mod housekeeping;
mod identity;
#[cfg(test)]
mod tests;

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::elf::{self, ElfError, ElfFile, OpenFile};
pub(crate) use entry::decode_body;
use identity::Identity;

/// Smaller files are read anew in no more time than an entry would take.
const WORTH_KEEPING: u64 = 64 << 10;
/// TensorFlow's largest library takes eight megabytes.
const MAX_ENTRY: u64 = 64 << 20;

/// Readings that are kept.
#[derive(Debug, Default)]
pub(crate) struct ElfCache {
    folder: Option<PathBuf>,
    written: AtomicU64,
}

impl ElfCache {
    /// In a folder of its own in `folder`; `None` to keep nothing.
    pub(crate) fn new(folder: Option<&Path>) -> Self {
        Self {
            folder: folder.map(|folder| folder.join("elf")),
            written: AtomicU64::new(0),
        }
    }

    /// What there is to know of a file: kept or read. `vectors` asks for counts of vector instructions too.
    pub(crate) fn read(&self, path: &Path, vectors: bool) -> Result<ElfFile, ElfError> {
        let file = elf::open(path)?;
        let identity = Identity::of(&file.metadata()?);
        let kept = self.find(&identity);
        let is_enough =
            |elf: &ElfFile| !vectors || elf.cpu.vectors.is_some() || !elf::has_vectors(elf);
        if let Some(elf) = kept.filter(is_enough) {
            return Ok(elf);
        }
        let source = OpenFile {
            file: &file,
            size: identity.size,
        };
        let mut elf = elf::from_source(&source)?;
        if vectors {
            elf.cpu.vectors = elf::vectors_of(&source)?;
        }
        // A file that is being written is another one by now.
        if identity == Identity::of(&file.metadata()?) && identity.is_settled() {
            self.keep(&identity, &elf);
        }
        Ok(elf)
    }

    /// Removes what has been there for longest, where there is too much. Called once, after everything was read.
    pub(crate) fn tidy(&self) {
        if let Some(folder) = &self.folder
            && self.written.load(Ordering::Relaxed) > 0
        {
            housekeeping::tidy(folder);
        }
    }

    fn find(&self, identity: &Identity) -> Option<ElfFile> {
        let path = self.entry(identity)?;
        let file = fs::File::open(path).ok()?;
        let size = file.metadata().ok().filter(fs::Metadata::is_file)?.len();
        let mut bytes = Vec::with_capacity(size.min(MAX_ENTRY) as usize);
        file.take(MAX_ENTRY).read_to_end(&mut bytes).ok()?;
        entry::decode(&bytes, identity)
    }

    /// Fails in silence: the next time it is read anew.
    fn keep(&self, identity: &Identity, elf: &ElfFile) {
        if let Some(path) = self.entry(identity)
            && let Some(bytes) = entry::encode(identity, elf)
            && write(&path, &bytes).is_ok()
        {
            self.written.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn entry(&self, identity: &Identity) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        (identity.size >= WORTH_KEEPING).then(|| folder.join(entry::name(identity)))
    }
}

/// Writes beside and renames: whoever reads meets the old entry or the new one.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(folder)?;
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("{}{}-{count}", housekeeping::UNFINISHED, process::id());
    let beside = folder.join(name);
    let mut options = fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&beside)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // Nothing more can be done about it here; tidying takes it away later.
        let _ = fs::remove_file(&beside);
    }
    written
}
