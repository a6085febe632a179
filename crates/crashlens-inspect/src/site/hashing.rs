//! Whether a file's content is what was listed.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use sha2::{Digest, Sha256};

use crate::{bounded, crew};

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const CHUNK: usize = 1 << 18;

/// A file whose content is to be compared.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) path: PathBuf,
    pub(super) sha256: Vec<u8>,
    pub(super) size: u64,
    /// Stands for the path among claims.
    pub(super) key: u64,
}

/// The checks whose file can be read and is another than the listed one, in their order; on all processors.
pub(super) fn differing(checks: Vec<(usize, Check)>) -> Vec<(usize, Check)> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(BTreeSet::new());
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((_, check)) = checks.get(index) else {
                return;
            };
            let differs = of_file(&check.path).is_some_and(|sha256| sha256 != check.sha256);
            if let (true, Ok(mut found)) = (differs, found.lock()) {
                found.insert(index);
            }
        }
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    crew::share(processors.min(checks.len()), work);
    let found = found.into_inner().unwrap_or_default();
    let numbered = checks.into_iter().enumerate();
    let differing = numbered.filter(|(index, _)| found.contains(index));
    differing.map(|(_, check)| check).collect()
}

/// SHA-256 as `RECORD` writes it. `None` where the file cannot be read.
pub(super) fn of_file(path: &Path) -> Option<Vec<u8>> {
    let mut file = bounded::open(path).ok()?;
    // What grows while it is read is not read for ever.
    let size = file.metadata().ok()?.len();
    let mut file = file.by_ref().take(size.saturating_add(1));
    let mut digest = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = file.read(&mut chunk).ok()?;
        if read == 0 {
            return Some(base64(&digest.finalize()));
        }
        digest.update(chunk.get(..read)?);
    }
}

/// Base 64 for addresses, without padding.
fn base64(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for letter in 0..=group.len() {
            let index = (bits >> (18 - 6 * letter)) & 63;
            text.push(LETTERS[index as usize]);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_written_as_record_writes_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("empty");
        std::fs::write(&path, "").unwrap();
        let expected = b"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";
        assert_eq!(of_file(&path).as_deref(), Some(&expected[..]));
        assert_eq!(of_file(folder.path()), None);
    }
}
