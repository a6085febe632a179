//! Work that several threads share.

use std::thread::{self, Builder};

/// Does the work on so many threads, the calling one among them. Where the system refuses a thread, which is among the
/// things a check is to find, those that there are do it all.
pub(crate) fn share(threads: usize, work: impl Fn() + Copy + Send) {
    thread::scope(|scope| {
        for _ in 1..threads {
            if Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn the_calling_thread_works_too() {
        for (threads, times) in [(0, 1), (1, 1), (3, 3)] {
            let count = AtomicUsize::new(0);
            share(threads, || {
                count.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(count.into_inner(), times);
        }
    }
}
