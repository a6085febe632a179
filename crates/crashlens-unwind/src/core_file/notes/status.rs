//! Threads, process and signal, as 64-bit Linux lays their notes out.

use crashlens_core::{Registers, Signal};

use super::super::bounded;
use crate::arch;

/// One thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct CoreThread {
    pub(in super::super) id: u32,
    /// The signal the thread was taking; 0 for none.
    pub(in super::super) current_signal: i32,
    pub(in super::super) registers: Registers,
    /// What the kernel said about that signal. Linux writes it for the first thread, gdb for each.
    pub(in super::super) signal: Option<SignalFacts>,
}

impl CoreThread {
    /// From `struct elf_prstatus`.
    pub(super) fn from_note(bytes: &[u8]) -> Option<Self> {
        let current_signal = i32::from(bounded::u16(bytes, 12)?);
        Some(Self {
            id: bounded::u32(bytes, 32)?,
            current_signal,
            registers: arch::thread_registers(bytes)?,
            signal: None,
        })
    }
}

/// The process, as the core names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoreProcess {
    /// Process id.
    pub pid: u32,
    /// Parent's process id.
    pub parent_pid: u32,
    /// Its real user id.
    pub user_id: u32,
    /// `comm` of its first thread, at most 15 bytes.
    pub name: String,
    /// The first 79 bytes of its command line, arguments joined by spaces.
    pub command_line: String,
}

impl CoreProcess {
    /// From `struct elf_prpsinfo`.
    pub(super) fn from_note(bytes: &[u8]) -> Option<Self> {
        Some(Self {
            user_id: bounded::u32(bytes, 16)?,
            pid: bounded::u32(bytes, 24)?,
            parent_pid: bounded::u32(bytes, 28)?,
            name: bounded::text(bytes, 40, 16)?,
            command_line: bounded::text(bytes, 56, 80)?.trim_end().to_owned(),
        })
    }
}

/// The signal that ended the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignalFacts {
    /// The signal.
    pub signal: Signal,
    /// `si_code`; `None` when the core does not say.
    pub code: Option<i32>,
    /// The address whose access raised the fault, where the kernel gave one.
    pub address: Option<u64>,
    /// The process that sent the signal, where one did.
    pub sender_pid: Option<u32>,
}

/// `SI_KERNEL`: the processor raised a fault without an address, as for a non-canonical one.
const FROM_KERNEL: i32 = 0x80;
/// `SI_USER`, `SI_QUEUE` and `SI_TKILL`: the codes that carry a sender.
const SENT: [i32; 3] = [0, -1, -6];

impl SignalFacts {
    /// From `siginfo_t`.
    pub(super) fn from_note(bytes: &[u8]) -> Option<Self> {
        let signal = Signal(bounded::i32(bytes, 0)?);
        let code = bounded::i32(bytes, 8)?;
        let has_address = signal.is_fault() && code > 0 && code != FROM_KERNEL;
        let address = bounded::u64(bytes, 16)?;
        let sender = bounded::u32(bytes, 16)?;
        Some(Self {
            signal,
            code: Some(code),
            address: has_address.then_some(address),
            sender_pid: SENT.contains(&code).then_some(sender),
        })
    }
}
