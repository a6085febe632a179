//! Threads, process and signal, as x86-64 Linux lays their notes out.

use crashlens_core::{Address, Registers, Signal};

use super::super::bounded;

/// Where the registers start in a thread's note.
const REGISTERS: usize = 112;

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
        // The kernel's order, which is the order it pushes them in: r15 first.
        let register = |index: usize| bounded::u64(bytes, REGISTERS + 8 * index).map(Address);
        let registers = Registers {
            r15: register(0)?,
            r14: register(1)?,
            r13: register(2)?,
            r12: register(3)?,
            rbp: register(4)?,
            rbx: register(5)?,
            r11: register(6)?,
            r10: register(7)?,
            r9: register(8)?,
            r8: register(9)?,
            rax: register(10)?,
            rcx: register(11)?,
            rdx: register(12)?,
            rsi: register(13)?,
            rdi: register(14)?,
            rip: register(16)?,
            eflags: register(18)?,
            rsp: register(19)?,
            fs_base: register(21)?,
            gs_base: register(22)?,
        };
        let current_signal = i32::from(bounded::u16(bytes, 12)?);
        Some(Self {
            id: bounded::u32(bytes, 32)?,
            current_signal,
            registers,
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
