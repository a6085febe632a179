//! The integer registers of an x86-64 thread.

use serde::{Deserialize, Serialize};

use super::Address;

/// Integer registers of one x86-64 thread.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
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
