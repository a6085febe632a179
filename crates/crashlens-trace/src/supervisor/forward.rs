//! Signals to crashlens that are meant for the program.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crashlens_core::Signal;
use nix::sys::signalfd::siginfo;

use super::{Aim, End, Supervisor};
use crate::event::{Event, decode_event};
use crate::freeze::note_change;
use crate::siginfo::{SignalRecord, is_from_process};
use crate::status::ThreadStatus;
use crate::{calls, sys};

/// Signals to the main process that are remembered to recognise their twins.
const MAX_DELIVERIES: usize = 16;
/// A twin older than this is another signal.
const TWIN_AGE: Duration = Duration::from_secs(3);
/// How long the main process may take to receive what was sent to the whole group.
const TWIN_WAIT: Duration = Duration::from_millis(5);

/// Signals that reached the main process lately.
///
/// `kill -TERM -- -GROUP`, and schedulers, send to crashlens and the program alike. The program must
/// receive one signal, not two: Python programs commonly take the second SIGINT for "now at once".
#[derive(Debug, Default)]
pub(super) struct Deliveries {
    received: VecDeque<(Instant, i32, u32)>,
    /// Signals that were matched before the main process received them.
    awaited: VecDeque<(Instant, i32)>,
}

impl Deliveries {
    /// Notes a signal that the main process receives.
    pub(super) fn note(&mut self, record: &SignalRecord) {
        let Some(sender) = record.sender else { return };
        let signal = record.signal.0;
        self.awaited.retain(|(at, _)| at.elapsed() < TWIN_AGE);
        if let Some(index) = self.awaited.iter().position(|(_, it)| *it == signal) {
            self.awaited.remove(index);
            return;
        }
        if self.received.len() == MAX_DELIVERIES {
            self.received.pop_front();
        }
        self.received.push_back((Instant::now(), signal, sender));
    }

    /// A signal that the main process is about to receive has been matched.
    fn match_in_advance(&mut self, signal: i32) {
        if self.awaited.len() == MAX_DELIVERIES {
            self.awaited.pop_front();
        }
        self.awaited.push_back((Instant::now(), signal));
    }

    /// Whether the main process received the same signal from the same sender; each is matched once.
    fn take_twin(&mut self, signal: i32, sender: u32) -> bool {
        self.received.retain(|(at, ..)| at.elapsed() < TWIN_AGE);
        let twin = self
            .received
            .iter()
            .position(|(_, number, from)| (*number, *from) == (signal, sender));
        twin.and_then(|index| self.received.remove(index)).is_some()
    }
}

impl Supervisor<'_> {
    /// crashlens received a signal.
    pub(super) fn received(&mut self, info: &siginfo) {
        let signal = info.ssi_signo as i32;
        match (self.aim, signal) {
            // A program that is stopped does not stop again; where crashlens is not, Ctrl-Z would not give the terminal back.
            (Aim::Run, libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU) if self.main_stands_still => {
                self.stop_due = Some(signal);
            }
            (Aim::Run, libc::SIGCONT) => self.continued(info),
            (Aim::Run, _) => {
                // The terminal sends its signals to all in the foreground, the program included.
                if is_from_process(info.ssi_code) {
                    self.forward(signal, info.ssi_pid);
                }
            }
            (Aim::Attach, libc::SIGINT | libc::SIGTERM | libc::SIGHUP | libc::SIGQUIT) => {
                self.end = Some(End::LetGo);
            }
            (Aim::Attach, _) => {}
        }
    }

    pub(super) fn forward(&mut self, signal: i32, sender: u32) {
        if !self.has_twin(signal, sender) {
            let _ = sys::kill(self.main, signal);
        }
    }

    /// Whether the main process has received the signal from the same sender, or is about to.
    fn has_twin(&mut self, signal: i32, sender: u32) -> bool {
        let pending =
            ThreadStatus::read(self.main).is_ok_and(|status| status.is_pending(Signal(signal)));
        if self.deliveries.take_twin(signal, sender) {
            return true;
        }
        if pending {
            self.deliveries.match_in_advance(signal);
            return true;
        }
        // Between being pending and being reported to us a signal shows nowhere, for a moment.
        let deadline = Instant::now() + TWIN_WAIT;
        while let Some((thread, status)) = self.watch.next_change(deadline) {
            note_change(&mut self.tree, thread, status);
            self.watch.defer(thread, status);
            let of_main = self.tree.known_process_of(thread) == Some(self.main);
            if of_main && decode_event(status, None) == (Event::Signal { signal }) {
                let is_twin =
                    calls::signal_record(thread).is_ok_and(|record| record.sender == Some(sender));
                if is_twin {
                    self.deliveries.match_in_advance(signal);
                }
                return is_twin;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term_from(sender: u32) -> SignalRecord {
        SignalRecord::from_parts(Signal(libc::SIGTERM), 0, 0, sender)
    }

    #[test]
    fn a_signal_to_the_whole_group_is_recognised_once() {
        let mut deliveries = Deliveries::default();
        deliveries.note(&term_from(77));
        assert!(deliveries.take_twin(libc::SIGTERM, 77));
        assert!(!deliveries.take_twin(libc::SIGTERM, 77));
    }

    #[test]
    fn a_signal_that_was_matched_before_it_arrived_is_not_matched_again() {
        let mut deliveries = Deliveries::default();
        deliveries.match_in_advance(libc::SIGTERM);
        deliveries.note(&term_from(77));
        assert!(!deliveries.take_twin(libc::SIGTERM, 77));
        deliveries.note(&term_from(77));
        assert!(deliveries.take_twin(libc::SIGTERM, 77));
    }

    #[test]
    fn another_sender_or_signal_is_no_twin() {
        let mut deliveries = Deliveries::default();
        deliveries.note(&term_from(77));
        assert!(!deliveries.take_twin(libc::SIGTERM, 78));
        assert!(!deliveries.take_twin(libc::SIGINT, 77));
    }

    #[test]
    fn few_deliveries_are_kept() {
        let mut deliveries = Deliveries::default();
        for sender in 0..100 {
            deliveries.note(&term_from(sender));
        }
        assert_eq!(deliveries.received.len(), MAX_DELIVERIES);
        assert!(deliveries.take_twin(libc::SIGTERM, 99));
    }
}
