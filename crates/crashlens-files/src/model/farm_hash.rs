//! `FarmHash` of 64 bits in the form that never changes (`Fingerprint64`), which TensorFlow's fingerprints are made with.
//!
//! Not the `farmhash` crate: this is one function, which never changes, with test vectors.

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;

/// The hash of bytes.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    match bytes.len() {
        0..=16 => short(bytes),
        17..=32 => middle(bytes),
        33..=64 => upper(bytes),
        _ => long(bytes),
    }
}

/// Eight bytes as a number; zeros where there are fewer.
fn word(bytes: &[u8], at: usize) -> u64 {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk());
    word.map_or(0, |word| u64::from_le_bytes(*word))
}

fn half(bytes: &[u8], at: usize) -> u64 {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk());
    word.map_or(0, |word| u64::from(u32::from_le_bytes(*word)))
}

fn mix(value: u64) -> u64 {
    value ^ (value >> 47)
}

fn join(one: u64, other: u64, factor: u64) -> u64 {
    let mixed = mix((one ^ other).wrapping_mul(factor));
    mix((other ^ mixed).wrapping_mul(factor)).wrapping_mul(factor)
}

fn factor_of(length: usize) -> u64 {
    K2.wrapping_add(length as u64 * 2)
}

fn short(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    let factor = factor_of(length);
    if length >= 8 {
        let first = word(bytes, 0).wrapping_add(K2);
        let last = word(bytes, length - 8);
        let one = last
            .rotate_right(37)
            .wrapping_mul(factor)
            .wrapping_add(first);
        let other = first
            .rotate_right(25)
            .wrapping_add(last)
            .wrapping_mul(factor);
        return join(one, other, factor);
    }
    if length >= 4 {
        let first = (length as u64).wrapping_add(half(bytes, 0) << 3);
        return join(first, half(bytes, length - 4), factor);
    }
    let (Some(first), Some(middle), Some(last)) =
        (bytes.first(), bytes.get(length / 2), bytes.last())
    else {
        return K2;
    };
    let one = u64::from(*first) + (u64::from(*middle) << 8);
    let other = length as u64 + (u64::from(*last) << 2);
    mix(one.wrapping_mul(K2) ^ other.wrapping_mul(K0)).wrapping_mul(K2)
}

fn middle(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    let factor = factor_of(length);
    let a = word(bytes, 0).wrapping_mul(K1);
    let b = word(bytes, 8);
    let c = word(bytes, length - 8).wrapping_mul(factor);
    let d = word(bytes, length - 16).wrapping_mul(K2);
    let (one, other) = crossed(a, b, c, d);
    join(one, other, factor)
}

fn crossed(a: u64, b: u64, c: u64, d: u64) -> (u64, u64) {
    let one = a.wrapping_add(b).rotate_right(43);
    let one = one.wrapping_add(c.rotate_right(30)).wrapping_add(d);
    let other = b.wrapping_add(K2).rotate_right(18);
    (one, other.wrapping_add(a).wrapping_add(c))
}

#[expect(
    clippy::many_single_char_names,
    reason = "the names it is described with"
)]
fn upper(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    let factor = factor_of(length);
    let a = word(bytes, 0).wrapping_mul(K2);
    let b = word(bytes, 8);
    let c = word(bytes, length - 8).wrapping_mul(factor);
    let d = word(bytes, length - 16).wrapping_mul(K2);
    let (y, other) = crossed(a, b, c, d);
    let z = join(y, other, factor);
    let e = word(bytes, 16).wrapping_mul(factor);
    let f = word(bytes, 24);
    let g = y
        .wrapping_add(word(bytes, length - 32))
        .wrapping_mul(factor);
    let h = z
        .wrapping_add(word(bytes, length - 24))
        .wrapping_mul(factor);
    let one = e.wrapping_add(f).rotate_right(43);
    let one = one.wrapping_add(g.rotate_right(30)).wrapping_add(h);
    let other = f.wrapping_add(a).rotate_right(18);
    join(one, other.wrapping_add(e).wrapping_add(g), factor)
}

/// What is carried from one piece of 64 bytes to the next.
struct State {
    x: u64,
    y: u64,
    z: u64,
    v: (u64, u64),
    w: (u64, u64),
}

