//! What crashlens asks of the courier, and what it answers.

/// Asks for everything written so far to be passed on and shown in the snapshot.
pub(in crate::output) const DRAIN: u8 = b'd';
/// The same, with the patience of an ending run.
pub(in crate::output) const FINISH: u8 = b'f';

/// Bytes of a request.
pub(super) const REQUEST_SIZE: usize = 9;

/// The answer to a drain: three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::output) struct Answer {
    /// The number that came with the request.
    pub(in crate::output) request: u64,
    /// How many bytes of the snapshot are valid.
    pub(in crate::output) kept: u64,
    /// How many bytes the program wrote in all.
    pub(in crate::output) written: u64,
}

impl Answer {
    pub(in crate::output) const SIZE: usize = 24;

    pub(in crate::output) fn to_bytes(self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..8].copy_from_slice(&self.request.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.kept.to_le_bytes());
        bytes[16..].copy_from_slice(&self.written.to_le_bytes());
        bytes
    }

    pub(in crate::output) fn from_bytes(bytes: [u8; Self::SIZE]) -> Self {
        let number = |at: usize| {
            let mut part = [0; 8];
            part.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(part)
        };
        Self {
            request: number(0),
            kept: number(8),
            written: number(16),
        }
    }
}

/// A request: what is asked for, and a number that the answer repeats. It is one packet.
pub(in crate::output) fn request(what: u8, number: u64) -> [u8; REQUEST_SIZE] {
    let mut bytes = [what; REQUEST_SIZE];
    bytes[1..].copy_from_slice(&number.to_le_bytes());
    bytes
}
