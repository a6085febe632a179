//! The hash of symbol names. Fixed for ever within one form of the cache: it is stored there.

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
const INCREMENT: u64 = 0xd6e8_feb8_6659_fd93;

/// Hash of a name.
pub(crate) fn hash(name: &[u8]) -> u64 {
    absorb(INCREMENT, name)
}

/// Hash of a name and a version.
pub(crate) fn hash_versioned(name: &[u8], version: &[u8]) -> u64 {
    absorb(absorb(INCREMENT, name), version)
}

/// Eight bytes at a step, the length at the end: mangled names are long, and there are half a million of them.
fn absorb(state: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut state = state;
    for word in words {
        state = fold(state ^ u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    if let Some(room) = last.get_mut(..rest.len()) {
        room.copy_from_slice(rest);
    }
    fold(fold(state ^ u64::from_le_bytes(last)) ^ bytes.len() as u64)
}

/// Mixes every bit into every other: the two halves of a product of 128 bits, on top of each other.
fn fold(value: u64) -> u64 {
    let product = u128::from(value ^ INCREMENT) * u128::from(MULTIPLIER);
    (product as u64) ^ ((product >> 64) as u64).wrapping_add(value.rotate_left(32))
}
