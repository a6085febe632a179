//! Lets all tracees go, in whatever state they are, with the signals they were to receive.

use std::time::{Duration, Instant};

use crate::event::{Event, decode_event};
use crate::tracee::Tree;
use crate::watch::Watch;
use crate::{calls, interruption};

/// How long tracees are waited for. What has not stopped by then is let go by the kernel when the tracer ends.
const RELEASE_LIMIT: Duration = Duration::from_millis(200);

/// Ends tracing of all that is in the tree.
pub(crate) fn release_all(tree: &Tree, watch: &mut Watch) {
    let deadline = Instant::now() + RELEASE_LIMIT;
    // A group stop we listen to is left by being interrupted as well, and lasts after we have gone.
    let mut moving = tree.all_threads();
    moving.retain(|thread| !tree.is_stopped(*thread) && calls::interrupt(*thread).is_ok());
    while let Some((thread, status)) = watch.next_deferred() {
        release(thread, status);
    }
    while !moving.is_empty() {
        let Some((thread, status)) = watch.next_change(deadline) else {
            return;
        };
        release(thread, status);
        moving.retain(|other| *other != thread);
    }
}

fn release(thread: u32, status: i32) {
    let signal = match decode_event(status, None) {
        Event::Signal { signal } => signal,
        Event::Ended { .. } => return,
        Event::Interrupted => {
            interruption::undo(thread);
            0
        }
        _ => 0,
    };
    let _ = calls::detach(thread, signal);
}
