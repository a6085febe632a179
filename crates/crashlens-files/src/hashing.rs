//! Hashes of whole files: for manifests, and to tell duplicates.

use std::fmt::Write as _;
use std::io::{self, Read as _};

use sha2::{Digest as _, Sha256};

use crate::store::Store;

const BLOCK: usize = 256 * 1024;

/// SHA-256 of a file, in hexadecimal; of its first `most` bytes, where that is less.
pub(crate) fn hash(store: &dyn Store, path: &str, most: u64) -> io::Result<String> {
    let mut source = store.open(path)?.take(most);
    let mut hasher = Sha256::new();
    let mut block = vec![0; BLOCK];
    loop {
        let read = source.read(&mut block)?;
        if read == 0 {
            break;
        }
        hasher.update(block.get(..read).unwrap_or_default());
    }
    let mut text = String::new();
    for byte in hasher.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}
