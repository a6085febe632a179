//! Stops all threads of a process, so that its stacks can be read.
//!
//! What happens to threads meanwhile (signals, exits, new threads, other processes of the tree) is kept
//! for the main loop, in order; nothing is answered here. A stopped thread is therefore let go when the
//! main loop comes to its event.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::event::{Event, decode_event};
use crate::tracee::Tree;
use crate::watch::Watch;
use crate::{calls, procfs};

/// New threads made by threads not yet stopped are looked for this often.
const MAX_ROUNDS: usize = 8;

/// Stops the threads of `process`. Returns when all stand still or at the deadline: a thread in an
/// uninterruptible system call, or waiting for its `vfork` child, does not stop.
pub(crate) fn freeze(tree: &mut Tree, watch: &mut Watch, process: u32, deadline: Instant) {
    let mut asked = BTreeSet::new();
    for _ in 0..MAX_ROUNDS {
        let mut moving = BTreeSet::new();
        for thread in list_threads(process).unwrap_or_else(|| tree.threads_of(process)) {
            if !tree.is_stopped(thread) && !tree.is_exiting(thread) {
                // A new thread may not be ours yet; it stops by itself, being traced from its start.
                if asked.insert(thread) {
                    let _ = calls::interrupt(thread);
                }
                moving.insert(thread);
            }
        }
        if moving.is_empty() {
            return;
        }
        while !moving.is_empty() {
            let Some((thread, status)) = watch.next_change(deadline) else {
                return;
            };
            note_change(tree, thread, status);
            watch.defer(thread, status);
            moving.remove(&thread);
        }
    }
}

/// Records in the tree that a thread stopped. Its end is dealt with by the main loop.
pub(crate) fn note_change(tree: &mut Tree, thread: u32, status: i32) {
    if !matches!(
        decode_event(status, None),
        Event::Ended { .. } | Event::Other
    ) {
        tree.process_of(thread);
        tree.set_stopped(thread, true);
    }
}

/// The kernel's list of the threads of a process.
pub(crate) fn list_threads(process: u32) -> Option<Vec<u32>> {
    procfs::thread_ids(process)
        .ok()
        .filter(|threads| !threads.is_empty())
}
