//! DWARF expressions in unwind rules: rare (signal frames, aligned stacks, PLT stubs), but without them stacks end there.

use gimli::{EvaluationResult, Location, UnwindExpression, Value};

use crate::ReadMemory;
use crate::arch::Known;
use crate::cfi::{MemoryReader, Row};

/// Honest expressions need fewer than ten steps.
const MAX_STEPS: u32 = 100;

/// The value or address that `expression` gives, starting from `initial` on its stack.
pub(super) fn evaluate(
    memory: &dyn ReadMemory,
    row: &Row,
    expression: &UnwindExpression<usize>,
    known: &Known,
    initial: Option<u64>,
) -> Option<u64> {
    let encoding = gimli::Encoding {
        address_size: 8,
        format: gimli::Format::Dwarf32,
        version: 4,
    };
    let mut evaluation = row
        .expression(memory, expression)
        .ok()?
        .evaluation(encoding);
    evaluation.set_max_iterations(MAX_STEPS);
    if let Some(initial) = initial {
        evaluation.set_initial_value(initial);
    }
    let mut result = evaluation.evaluate().ok()?;
    for _ in 0..MAX_STEPS {
        result = match result {
            EvaluationResult::Complete => return address(evaluation.result().first()?),
            EvaluationResult::RequiresMemory { address, size, .. } => {
                let mut bytes = [0; 8];
                memory
                    .read(address, bytes.get_mut(..usize::from(size))?)
                    .ok()?;
                evaluation
                    .resume_with_memory(Value::Generic(u64::from_le_bytes(bytes)))
                    .ok()?
            }
            EvaluationResult::RequiresRegister { register, .. } => evaluation
                .resume_with_register(Value::Generic(known.get(register)?))
                .ok()?,
            _ => return None,
        };
    }
    None
}

fn address(piece: &gimli::Piece<MemoryReader<'_>>) -> Option<u64> {
    match piece.location {
        Location::Address { address } => Some(address),
        _ => None,
    }
}
