//! What the instruction at fault was doing, and what is at the address it used.
//!
//! Responsible for the facts: the instruction, the access that failed, the place in the address space, the
//! operands of a division, how full the stack was. A pure function of registers, code bytes, mappings, the
//! walked stacks and what the living system told ([`Witnessed`](crate::Witnessed)), so that a replay finds the
//! same. Not responsible for what it means.

use crashlens_core::{AccessKind, Address, FaultSite, Registers, Signal};

use crate::SignalAtFault;
use crate::arch::{self, Code, LONGEST_INSTRUCTION};
use crate::testimony::{Answer, Scene};

mod access;
mod branch;
mod cycle;
mod first_chance;
mod overflow;
mod place;
#[cfg(test)]
mod tests;

pub(crate) use cycle::name_cycle;
pub(crate) use first_chance::first_chance;

use access::Attempt;

/// `SI_KERNEL`: the processor refused without naming an address.
const WITHOUT_ADDRESS: &str = "SI_KERNEL";

/// What the crashed thread's instruction did. `None` where no instruction was at fault.
pub(crate) fn examine(scene: &Scene<'_>) -> Answer<FaultSite> {
    let Some(signal) = &scene.snapshot.signal else {
        return Ok(None);
    };
    if !signal.signal.is_fault() || signal.code.as_deref().is_some_and(is_sent) {
        return Ok(None);
    }
    let Some(registers) = &signal.registers else {
        return Err("the registers at the fault could not be read".to_owned());
    };
    let fault = FaultInProcess {
        scene,
        signal,
        registers,
    };
    let site = match signal.signal {
        Signal::SEGV | Signal::BUS => fault.of_memory(),
        Signal::FPE => fault.of_arithmetic(),
        Signal::TRAP => fault.of_trap(),
        _ => fault.of_instruction(),
    };
    // Without a code, a signal sent by somebody looks like a fault; only a place that explains it tells them apart.
    if signal.code.is_none() && !place::explains(site.place.as_ref()) {
        return Err("the code of the signal is not known".to_owned());
    }
    Ok(Some(site))
}

/// Whether a signal with this code was sent by a process, a timer or a queue.
fn is_sent(code: &str) -> bool {
    code.starts_with("SI_") && code != WITHOUT_ADDRESS
}

/// A fault and everything around it.
struct FaultInProcess<'a> {
    scene: &'a Scene<'a>,
    signal: &'a SignalAtFault,
    registers: &'a Registers,
}

impl FaultInProcess<'_> {
    fn code_at(&self, address: u64) -> Option<Code> {
        Code::read(self.scene.snapshot, self.scene.memory, address)
    }

    fn of_memory(&self) -> FaultSite {
        let pc = self.registers.pc().0;
        let code = self.code_at(pc);
        if self.is_fetch(code.as_ref()) {
            let address = self.signal.address.map_or(pc, |address| address.0);
            let attempt = Attempt {
                called_from: arch::return_address(self.scene, self.registers),
                confirmed: self.signal.address.is_some(),
                ..Attempt::at(AccessKind::Execute, address)
            };
            return self.site(None, Some(attempt));
        }
        let attempt = code
            .as_ref()
            .and_then(|code| access::failed(self, code).or_else(|| branch::refused(self, code)));
        self.site(code, attempt)
    }

    /// Whether the processor failed to fetch the instruction itself.
    fn is_fetch(&self, code: Option<&Code>) -> bool {
        let pc = self.registers.pc().0;
        let executable = |address| {
            let mapping = self.scene.snapshot.mapping_at(address);
            mapping.is_some_and(crashlens_core::Mapping::is_executable)
        };
        match self.signal.address {
            // An instruction may begin on one page and end on the next, which is not there.
            Some(address) => {
                let within = address.0.checked_sub(pc);
                within.is_some_and(|offset| offset < LONGEST_INSTRUCTION as u64)
                    && (!executable(address.0) || code.is_none())
            }
            None => !executable(pc),
        }
    }

    fn site(&self, code: Option<Code>, attempt: Option<Attempt>) -> FaultSite {
        let address = attempt
            .as_ref()
            .map(|attempt| attempt.address)
            .or(self.signal.address.map(|address| address.0));
        let overflow = address.and_then(|address| overflow::find(self, address, attempt.as_ref()));
        let place = match (&overflow, address) {
            (Some(_), _) => Some(crashlens_core::Place::StackOverflow),
            (None, Some(address)) => Some(place::classify(self, address, attempt.as_ref())),
            (None, None) => None,
        };
        FaultSite {
            instruction: code.map(|code| code.instruction()),
            access: attempt.map(|attempt| attempt.into_access(self.scene.snapshot, self.registers)),
            place,
            division: None,
            stack: overflow.map(|overflow| overflow.measure(self)),
        }
    }

    fn of_arithmetic(&self) -> FaultSite {
        let code = self.code_at(self.registers.pc().0);
        let division = code
            .as_ref()
            .and_then(|code| code.division(self.registers, self.scene.memory));
        FaultSite {
            instruction: code.map(|code| code.instruction()),
            division,
            ..FaultSite::default()
        }
    }

    fn of_trap(&self) -> FaultSite {
        let scene = self.scene;
        let code = Code::trapped(scene.snapshot, scene.memory, self.registers.pc().0);
        FaultSite {
            instruction: code.map(|code| code.instruction()),
            ..FaultSite::default()
        }
    }

    fn of_instruction(&self) -> FaultSite {
        let code = self.code_at(self.registers.pc().0);
        let processor = self.signal.witnessed.processor.as_deref();
        FaultSite {
            instruction: code.map(|code| code.with_features(processor)),
            ..FaultSite::default()
        }
    }
}

fn address(value: u64) -> Address {
    Address(value)
}
