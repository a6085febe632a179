//! The first chances: faults that reached a handler of the program before it died, or did not die.
//!
//! faulthandler, absl and glog catch a fault, write their lines and raise the signal again. What then
//! kills the process is `SI_TKILL` out of `raise`, with a process id where the fault's address would be.
//! The record made when the fault first reached the thread is the one that explains the death.

use crashlens_core::{Address, Fault, Registers, Signal};

use crate::siginfo::{SI_KERNEL, SignalRecord, is_from_process};

/// Faults at as many different instructions are remembered.
const MAX_REMEMBERED: usize = 16;
/// A fault survived this often at one instruction is part of how the program works. Java and Julia stop
/// threads and check for null by faults, thousands a second.
const ROUTINE: u64 = 64;

/// A fault that a handler of the program received.
#[derive(Debug, Clone)]
pub(crate) struct SeenFault {
    pub(crate) thread: u32,
    pub(crate) record: SignalRecord,
    pub(crate) registers: Registers,
    count: u64,
    first_seen: u64,
    last_seen: u64,
}

/// The faults of one process that a handler received.
#[derive(Debug, Default)]
pub(crate) struct FaultHistory {
    seen: Vec<SeenFault>,
    clock: u64,
}

impl FaultHistory {
    /// Counts a fault at an instruction where faults are routine; `false` when they are not.
    pub(crate) fn count_routine(&mut self, signal: Signal, instruction: Address) -> bool {
        let routine = self
            .find(signal, instruction)
            .filter(|fault| fault.count >= ROUTINE);
        routine.map(|fault| fault.count += 1).is_some()
    }

    /// Remembers a fault that is now passed to a handler of the program.
    pub(crate) fn remember(&mut self, thread: u32, record: SignalRecord, registers: Registers) {
        self.clock += 1;
        let clock = self.clock;
        if let Some(known) = self.find(record.signal, registers.pc()) {
            *known = SeenFault {
                thread,
                record,
                registers,
                count: known.count + 1,
                last_seen: clock,
                ..*known
            };
            return;
        }
        if self.seen.len() >= MAX_REMEMBERED {
            let stalest = self
                .seen
                .iter()
                .enumerate()
                .min_by_key(|(_, fault)| fault.last_seen);
            if let Some((index, _)) = stalest {
                self.seen.remove(index);
            }
        }
        self.seen.push(SeenFault {
            thread,
            record,
            registers,
            count: 1,
            first_seen: clock,
            last_seen: clock,
        });
    }

    fn find(&mut self, signal: Signal, instruction: Address) -> Option<&mut SeenFault> {
        self.seen
            .iter_mut()
            .find(|fault| fault.record.signal == signal && fault.registers.pc() == instruction)
    }

    /// The fault of which the signal `last`, on `thread`, is the repetition: sent by the process to itself
    /// (`own_ids`: its id here and in its own namespace), or by the kernel because the handler could not be
    /// entered for want of stack.
    pub(crate) fn raised_again(
        &self,
        last: &SignalRecord,
        thread: u32,
        registers: Option<&Registers>,
        own_ids: &[u32],
    ) -> Option<&SeenFault> {
        if last.code == Some(SI_KERNEL) {
            // The thread has not moved since the fault. The kernel's second signal has no address.
            return self.seen.iter().find(|fault| {
                fault.record.signal == last.signal
                    && fault.thread == thread
                    && registers.is_some_and(|now| {
                        (now.pc(), now.sp()) == (fault.registers.pc(), fault.registers.sp())
                    })
            });
        }
        let from_itself = last.sender.is_some_and(|sender| own_ids.contains(&sender));
        if !last.code.is_some_and(is_from_process) || !from_itself {
            return None;
        }
        let same_signal = || {
            self.seen
                .iter()
                .filter(|fault| fault.record.signal == last.signal)
        };
        same_signal()
            .filter(|fault| fault.thread == thread)
            .max_by_key(|fault| fault.last_seen)
            .or_else(|| same_signal().max_by_key(|fault| fault.last_seen))
    }

