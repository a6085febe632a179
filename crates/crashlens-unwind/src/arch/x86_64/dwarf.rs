//! Registers by the numbers that unwind tables give them.

use crashlens_core::Registers;
use gimli::{Register, X86_64};

use crate::{ReadMemory, Unreadable};

/// Registers by DWARF number; `None` once a value is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Known([Option<u64>; 17]);

impl Known {
    /// Where execution is, or is to return to.
    pub(crate) const PC: Register = X86_64::RA;
    pub(crate) const SP: Register = X86_64::RSP;
    pub(crate) const FP: Register = X86_64::RBP;

    pub(crate) fn from(registers: &Registers) -> Self {
        let r = registers;
        let in_dwarf_order = [
            r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9, r.r10, r.r11,
            r.r12, r.r13, r.r14, r.r15, r.rip,
        ];
        Self(in_dwarf_order.map(|value| Some(value.0)))
    }

    pub(crate) fn get(&self, register: Register) -> Option<u64> {
        self.0.get(usize::from(register.0)).copied().flatten()
    }

    pub(crate) fn set(&mut self, register: Register, value: Option<u64>) {
        if let Some(slot) = self.0.get_mut(usize::from(register.0)) {
            *slot = value;
        }
    }

    /// The registers that a caller can rely on after a call; the others a call may have changed.
    pub(crate) fn callee_saved(mut self) -> Self {
        for lost in [
            X86_64::RAX,
            X86_64::RCX,
            X86_64::RDX,
            X86_64::RSI,
            X86_64::RDI,
            X86_64::R8,
            X86_64::R9,
            X86_64::R10,
            X86_64::R11,
        ] {
            self.set(lost, None);
        }
        self
    }

    /// The caller's registers if the last instruction was a call: it pushed the return address on the stack.
    pub(crate) fn before_call(
        mut self,
        memory: &dyn ReadMemory,
    ) -> Result<Option<Self>, Unreadable> {
        let Some(stack) = self.get(Self::SP) else {
            return Ok(None);
        };
        self.set(Self::PC, Some(memory.u64(stack)?));
        self.set(Self::SP, Some(stack.wrapping_add(8)));
        Ok(Some(self))
    }
}
