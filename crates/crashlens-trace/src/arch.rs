//! What the kernel and the C library do differently on each processor: registers, system calls, control blocks.
//!
//! The list of exports is the interface of a processor; another one is a second file beside `x86_64`, chosen by
//! `cfg(target_arch)`: only programs of this machine's own processor are traced.

mod x86_64;

pub(crate) use x86_64::{
    FUNCTION_FROM, FUNCTION_WORDS, MACHINE, OWN_ADDRESS, THREAD_ID, UserRegisters, call_again,
    entered_call, interrupted_call, registers,
};

/// A system call as the kernel sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SystemCall {
    pub(crate) number: i64,
    /// The first four arguments.
    pub(crate) arguments: [u64; 4],
}
