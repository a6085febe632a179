//! The integer registers of an x86-64 thread.
//!
//! Serialised under the processor's own names. Code that is not about one processor uses the neutral ones below;
//! a second processor makes this an enum with the same methods.

use serde::{Deserialize, Serialize};

use super::Address;

/// Integer registers of one x86-64 thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(missing_docs, reason = "the processor's own names")]
pub struct Registers {
    pub rip: Address,
    pub rsp: Address,
    pub rbp: Address,
    pub rax: Address,
    pub rbx: Address,
    pub rcx: Address,
    pub rdx: Address,
    pub rsi: Address,
    pub rdi: Address,
    pub r8: Address,
    pub r9: Address,
    pub r10: Address,
    pub r11: Address,
    pub r12: Address,
    pub r13: Address,
    pub r14: Address,
    pub r15: Address,
    pub eflags: Address,
    pub fs_base: Address,
    pub gs_base: Address,
}

impl Registers {
    /// The program counter: the instruction that was to be executed.
    pub fn pc(&self) -> Address {
        self.rip
    }

    /// The stack pointer.
    pub fn sp(&self) -> Address {
        self.rsp
    }

    /// The frame pointer, in code that keeps one.
    pub fn fp(&self) -> Address {
        self.rbp
    }

    /// The thread pointer: the base of the thread's own memory, where the C library keeps its record of it.
    pub fn thread_pointer(&self) -> Address {
        self.fs_base
    }

    /// The first argument of the system call that the thread is in or has just left.
    pub fn first_argument(&self) -> Address {
        self.rdi
    }
}
