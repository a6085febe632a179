//! The form of one entry: a mark, a checksum, and what was read, with the identity that it was read for.

use serde::{Deserialize, Serialize};

use super::identity::Identity;
use crate::elf::{ElfFile, hash};

/// Also stands for the form: to be changed with every change of [`ElfFile`] or of the hash of names.
const MARK: &[u8; 8] = b"clelf\0\0\x02";
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Serialize)]
struct Written<'a> {
    version: &'a str,
    identity: Identity,
    elf: &'a ElfFile,
}

#[derive(Deserialize)]
struct Kept<'a> {
    version: &'a str,
    identity: Identity,
    elf: ElfFile,
}

/// The name of the entry of a file.
pub(super) fn name(identity: &Identity) -> String {
    let numbers = [
        identity.device,
        identity.inode,
        identity.size,
        identity.modified.0 as u64,
        identity.modified.1 as u64,
        identity.changed.0 as u64,
        identity.changed.1 as u64,
    ];
    let bytes: Vec<u8> = numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    format!("{:016x}", hash(&bytes))
}

/// The bytes of an entry.
pub(super) fn encode(identity: &Identity, elf: &ElfFile) -> Option<Vec<u8>> {
    let written = Written {
        version: VERSION,
        identity: *identity,
        elf,
    };
    let head = [MARK.as_slice(), &[0; 8]].concat();
    let mut bytes = postcard::to_extend(&written, head).ok()?;
    let sum = hash(bytes.get(16..)?);
    bytes.get_mut(8..16)?.copy_from_slice(&sum.to_le_bytes());
    Some(bytes)
}

/// What an entry says of just this file, if it is whole.
pub(super) fn decode(bytes: &[u8], identity: &Identity) -> Option<ElfFile> {
    let (mark, rest) = bytes.split_first_chunk::<8>()?;
    let (sum, body) = rest.split_first_chunk::<8>()?;
    if mark != MARK || u64::from_le_bytes(*sum) != hash(body) {
        return None;
    }
    let (of, elf) = decode_body(body)?;
    (of == *identity).then_some(elf)
}

/// What follows mark and checksum.
pub(crate) fn decode_body(body: &[u8]) -> Option<(Identity, ElfFile)> {
    let kept: Kept<'_> = postcard::from_bytes(body).ok()?;
    (kept.version == VERSION).then_some((kept.identity, kept.elf))
}
