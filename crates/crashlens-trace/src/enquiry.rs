//! Questions to file systems, which may be behind a network that does not answer.
//!
//! Whoever asks one directly may be held for ever, and with him the process that he holds. So it is asked from a
//! thread of its own, which is waited for only so long. What is asked is the asker's part.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use crate::sys;

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_millis(150);

/// A way to ask. While a question that was asked by it has no answer, no other is asked: on a dead file system a
/// thread would stay behind for each.
pub(crate) struct Line {
    busy: AtomicBool,
}

/// A question that is under way.
pub(crate) struct Enquiry<T> {
    answers: Receiver<T>,
    deadline: Instant,
}

impl Line {
    pub(crate) const fn new() -> Self {
        Self {
            busy: AtomicBool::new(false),
        }
    }

    /// Asks a question. Nothing is answered to one that cannot be asked: the line is busy, or no thread can be made,
    /// as at a limit of threads.
    pub(crate) fn ask<T: Send + 'static>(
        &'static self,
        question: impl FnOnce(&Sender<T>) + Send + 'static,
    ) -> Enquiry<T> {
        let (sender, answers) = channel();
        if sys::can_use_threads() && !self.busy.swap(true, Ordering::AcqRel) {
            let busy = Busy(self);
            // Where the thread cannot be made, the closure is dropped and the line free again.
            let _ = std::thread::Builder::new()
                .stack_size(128 << 10)
                .spawn(move || {
                    let sender = sender;
                    // Dropped before the sender: who has seen the last answer can ask again.
                    let _busy = busy;
                    question(&sender);
                });
        }
        Enquiry {
            answers,
            deadline: Instant::now() + PATIENCE,
        }
    }
}

impl<T> Enquiry<T> {
    /// The answers that come in time.
    pub(crate) fn answers(self) -> impl Iterator<Item = T> {
        std::iter::from_fn(move || {
            let left = self.deadline.saturating_duration_since(Instant::now());
            self.answers.recv_timeout(left).ok()
        })
    }
}

/// Frees the line, however the question ends.
struct Busy(&'static Line);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.busy.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_waits_for_an_answer_takes_no_other_question() {
        static LINE: Line = Line::new();
        let (release, held) = channel::<()>();
        let stuck = LINE.ask(move |answers| {
            let _ = held.recv();
            let _ = answers.send(1);
        });
        assert_eq!(stuck.answers().count(), 0);
        assert_eq!(LINE.ask(|answers| _ = answers.send(2)).answers().count(), 0);

        release.send(()).unwrap();
        while LINE.busy.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        let found: Vec<i32> = LINE.ask(|answers| _ = answers.send(3)).answers().collect();
        assert_eq!(found, [3]);
    }
}
