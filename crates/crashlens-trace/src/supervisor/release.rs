//! Lets all tracees go, in whatever state they are, with the signals they were to receive.

use std::time::{Duration, Instant};

use super::Supervisor;
use crate::calls;
use crate::event::{Event, decode_event};

/// How long tracees are waited for. What has not stopped by then is let go by the kernel when the tracer ends.
const RELEASE_LIMIT: Duration = Duration::from_millis(200);

impl Supervisor<'_> {
    /// Ends tracing. Processes that outlive the main one run on.
    pub(super) fn release_all(&mut self) {
        let deadline = Instant::now() + RELEASE_LIMIT;
        // A group stop we listen to is left by being interrupted as well, and lasts after we have gone.
        let mut moving = self.tree.all_threads();
        moving.retain(|thread| !self.tree.is_stopped(*thread) && calls::interrupt(*thread).is_ok());
        while let Some((thread, status)) = self.watch.next_deferred() {
            self.release(thread, status);
        }
        while !moving.is_empty() {
            let Some((thread, status)) = self.watch.next_change(deadline) else {
                return;
            };
            self.release(thread, status);
            moving.retain(|other| *other != thread);
        }
    }

    fn release(&mut self, thread: u32, status: i32) {
        let signal = match decode_event(status, None) {
            Event::Signal { signal } => signal,
            Event::Ended { .. } => return,
            _ => 0,
        };
        let _ = calls::detach(thread, signal);
    }
}
