//! The machine as a program started here and now would meet it.

use crashlens_core::Gaps;
use crashlens_core::survey::Machine;

/// The machine, its limits and those of the container around this process.
pub fn machine(_gaps: &mut Gaps) -> Machine {
    Machine::default()
}
