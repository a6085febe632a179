//! Which library started a thread: the one that has the function with which the thread began.
//!
//! Names of threads do not tell: before 2.19 or so TensorFlow gives its threads none, and they have the program's.
//! glibc keeps the function in the thread's control block, to which the `fs` register points. The place in the block
//! differs between versions of glibc by a few words, so that a pointer to code is looked for; the block itself
//! is known by two other words. `std::thread` begins all threads with a function of libstdc++, and hands it an object
//! of a class of the library that made the thread.

use std::collections::BTreeMap;
use std::sync::Arc;

use crashlens_core::Mapping;

use crate::arch::{FUNCTION_FROM, FUNCTION_WORDS, OWN_ADDRESS, THREAD_ID};
use crate::{calls, procfs};

/// Ids are below this on every Linux.
const MAX_THREAD_ID: u64 = 1 << 22;
/// How often the mappings of one process are read for this. A program that makes a new kind of thread before every
/// fork is not to be slowed down.
const MAX_SURVEYS: u8 = 24;
/// Threads looked at in one survey.
const MAX_THREADS: usize = 1024;

/// What is known of one process's threads.
#[derive(Debug, Default)]
pub(crate) struct Starters {
    /// Libraries by thread; `None` for a thread of which it cannot be told.
    known: BTreeMap<u32, Option<Arc<str>>>,
    surveys: u8,
}

impl Starters {
    /// The libraries that started `threads` (id and control block, in the order of their ids), as far as can be told,
    /// and whether that is all.
    pub(crate) fn of(
        &mut self,
        process: u32,
        threads: &[(u32, Option<u64>)],
    ) -> (BTreeMap<Arc<str>, u64>, bool) {
        let is_alive = |known| threads.binary_search_by_key(&known, |(thread, _)| *thread);
        self.known.retain(|known, _| is_alive(*known).is_ok());
        let unknown: Vec<_> = threads
            .iter()
            .filter(|(thread, _)| !self.known.contains_key(thread))
            .take(MAX_THREADS)
            .collect();
        if !unknown.is_empty() && self.surveys < MAX_SURVEYS {
            self.surveys += 1;
            let maps = procfs::mappings(process).unwrap_or_default();
            for (thread, block) in unknown {
                let library = block.and_then(|block| starter(process, block, &maps));
                self.known.insert(*thread, library.map(Arc::from));
            }
        }
        let mut libraries = BTreeMap::new();
        for library in self.known.values().flatten() {
            *libraries.entry(Arc::clone(library)).or_insert(0) += 1;
        }
        let told = self.known.values().flatten().count();
        (libraries, told == threads.len())
    }
}

/// Path of the library that started the thread with this control block.
fn starter(process: u32, block: u64, maps: &[Mapping]) -> Option<String> {
    let own_address = word(process, block.checked_add(OWN_ADDRESS)?)?;
    let id = word(process, block.checked_add(THREAD_ID)?)? & u64::from(u32::MAX);
    if own_address != block || id == 0 || id >= MAX_THREAD_ID {
        return None;
    }
    let words: [u64; FUNCTION_WORDS] = words(process, block.checked_add(FUNCTION_FROM)?)?;
    let (function, argument) = words.windows(2).find_map(|pair| {
        let library = file_at(maps, pair[0]).filter(|mapping| mapping.is_executable())?;
        Some((library, pair[1]))
    })?;
    let path = function.path.as_deref()?;
    if path.rsplit('/').next()?.starts_with("libstdc++") {
        let class = word(process, argument)?;
        return file_at(maps, class)?.path.clone();
    }
    Some(path.to_owned())
}

/// The mapping of a file that holds `address`.
fn file_at(maps: &[Mapping], address: u64) -> Option<&Mapping> {
    let after = maps.partition_point(|mapping| mapping.start.0 <= address);
    let mapping = maps.get(after.checked_sub(1)?)?;
    let is_file = mapping
        .path
        .as_deref()
        .is_some_and(|path| path.starts_with('/'));
    (is_file && mapping.contains(address)).then_some(mapping)
}

fn word(process: u32, address: u64) -> Option<u64> {
    words::<1>(process, address).map(|[word]| word)
}

fn words<const N: usize>(process: u32, address: u64) -> Option<[u64; N]> {
    let mut bytes = vec![0; N * 8];
    let read = calls::read_memory(process, address, &mut bytes).ok()?;
    let (words, _) = bytes.as_chunks::<8>();
    let words: [[u8; 8]; N] = words.try_into().ok()?;
    (read == bytes.len()).then(|| words.map(u64::from_le_bytes))
}
