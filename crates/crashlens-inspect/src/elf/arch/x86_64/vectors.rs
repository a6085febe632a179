//! Whether a file's code is compiled for AVX throughout: counts over samples.

use crashlens_core::survey::VectorCode;
use iced_x86::{Decoder, DecoderOptions, EncodingKind, Instruction, OpKind};
use object::elf;

use crate::elf::layout::{Layout, Segment};
use crate::elf::source::Source;

/// Size of one sample.
const SAMPLE: u64 = 400_000;

/// Counts vector instructions in three samples of the largest executable segment. Code that is chosen at run time by the
/// processor's abilities makes a mixture; code that was compiled for AVX has no other forms.
pub(crate) fn count(source: &impl Source, layout: &Layout) -> Option<VectorCode> {
    let code = layout
        .segments_of(elf::PT_LOAD)
        .filter(|segment| segment.flags & elf::PF_X.0 != 0)
        .max_by_key(|segment| segment.file_size)?;
    let mut counts = VectorCode::default();
    for (start, size) in samples(code) {
        let bytes = source.bytes(code.offset.checked_add(start)?, size).ok()?;
        sample(&bytes, &mut counts);
    }
    Some(counts)
}

/// A small segment is one sample as a whole; of a large one they lie at one sixth, one half and five sixths.
fn samples(code: &Segment) -> Vec<(u64, u64)> {
    if code.file_size <= 3 * SAMPLE {
        return vec![(0, code.file_size)];
    }
    [1, 3, 5]
        .into_iter()
        .map(|sixths| code.file_size / 6 * sixths)
        .map(|start| (start, SAMPLE.min(code.file_size - start)))
        .collect()
}

fn sample(bytes: &[u8], counts: &mut VectorCode) {
    let mut decoder = Decoder::new(64, bytes, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        if instruction.is_invalid() || !names_vector(&instruction) {
            continue;
        }
        match instruction.encoding() {
            EncodingKind::VEX | EncodingKind::EVEX => counts.vex += 1,
            EncodingKind::Legacy => counts.legacy += 1,
            _ => {}
        }
    }
}

/// Bit manipulation is encoded as AVX is, and has nothing to do with vectors.
fn names_vector(instruction: &Instruction) -> bool {
    (0..instruction.op_count()).any(|operand| {
        instruction.op_kind(operand) == OpKind::Register
            && instruction.op_register(operand).is_vector_register()
    })
}
