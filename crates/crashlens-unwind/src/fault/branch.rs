//! Calls, jumps and returns to where no code is.

use crashlens_core::AccessKind;

use super::FaultInProcess;
use super::access::Attempt;
use crate::arch::{Code, is_canonical};

/// A jump to an address that has no valid form: the processor does not leave the instruction that jumps.
pub(super) fn refused(fault: &FaultInProcess<'_>, code: &Code) -> Option<Attempt> {
    if fault.signal.address.is_some() {
        return None;
    }
    let (target, base) = code.jump_target(fault.registers, fault.scene.memory)?;
    (!is_canonical(target)).then(|| Attempt {
        base,
        called_from: Some(fault.registers.pc().0),
        ..Attempt::at(AccessKind::Execute, target)
    })
}
