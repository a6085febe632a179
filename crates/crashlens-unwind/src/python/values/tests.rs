//! The reader of values on memory that may say anything.

use proptest::prelude::*;

use super::flags;

/// Bytes of memory, repeated at every address that is asked; a multiple of the distance between those.
const TILE: usize = 4096;
const BASE: u64 = 0x1_0000;
const TYPE_PLACE: usize = 2048;

/// Memory full of words that lead into it or are small, with one type in it that is its own type.
fn memory(words: &[u64], flags: u64, name: &str, version: u8) -> Vec<u8> {
    let mut memory: Vec<u8> = words.iter().copied().flat_map(u64::to_le_bytes).collect();
    memory.resize(TILE, 0);
    let mut put = |offset: usize, bytes: &[u8]| {
        memory[offset..offset + bytes.len()].copy_from_slice(bytes);
    };
    let type_address = BASE + TYPE_PLACE as u64;
    put(TYPE_PLACE + 8, &type_address.to_le_bytes());
    put(TYPE_PLACE + 24, &(type_address + 400).to_le_bytes());
    put(TYPE_PLACE + 32, &16_u64.to_le_bytes());
    put(
        TYPE_PLACE + 168,
        &(flags | flags::READY | flags::TYPE).to_le_bytes(),
    );
    put(TYPE_PLACE + 400, name.as_bytes());
    put(TYPE_PLACE + 400 + name.len(), &[0]);
    // Every object has this type.
    for place in (0..TYPE_PLACE).step_by(64) {
        put(place + 8, &type_address.to_le_bytes());
    }
    memory.insert(0, version);
    memory
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn no_object_is_too_broken(
        words in prop::collection::vec(
            prop_oneof![
                4 => (0..64_u64).prop_map(|index| BASE + 64 * index),
                3 => 0..40_u64,
                1 => any::<u64>(),
            ],
            512,
        ),
        flag in prop::sample::select(vec![
            0, flags::INT, flags::LIST, flags::TUPLE, flags::BYTES, flags::TEXT, flags::DICT, flags::EXCEPTION,
            flags::SMALL_INT, flags::MANAGED_DICT, flags::MANAGED_DICT | flags::INLINE_VALUES, flags::HEAP_TYPE,
        ]),
        name in prop::sample::select(vec![
            "set", "slice", "range", "xrange", "bytearray", "complex", "bool", "argparse.Namespace", "Thing",
        ]),
        version in 2..16_u8,
    ) {
        crate::fuzzing::python_values(&memory(&words, flag, name, version));
    }
}
