//! Checksums that formats store.

/// Of the reflected polynomials of CRC-32.
const IEEE: u32 = 0xedb8_8320;
/// CRC-32C, which TensorFlow's own formats have.
const CASTAGNOLI: u32 = 0x82f6_3b78;

fn crc(polynomial: u32, parts: &[&[u8]]) -> u32 {
    let mut sum = u32::MAX;
    for byte in parts.iter().copied().flatten() {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            let mask = (sum & 1).wrapping_neg();
            sum = (sum >> 1) ^ (polynomial & mask);
        }
    }
    !sum
}

/// CRC-32 as PNG, GZIP and zip have it.
pub fn crc32(parts: &[&[u8]]) -> u32 {
    crc(IEEE, parts)
}

/// CRC-32C as TFRecord and checkpoints have it: rotated and shifted, so that a sum of sums is no weaker.
pub fn masked_crc32c(parts: &[&[u8]]) -> u32 {
    crc(CASTAGNOLI, parts)
        .rotate_right(15)
        .wrapping_add(0xa282_ead8)
}

/// Adler-32 as ZLIB has it.
pub fn adler32(bytes: &[u8]) -> u32 {
    let (low, high) = bytes.iter().fold((1_u32, 0_u32), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    high << 16 | low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_values_of_the_catalogues_come_out() {
        assert_eq!(crc32(&[b"1234", b"56789"]), 0xcbf4_3926);
        assert_eq!(crc(CASTAGNOLI, &[b"123456789"]), 0xe306_9283);
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
    }
}
