//! The two checksums of HDF5: lookup3 of Bob Jenkins over metadata, Fletcher's over chunks.
//!
//! Not the `jenkins_hash` crate: these are a few lines with test vectors.

/// lookup3 (`hashlittle`, beginning with 0).
pub(super) fn lookup3(bytes: &[u8]) -> u32 {
    let mut state = [0xdead_beef_u32.wrapping_add(bytes.len() as u32); 3];
    let mut rest = bytes;
    while rest.len() > 12 {
        let (block, later) = rest.split_at(12);
        add(&mut state, block);
        mix(&mut state);
        rest = later;
    }
    if rest.is_empty() {
        return state[2];
    }
    add(&mut state, rest);
    finish(&mut state);
    state[2]
}

fn add(state: &mut [u32; 3], bytes: &[u8]) {
    for (word, part) in state.iter_mut().zip(bytes.chunks(4)) {
        let mut whole = [0; 4];
        whole
            .iter_mut()
            .zip(part)
            .for_each(|(to, from)| *to = *from);
        *word = word.wrapping_add(u32::from_le_bytes(whole));
    }
}

fn mix([a, b, c]: &mut [u32; 3]) {
    for round in [[4, 6, 8], [16, 19, 4]] {
        *a = a.wrapping_sub(*c) ^ c.rotate_left(round[0]);
        *c = c.wrapping_add(*b);
        *b = b.wrapping_sub(*a) ^ a.rotate_left(round[1]);
        *a = a.wrapping_add(*c);
        *c = c.wrapping_sub(*b) ^ b.rotate_left(round[2]);
        *b = b.wrapping_add(*a);
    }
}

fn finish([a, b, c]: &mut [u32; 3]) {
    *c = (*c ^ *b).wrapping_sub(b.rotate_left(14));
    *a = (*a ^ *c).wrapping_sub(c.rotate_left(11));
    *b = (*b ^ *a).wrapping_sub(a.rotate_left(25));
    *c = (*c ^ *b).wrapping_sub(b.rotate_left(16));
    *a = (*a ^ *c).wrapping_sub(c.rotate_left(4));
    *b = (*b ^ *a).wrapping_sub(a.rotate_left(14));
    *c = (*c ^ *b).wrapping_sub(b.rotate_left(24));
}

/// Fletcher's checksum over words of two bytes, the greater first.
pub(super) fn fletcher32(bytes: &[u8]) -> u32 {
    // 360 words are the most whose sums cannot overflow.
    let (mut first, mut second) = (0_u32, 0_u32);
    let fold = |sum: u32| (sum & 0xffff) + (sum >> 16);
    let (words, odd) = bytes.as_chunks::<2>();
    for block in words.chunks(360) {
        for word in block {
            first += u32::from(u16::from_be_bytes(*word));
            second += first;
        }
        (first, second) = (fold(first), fold(second));
    }
    if let [last] = odd {
        first += u32::from(*last) << 8;
        second += first;
        (first, second) = (fold(first), fold(second));
    }
    (first, second) = (fold(first), fold(second));
    (second << 16) | first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_of_lookup3() {
        assert_eq!(lookup3(b""), 0xdead_beef);
        assert_eq!(lookup3(b"Four score and seven years ago"), 0x1777_0551);
    }

    #[test]
    fn a_changed_byte_changes_fletchers_sum() {
        let bytes: Vec<u8> = (0..=255).cycle().take(5001).collect();
        let mut other = bytes.clone();
        other[4000] ^= 1;
        assert_ne!(fletcher32(&bytes), fletcher32(&other));
    }
}
