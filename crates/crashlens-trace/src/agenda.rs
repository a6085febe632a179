//! What the tracer does by the clock, and how long it may therefore wait for events.
//!
//! There is no thread and no timer for it: the one wait of the main loop ends when the next chore is due. What
//! a chore does is decided where the [`Chore`] is met, in the supervisor.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// No chore comes round faster, whatever it asks for: the tracer must not keep itself busy.
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);

/// Something that is done by the clock. In the order in which those that are due together are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Chore {
    /// Report deaths of processes that take long to end.
    SlowDeaths,
    /// Remember what is mapped.
    Mappings,
    /// Take a sample of the memory of all processes.
    Memory,
    /// Look whether the tree makes progress.
    Progress,
    /// Look at a program that is not traced.
    Look,
}

/// When each chore is due.
#[derive(Debug, Default)]
pub(crate) struct Agenda(BTreeMap<Chore, Instant>);

impl Agenda {
    /// Has a chore done once, `pause` after `now`; an earlier appointment for it is dropped.
    pub(crate) fn set(&mut self, chore: Chore, now: Instant, pause: Duration) {
        self.0.insert(chore, now + pause.max(SHORTEST_PAUSE));
    }

    /// Takes a chore off.
    pub(crate) fn cancel(&mut self, chore: Chore) {
        self.0.remove(&chore);
    }

    /// A chore that is due, which is taken off: whoever does it sets the next time.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<Chore> {
        let chore = *self.0.iter().find(|(_, due)| **due <= now)?.0;
        self.0.remove(&chore);
        Some(chore)
    }

    /// How long nothing is due; `None` for ever.
    pub(crate) fn patience(&self, now: Instant) -> Option<Duration> {
        let due = self.0.values().min()?;
        Some(due.saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_chores_the_wait_is_for_ever() {
        let mut agenda = Agenda::default();
        let now = Instant::now();
        assert_eq!(agenda.patience(now), None);
        agenda.set(Chore::SlowDeaths, now, Duration::from_millis(50));
        assert_eq!(agenda.patience(now), Some(Duration::from_millis(50)));
        agenda.cancel(Chore::SlowDeaths);
        assert_eq!(agenda.patience(now), None);
    }

    #[test]
    fn a_chore_is_due_once_and_never_at_once() {
        let mut agenda = Agenda::default();
        let now = Instant::now();
        agenda.set(Chore::SlowDeaths, now, Duration::ZERO);
        assert_eq!(agenda.take_due(now), None);
        let later = now + SHORTEST_PAUSE;
        assert_eq!(agenda.patience(later), Some(Duration::ZERO));
        assert_eq!(agenda.take_due(later), Some(Chore::SlowDeaths));
        assert_eq!(agenda.take_due(later), None);
    }
}
