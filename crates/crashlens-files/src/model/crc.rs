//! CRC-32C as TensorFlow stores it.

/// The checksum of bytes, masked: one that covers checksums itself must not be a plain one.
pub(super) fn masked(bytes: &[u8]) -> u32 {
    mask(crc32c::crc32c(bytes))
}

pub(super) fn mask(crc: u32) -> u32 {
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}
