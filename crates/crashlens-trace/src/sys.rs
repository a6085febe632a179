//! Every system call of the project that Rust cannot check, each behind a safe function.
#![expect(
    unsafe_code,
    reason = "the one place where the kernel is spoken to directly"
)]

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Maps a whole file for reading.
pub(crate) fn map_file(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is read as bytes that may change at any time: every reader checks bounds on each
    // access. A file cut short while it is mapped would raise SIGBUS; cores and loaded libraries are
    // replaced, not cut, by all who write them.
    unsafe { Mmap::map(file) }
}