    /// The latest fault with this signal, for a death that the kernel forced without a stop: a handler
    /// could not be entered, because the stack it needs was used up.
    pub(crate) fn latest(&self, signal: Signal) -> Option<&SeenFault> {
        self.seen
            .iter()
            .filter(|fault| fault.record.signal == signal)
            .max_by_key(|fault| fault.last_seen)
    }

    /// All remembered faults, oldest first.
    pub(crate) fn listed(&self) -> Vec<Fault> {
        let mut seen: Vec<_> = self.seen.iter().collect();
        seen.sort_by_key(|fault| fault.first_seen);
        let list = seen.into_iter().map(|fault| Fault {
            thread: fault.thread,
            signal: fault.record.signal,
            code: fault.record.code_name().unwrap_or_default(),
            address: fault.record.address,
            instruction_pointer: fault.registers.pc(),
            count: fault.count,
        });
        list.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(rip: u64) -> Registers {
        Registers {
            rip: Address(rip),
            ..Registers::default()
        }
    }

    fn null_read() -> SignalRecord {
        SignalRecord::from_parts(Signal::SEGV, 1, 0, 0)
    }

    fn raised_by(pid: u32) -> SignalRecord {
        SignalRecord::from_parts(Signal::SEGV, -6, 0, pid)
    }

    #[test]
    fn a_raised_signal_is_traced_back_to_its_fault() {
        let mut history = FaultHistory::default();
        history.remember(5, null_read(), at(0x10));
        history.remember(6, null_read(), at(0x20));
        let first = history.raised_again(&raised_by(4), 5, None, &[4]).unwrap();
        assert_eq!((first.thread, first.registers.rip), (5, Address(0x10)));
    }

    #[test]
    fn a_raised_signal_on_another_thread_is_traced_back_to_the_latest_fault() {
        let mut history = FaultHistory::default();
        history.remember(5, null_read(), at(0x10));
        history.remember(6, null_read(), at(0x20));
        assert_eq!(
            history
                .raised_again(&raised_by(4), 7, None, &[4])
                .unwrap()
                .thread,
            6
        );
    }

    #[test]
    fn a_signal_from_another_process_or_a_second_fault_stands_for_itself() {
        let mut history = FaultHistory::default();
        history.remember(5, null_read(), at(0x10));
        assert!(
            history
                .raised_again(&raised_by(99), 5, None, &[4])
                .is_none()
        );
        assert!(history.raised_again(&null_read(), 5, None, &[4]).is_none());
    }

    #[test]
    fn a_handler_that_had_no_stack_to_run_on_leaves_the_fault_as_the_cause() {
        let mut history = FaultHistory::default();
        history.remember(5, null_read(), at(0x10));
        let forced = SignalRecord::from_parts(Signal::SEGV, SI_KERNEL, 0, 0);
        assert!(
            history
                .raised_again(&forced, 5, Some(&at(0x10)), &[4])
                .is_some()
        );
        assert!(
            history
                .raised_again(&forced, 5, Some(&at(0x11)), &[4])
                .is_none()
        );
        assert!(
            history
                .raised_again(&forced, 6, Some(&at(0x10)), &[4])
                .is_none()
        );
    }

    #[test]
    fn thousands_of_faults_at_one_instruction_are_only_counted() {
        let mut history = FaultHistory::default();
        for _ in 0..ROUTINE {
            assert!(!history.count_routine(Signal::SEGV, Address(0x10)));
            history.remember(5, null_read(), at(0x10));
        }
        assert!(history.count_routine(Signal::SEGV, Address(0x10)));
        assert!(!history.count_routine(Signal::SEGV, Address(0x11)));
        assert_eq!(history.listed()[0].count, ROUTINE + 1);
    }

    #[test]
    fn the_list_is_bounded_and_keeps_the_latest() {
        let mut history = FaultHistory::default();
        for rip in 0..100 {
            history.remember(5, null_read(), at(rip));
        }
        let listed = history.listed();
        assert_eq!(listed.len(), MAX_REMEMBERED);
        assert_eq!(
            listed.last().map(|fault| fault.instruction_pointer),
            Some(Address(99))
        );
    }
}
