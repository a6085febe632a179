//! The facts the kernel gives with a signal.

use crashlens_core::{Address, Signal};

/// `si_code` of a signal that the kernel raised without saying more.
pub(crate) const SI_KERNEL: i32 = 0x80;
const SI_USER: i32 = 0;
const SI_QUEUE: i32 = -1;
const SI_TKILL: i32 = -6;

/// A signal as it reached a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SignalRecord {
    /// The signal.
    pub(crate) signal: Signal,
    /// `si_code`; `None` when it could not be seen.
    pub(crate) code: Option<i32>,
    /// The faulting address, where the kernel gave one.
    pub(crate) address: Option<Address>,
    /// The process that sent it, where one did; as the receiver sees process ids.
    pub(crate) sender: Option<u32>,
}

impl SignalRecord {
    /// From the parts of a `siginfo_t`: `address` and `sender` share their bytes, and signal and code tell
    /// which of them is meant.
    pub(crate) fn from_parts(signal: Signal, code: i32, address: u64, sender: u32) -> Self {
        // SI_KERNEL is what a non-canonical address gives: the processor does not tell the address then, and
        // the zero in its place would read as a null pointer.
        let has_address = signal.is_fault() && code > 0 && code != SI_KERNEL;
        let has_sender = is_from_process(code);
        Self {
            signal,
            code: Some(code),
            address: has_address.then_some(Address(address)),
            sender: has_sender.then_some(sender),
        }
    }

    /// `si_code` by name.
    pub(crate) fn code_name(&self) -> Option<String> {
        self.code.map(|code| self.signal.code_name(code))
    }

    /// A signal of which only the number is known.
    pub(crate) fn bare(signal: Signal) -> Self {
        Self {
            signal,
            code: None,
            address: None,
            sender: None,
        }
    }
}

/// Whether a signal with this `si_code` was sent by a process with `kill`, `tgkill` or `sigqueue`.
pub(crate) fn is_from_process(code: i32) -> bool {
    matches!(code, SI_USER | SI_QUEUE | SI_TKILL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_has_an_address_and_no_sender() {
        let record = SignalRecord::from_parts(Signal::SEGV, 1, 0x138, 0x138);
        assert_eq!(
            (record.address, record.sender),
            (Some(Address(0x138)), None)
        );
    }

    #[test]
    fn a_raised_signal_has_a_sender_and_no_address() {
        let record = SignalRecord::from_parts(Signal::SEGV, SI_TKILL, 0x2b27, 0x2b27);
        assert_eq!((record.address, record.sender), (None, Some(0x2b27)));
    }

    #[test]
    fn a_non_canonical_access_is_not_a_null_pointer() {
        assert_eq!(
            SignalRecord::from_parts(Signal::SEGV, SI_KERNEL, 0, 0).address,
            None
        );
    }
}
