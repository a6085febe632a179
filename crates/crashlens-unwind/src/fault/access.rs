//! Which of an instruction's accesses to memory failed.

use crashlens_core::{Access, AccessKind, RegisterValue, Registers};

use super::{FaultInProcess, WITHOUT_ADDRESS, address, place};
use crate::ProcessSnapshot;
use crate::arch::{self, Code, Operand, Register, is_canonical};

/// An access that an instruction makes.
#[derive(Debug, Clone)]
pub(super) struct Attempt {
    pub(super) kind: AccessKind,
    pub(super) address: u64,
    pub(super) confirmed: bool,
    pub(super) width: Option<u32>,
    pub(super) base: Option<Register>,
    pub(super) index: Option<Register>,
    pub(super) called_from: Option<u64>,
    /// Whether the address itself is as it was computed and has to be aligned.
    pub(super) misaligned: bool,
}

impl Attempt {
    /// An access without operands.
    pub(super) fn at(kind: AccessKind, address: u64) -> Self {
        Self {
            kind,
            address,
            confirmed: false,
            width: None,
            base: None,
            index: None,
            called_from: None,
            misaligned: false,
        }
    }

    /// The access of an operand.
    fn of(operand: &Operand) -> Self {
        Self {
            width: operand.width,
            base: operand.base,
            index: operand.index,
            ..Self::at(operand.kind, operand.computed.unwrap_or_default())
        }
    }

    /// In the capture's form.
    pub(super) fn into_access(self, snapshot: &ProcessSnapshot, registers: &Registers) -> Access {
        let named = |register: Option<Register>| {
            let register = register?;
            let value = arch::value(registers, register)?;
            Some(RegisterValue {
                name: arch::name(register),
                value: address(value),
                points_into: snapshot.mapping_at(value).cloned(),
            })
        };
        Access {
            kind: self.kind,
            address: address(self.address),
            confirmed: self.confirmed,
            width: self.width,
            base: named(self.base),
            index: named(self.index),
            called_from: self.called_from.map(address),
        }
    }
}

impl Operand {
    fn touches(&self, fault: u64) -> bool {
        self.computed.is_some_and(|address| {
            // Wrapping on purpose: what ends at the top of the addresses goes on at 0.
            fault.wrapping_sub(address.wrapping_sub(self.reach.0)) < self.reach.0 + self.reach.1
        })
    }

    fn is_refused(&self) -> bool {
        let last = u64::from(self.width.unwrap_or(1)) - 1;
        self.computed.is_some_and(|address| {
            !is_canonical(address) || !is_canonical(address.wrapping_add(last))
        })
    }

    fn is_misaligned(&self) -> bool {
        let width = self.width.filter(|_| self.aligned);
        width
            .zip(self.computed)
            .is_some_and(|(width, address)| address % u64::from(width) != 0)
    }
}

/// The access that failed, as far as registers and the kernel's address agree on one.
pub(super) fn failed(fault: &FaultInProcess<'_>, code: &Code) -> Option<Attempt> {
    let operands = code.operands(fault.registers);
    match fault.signal.address {
        Some(address) => agreeing(fault, &operands, address.0),
        None if fault.signal.code.as_deref() == Some(WITHOUT_ADDRESS) => {
            // The kernel says the same when it cannot enter a handler because the stack is full.
            refused(&operands).or_else(|| unexplained(fault, &operands))
        }
        None => unexplained(fault, &operands),
    }
}

/// The operand that touches the address the kernel named.
fn agreeing(fault: &FaultInProcess<'_>, operands: &[Operand], address: u64) -> Option<Attempt> {
    let confirmed = |operand: &Operand| Attempt {
        address,
        confirmed: true,
        ..Attempt::of(operand)
    };
    let touching: Vec<Attempt> = operands
        .iter()
        .filter(|operand| operand.touches(address))
        .map(confirmed)
        .collect();
    let explained = touching.iter().find(|attempt| {
        let place = place::classify(fault, address, Some(attempt));
        place::explains(Some(&place))
    });
    explained.or(touching.first()).cloned().or_else(|| {
        // Addresses out of a vector register are not known; if there are no others, it was one of them.
        let known = operands.iter().any(|operand| operand.computed.is_some());
        operands.first().filter(|_| !known).map(confirmed)
    })
}

/// The operand whose address has no valid form, or else is not aligned as it must be.
fn refused(operands: &[Operand]) -> Option<Attempt> {
    let refused = operands.iter().find(|operand| operand.is_refused());
    let misaligned = || operands.iter().find(|operand| operand.is_misaligned());
    let unconfirmed = |operand: &Operand| Attempt {
        misaligned: !operand.is_refused(),
        ..Attempt::of(operand)
    };
    refused.or_else(misaligned).map(unconfirmed)
}

/// The operand that cannot have worked, where the kernel said nothing.
fn unexplained(fault: &FaultInProcess<'_>, operands: &[Operand]) -> Option<Attempt> {
    let computed = operands.iter().filter(|operand| operand.computed.is_some());
    computed.map(Attempt::of).find(|attempt| {
        let place = place::classify(fault, attempt.address, Some(attempt));
        place::explains(Some(&place))
    })
}
