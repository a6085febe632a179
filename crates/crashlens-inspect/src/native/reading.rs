//! Reading many files at once.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::Reading;
use super::choice::Chosen;
use crate::cache::ElfCache;
use crate::elf::{ElfError, ElfFile};
use crate::{Progress, crew};

/// More would wait for the disk, and each holds buffers.
const MAX_THREADS: usize = 16;

/// Reads all files; the readings are in the order of the files. The largest are begun first: one of TensorFlow's takes as
/// long as all others together.
pub(super) fn all(
    files: Vec<Chosen>,
    cache: &ElfCache,
    vectors: bool,
    progress: &dyn Progress,
) -> Vec<Reading> {
    progress.begin(files.len() as u64);
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(files.get(*index).map_or(0, |file| file.size)));
    let results: Mutex<Vec<(usize, Result<ElfFile, ElfError>)>> = Mutex::default();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some(file) = files.get(*index) else {
                continue;
            };
            let read = cache.read(&file.path, vectors);
            if let Ok(mut results) = results.lock() {
                results.push((*index, read));
            }
            progress.advance();
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    crew::share(threads.min(MAX_THREADS).min(files.len()), work);
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(index, _)| *index);
    let readings = files.into_iter().zip(results);
    readings
        .map(|(file, (_, elf))| Reading { file, elf })
        .collect()
}
