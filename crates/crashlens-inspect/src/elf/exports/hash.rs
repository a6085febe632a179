//! The hash of symbol names. Fixed for ever within one form of the cache: it is stored there.

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
const INCREMENT: u64 = 0xd6e8_feb8_6659_fd93;

/// Numbers that are mixed side by side: the processor multiplies them at the same time.
const LANES: usize = 4;
const BLOCK: usize = 8 * LANES;

/// Hash of a name. Mangled names are long: those of TensorFlow have forty megabytes together.
pub(crate) fn hash(name: &[u8]) -> u64 {
    let (blocks, rest) = name.as_chunks::<BLOCK>();
    let length = name.len() as u64;
    let Some(last) = name.last_chunk::<BLOCK>() else {
        return short(length, rest);
    };
    let mut lanes = [INCREMENT, !INCREMENT, MULTIPLIER, !MULTIPLIER];
    // What does not fill a block is taken with the bytes before it.
    let last = (!rest.is_empty()).then_some(last);
    for block in blocks.iter().chain(last) {
        let (words, _) = block.as_chunks::<8>();
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = fold(*lane ^ u64::from_le_bytes(*word));
        }
    }
    let [a, b, c, d] = lanes;
    let both = |one: u64, other: u64| one.wrapping_add(other.rotate_left(23));
    fold(fold(both(a, b) ^ length).wrapping_add(both(c, d)))
}

fn short(length: u64, name: &[u8]) -> u64 {
    let (words, rest) = name.as_chunks::<8>();
    let mut state = length;
    for word in words {
        state = fold(state ^ u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    if let Some(room) = last.get_mut(..rest.len()) {
        room.copy_from_slice(rest);
    }
    fold(fold(state ^ u64::from_le_bytes(last)))
}

/// Hash of a name and a version, from the hash of the name.
pub(crate) fn hash_versioned(name: u64, version: &[u8]) -> u64 {
    fold(name ^ hash(version).rotate_left(32))
}

/// Mixes every bit into every other: the two halves of a product of 128 bits, on top of each other.
fn fold(value: u64) -> u64 {
    let product = u128::from(value ^ INCREMENT) * u128::from(MULTIPLIER);
    (product as u64) ^ ((product >> 64) as u64).wrapping_add(value.rotate_left(32))
}
