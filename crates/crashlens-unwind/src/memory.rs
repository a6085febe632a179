//! Reading another process's memory, whatever form it is in.

/// Memory of the observed process: live, in a core file, or recorded.
///
/// Addresses and contents are foreign: nothing read here may be trusted. Implementations never
/// block for long and never panic.
pub trait ReadMemory {
    /// Fills the whole of `buffer` from `address`, or fails at the first byte that cannot be read.
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable>;
}

/// An address that could not be read, or a limit on reading that was reached there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cannot read memory at {address:#x}")]
pub struct Unreadable {
    /// The first byte that failed.
    pub address: u64,
}

/// Typed reads on any memory, also behind `dyn`.
impl dyn ReadMemory + '_ {
    /// A byte.
    pub fn u8(&self, address: u64) -> Result<u8, Unreadable> {
        self.array::<1>(address).map(|bytes| bytes[0])
    }

    /// A 16-bit number, little endian.
    pub fn u16(&self, address: u64) -> Result<u16, Unreadable> {
        self.array(address).map(u16::from_le_bytes)
    }

    /// A 32-bit number, little endian.
    pub fn u32(&self, address: u64) -> Result<u32, Unreadable> {
        self.array(address).map(u32::from_le_bytes)
    }

    /// A 64-bit number or pointer, little endian.
    pub fn u64(&self, address: u64) -> Result<u64, Unreadable> {
        self.array(address).map(u64::from_le_bytes)
    }

    /// A signed 32-bit number.
    pub fn i32(&self, address: u64) -> Result<i32, Unreadable> {
        self.array(address).map(i32::from_le_bytes)
    }

    /// Exactly `length` bytes; the caller has bounded `length`.
    pub fn bytes(&self, address: u64, length: usize) -> Result<Vec<u8>, Unreadable> {
        let mut bytes = vec![0; length];
        self.read(address, &mut bytes)?;
        Ok(bytes)
    }

    /// A fixed number of bytes.
    pub fn array<const N: usize>(&self, address: u64) -> Result<[u8; N], Unreadable> {
        let mut bytes = [0; N];
        self.read(address, &mut bytes)?;
        Ok(bytes)
    }
}
