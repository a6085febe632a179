//! x86-64 on Linux with glibc.

use crashlens_core::{Address, Registers};

use super::SystemCall;

/// The registers of a stopped tracee as the kernel has them, the system call number included.
pub(crate) type UserRegisters = libc::user_regs_struct;

/// The processor as `uname` names it.
pub(crate) const MACHINE: &str = "x86_64";

/// Where a thread's control block has its own address.
pub(crate) const OWN_ADDRESS: u64 = 0x10;
/// Where it has the thread's id, in all versions of glibc.
pub(crate) const THREAD_ID: u64 = 0x2d0;
/// Where it has the function that the thread runs and its argument: within these words.
pub(crate) const FUNCTION_FROM: u64 = 0x618;
pub(crate) const FUNCTION_WORDS: usize = 9;

/// What the result register holds while a system call is being entered.
const ENTERING: i64 = -(libc::ENOSYS as i64);
/// `EINTR` if a handler of the program runs now, and otherwise the call again. Known to the kernel alone.
const ERESTARTNOHAND: i64 = 514;
/// Code segment of 64-bit programs: others number their system calls differently.
const LONG_MODE: u64 = 0x33;

/// In the capture's form.
pub(crate) fn registers(user: &UserRegisters) -> Registers {
    Registers {
        rip: Address(user.rip),
        rsp: Address(user.rsp),
        rbp: Address(user.rbp),
        rax: Address(user.rax),
        rbx: Address(user.rbx),
        rcx: Address(user.rcx),
        rdx: Address(user.rdx),
        rsi: Address(user.rsi),
        rdi: Address(user.rdi),
        r8: Address(user.r8),
        r9: Address(user.r9),
        r10: Address(user.r10),
        r11: Address(user.r11),
        r12: Address(user.r12),
        r13: Address(user.r13),
        r14: Address(user.r14),
        r15: Address(user.r15),
        eflags: Address(user.eflags),
        fs_base: Address(user.fs_base),
        gs_base: Address(user.gs_base),
    }
}

/// The system call that the thread is entering.
pub(crate) fn entered_call(user: &UserRegisters) -> Option<SystemCall> {
    (user.rax as i64 == ENTERING).then(|| call(user))
}

/// The system call that a signal has cut short with `EINTR`, in a 64-bit program.
pub(crate) fn interrupted_call(user: &UserRegisters) -> Option<SystemCall> {
    let is_cut = user.rax as i64 == -i64::from(libc::EINTR);
    (is_cut && user.cs == LONG_MODE).then(|| call(user))
}

/// The registers with which the kernel makes an interrupted call again.
pub(crate) fn call_again(user: UserRegisters) -> UserRegisters {
    UserRegisters {
        rax: -ERESTARTNOHAND as u64,
        ..user
    }
}

fn call(user: &UserRegisters) -> SystemCall {
    SystemCall {
        number: user.orig_rax as i64,
        arguments: [user.rdi, user.rsi, user.rdx, user.r10],
    }
}