impl State {
    /// Takes in 64 bytes; the last piece goes in with other factors.
    fn take(&mut self, piece: &[u8], factor: u64, times: u64) {
        let sum = self.x.wrapping_add(self.y).wrapping_add(self.v.0);
        self.x = sum
            .wrapping_add(word(piece, 8))
            .rotate_right(37)
            .wrapping_mul(factor);
        let sum = self.y.wrapping_add(self.v.1).wrapping_add(word(piece, 48));
        self.y = sum.rotate_right(42).wrapping_mul(factor);
        self.x ^= self.w.1.wrapping_mul(times);
        self.y = self
            .y
            .wrapping_add(self.v.0.wrapping_mul(times))
            .wrapping_add(word(piece, 40));
        self.z = self
            .z
            .wrapping_add(self.w.0)
            .rotate_right(33)
            .wrapping_mul(factor);
        let (one, other) = (self.v.1.wrapping_mul(factor), self.x.wrapping_add(self.w.0));
        self.v = seeded(piece, 0, one, other);
        let (one, other) = (
            self.z.wrapping_add(self.w.1),
            self.y.wrapping_add(word(piece, 16)),
        );
        self.w = seeded(piece, 32, one, other);
        std::mem::swap(&mut self.x, &mut self.z);
    }
}

fn seeded(bytes: &[u8], at: usize, one: u64, other: u64) -> (u64, u64) {
    let [w, x, y, z] = [0, 8, 16, 24].map(|step| word(bytes, at + step));
    let first = one.wrapping_add(w);
    let second = other.wrapping_add(first).wrapping_add(z).rotate_right(21);
    let sum = first.wrapping_add(x).wrapping_add(y);
    let second = second.wrapping_add(sum.rotate_right(44));
    (sum.wrapping_add(z), second.wrapping_add(first))
}

fn long(bytes: &[u8]) -> u64 {
    let seed = 81_u64;
    let y = seed.wrapping_mul(K1).wrapping_add(113);
    let mut state = State {
        x: seed.wrapping_mul(K2).wrapping_add(word(bytes, 0)),
        y,
        z: mix(y.wrapping_mul(K2).wrapping_add(113)).wrapping_mul(K2),
        v: (0, 0),
        w: (0, 0),
    };
    let pieces = (bytes.len() - 1) / 64;
    for piece in bytes.chunks(64).take(pieces) {
        state.take(piece, K1, 1);
    }
    let factor = K1.wrapping_add((state.z & 0xff) << 1);
    let rest = ((bytes.len() - 1) & 63) as u64;
    state.w.0 = state.w.0.wrapping_add(rest);
    state.v.0 = state.v.0.wrapping_add(state.w.0);
    state.w.0 = state.w.0.wrapping_add(state.v.0);
    let last = bytes.get(bytes.len() - 64..).unwrap_or_default();
    state.take(last, factor, 9);
    let one = join(state.v.0, state.w.0, factor)
        .wrapping_add(mix(state.y).wrapping_mul(K0))
        .wrapping_add(state.z);
    let other = join(state.v.1, state.w.1, factor).wrapping_add(state.x);
    join(one, other, factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_tensorflow() {
        // From `tf.fingerprint` 2.21.0 on the bytes 0, 1, 2, … of each length.
        let known: [(u8, u64); 12] = [
            (0, 11_160_318_154_034_397_263),
            (1, 13_718_060_045_003_475_796),
            (3, 10_709_908_609_026_466_970),
            (7, 11_736_591_675_260_184_225),
            (12, 11_517_357_035_142_004_093),
            (17, 13_526_182_118_996_909_852),
            (32, 1_917_831_512_995_979_081),
            (33, 16_750_416_167_695_635_022),
            (64, 17_691_551_913_807_367_243),
            (65, 14_313_328_211_205_373_374),
            (128, 2_037_963_038_260_878_803),
            (200, 525_935_771_297_148_851),
        ];
        for (length, expected) in known {
            let bytes: Vec<u8> = (0..length).collect();
            assert_eq!(hash(&bytes), expected, "of {length} bytes");
        }
    }
}
