//! The first process of a container, which tracing would keep alive.
//!
//! The kernel spares such a process the default action of signals, but not of its own faults: a null pointer
//! ends it as it ends any other. Unless it is traced. Then it is spared that too, runs the same
//! instruction again, and faults for ever at full speed; the container hangs that would have ended.

use super::{Aim, End, Supervisor};
use crate::calls;
use crate::siginfo::SignalRecord;
use crate::status::ThreadStatus;
use crate::tracee::Death;

impl Supervisor<'_> {
    /// Whether the process would end of this signal alone, and will not while it is traced.
    pub(super) fn is_spared_by_tracing(
        &mut self,
        thread: u32,
        process: u32,
        record: &SignalRecord,
    ) -> bool {
        let is_fault = record.signal.is_fault() && record.code.is_some_and(|code| code > 0);
        let has_met_death = self
            .tree
            .process(process)
            .is_some_and(|known| !matches!(known.death, Death::None));
        is_fault
            && has_met_death
            && ThreadStatus::read(thread).is_ok_and(|status| {
                status.is_in_first_process() && status.takes_default_action(record.signal)
            })
    }

    /// Reports the death, which nobody may be left to report afterwards, and lets the thread go: it faults
    /// once more, and its process ends as it would have.
    pub(super) fn let_die(&mut self, thread: u32, process: u32, signal: i32) {
        self.report_unfinished(process);
        if calls::detach(thread, signal).is_err() {
            self.resume(thread, signal);
            return;
        }
        self.tree.remove(thread);
        if thread == self.main && self.aim == Aim::Attach {
            // The end of a process that is neither traced nor our child is told to others.
            self.end = Some(End::Ended(signal));
        }
    }
}
