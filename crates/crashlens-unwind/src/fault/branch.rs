//! Calls, jumps and returns to where no code is.

use crashlens_core::AccessKind;
use iced_x86::{FlowControl, Instruction, OpKind, Register};

use super::access::Attempt;
use super::code::Code;
use super::{FaultInProcess, is_canonical, operands};
use crate::native::call;
use crate::testimony::Scene;

/// The return address on top of the stack, if it is one: code behind a call.
pub(super) fn return_address(scene: &Scene<'_>, stack: u64) -> Option<u64> {
    // Looked at first: a word of the stack that is something else stays where it is.
    let address = scene.confidential.u64(stack).ok()?;
    let mapping = scene.snapshot.mapping_at(address)?;
    if !mapping.is_executable() || !call::precedes(scene.memory, address) {
        return None;
    }
    scene.memory.u64(stack).ok()
}

/// A jump to an address that has no valid form: the processor does not leave the instruction that jumps.
pub(super) fn refused(fault: &FaultInProcess<'_>, code: &Code) -> Option<Attempt> {
    if fault.signal.address.is_some() {
        return None;
    }
    let instruction = &code.instruction;
    let (target, base) = match instruction.flow_control() {
        FlowControl::IndirectCall | FlowControl::IndirectBranch => target(fault, instruction)?,
        FlowControl::Return => {
            let target = fault.scene.memory.u64(fault.registers.rsp.0).ok()?;
            (target, None)
        }
        _ => return None,
    };
    (!is_canonical(target)).then(|| Attempt {
        base,
        called_from: Some(fault.registers.rip.0),
        ..Attempt::at(AccessKind::Execute, target)
    })
}

/// Where an indirect jump leads, and the register that says so.
fn target(
    fault: &FaultInProcess<'_>,
    instruction: &Instruction,
) -> Option<(u64, Option<Register>)> {
    match instruction.op0_kind() {
        OpKind::Register => {
            let register = instruction.op0_register();
            let target = operands::value(fault.registers, register)?;
            Some((target, Some(register)))
        }
        OpKind::Memory => {
            let place = instruction.virtual_address(0, 0, |register, _, _| {
                operands::value(fault.registers, register)
            })?;
            Some((fault.scene.memory.u64(place).ok()?, None))
        }
        _ => None,
    }
}
