//! Numbers and strings at offsets of foreign bytes.

/// The `N` bytes at `offset`.
pub(super) fn array<const N: usize>(bytes: &[u8], offset: usize) -> Option<[u8; N]> {
    bytes.get(offset..)?.first_chunk().copied()
}

/// A 16-bit number.
pub(super) fn u16(bytes: &[u8], offset: usize) -> Option<u16> {
    array(bytes, offset).map(u16::from_le_bytes)
}

/// A 32-bit number.
pub(super) fn u32(bytes: &[u8], offset: usize) -> Option<u32> {
    array(bytes, offset).map(u32::from_le_bytes)
}

/// A signed 32-bit number.
pub(super) fn i32(bytes: &[u8], offset: usize) -> Option<i32> {
    array(bytes, offset).map(i32::from_le_bytes)
}

/// A 64-bit number.
pub(super) fn u64(bytes: &[u8], offset: usize) -> Option<u64> {
    array(bytes, offset).map(u64::from_le_bytes)
}

/// The text of a field of fixed size, up to its first zero byte.
pub(super) fn text(bytes: &[u8], offset: usize, size: usize) -> Option<String> {
    let field = bytes.get(offset..)?.get(..size)?;
    let length = memchr::memchr(0, field).unwrap_or(size);
    Some(String::from_utf8_lossy(&field[..length]).into_owned())
}
