//! A process that is pretended: types of every kind of array, and one object of which anything may be said.
//!
//! For tests and fuzzers.

use crashlens_core::{Address, Array, Mapping};

use super::super::offsets;
use super::super::values::{self, ValueReader};
use crate::{ProcessSnapshot, ReadMemory, Unreadable};

/// Types are at the start of the memory, one in each of these.
const TYPE_SIZE: usize = 0x200;
/// Where a type has its name.
const NAME: u64 = 0x180;
const BASE: u64 = 0x1_0000;
pub(crate) const NAMES: [&str; 7] = [
    "type",
    "numpy.ndarray",
    "EagerTensor",
    "torch._C.TensorBase",
    "numpy.dtype",
    "ResourceVariable.BaseResourceVariable",
    "KerasTensor",
];
/// Where the object is.
pub(crate) const OBJECT: u64 = BASE + (NAMES.len() * TYPE_SIZE) as u64;
/// Where the virtual tables of the libraries are pretended to be.
pub(crate) const TENSORFLOW: u64 = 0x100_0000;
pub(crate) const TORCH: u64 = 0x200_0000;

struct Bytes(Vec<u8>);

impl ReadMemory for Bytes {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        let missing = Unreadable { address };
        let start = address.checked_sub(BASE).ok_or(missing)?;
        let start = usize::try_from(start).map_err(|_| missing)?;
        let end = start.checked_add(buffer.len()).ok_or(missing)?;
        buffer.copy_from_slice(self.0.get(start..end).ok_or(missing)?);
        Ok(())
    }
}

/// Memory with all types in it, and `content` from [`OBJECT`] on.
fn memory(content: &[u8]) -> Bytes {
    let mut bytes = Vec::new();
    for (index, name) in NAMES.iter().enumerate() {
        let start = BASE + (index * TYPE_SIZE) as u64;
        let (size, flags): (u64, u64) = match index {
            0 => (400, 1 << 31 | 1 << 12),
            _ => (96, 1 << 12),
        };
        let mut put = |offset: usize, content: &[u8]| {
            bytes.resize(index * TYPE_SIZE + offset, 0);
            bytes.extend_from_slice(content);
        };
        put(8, &BASE.to_le_bytes());
        put(24, &(start + NAME).to_le_bytes());
        put(32, &size.to_le_bytes());
        put(168, &flags.to_le_bytes());
        put(NAME as usize, name.as_bytes());
        bytes.resize((index + 1) * TYPE_SIZE, 0);
    }
    bytes.extend_from_slice(content);
    Bytes(bytes)
}

fn mapping(start: u64, length: u64, path: Option<&str>) -> Mapping {
    Mapping {
        start: Address(start),
        end: Address(start + length),
        permissions: "rw-p".to_owned(),
        offset: 0,
        inode: u64::from(path.is_some()),
        path: path.map(str::to_owned),
    }
}

/// What the object at [`OBJECT`] is, if its memory and all that follows is `content`.
pub(crate) fn array_in(content: &[u8]) -> Option<Array> {
    let memory = memory(content);
    let snapshot = ProcessSnapshot {
        pid: 1,
        threads: Vec::new(),
        crashed_thread: None,
        maps: vec![
            mapping(BASE, memory.0.len() as u64, None),
            mapping(TENSORFLOW, 0x1000, Some("/lib/libtensorflow_cc.so.2")),
            mapping(TORCH, 0x1000, Some("/lib/libc10.so")),
        ],
        signal: None,
    };
    let (offsets, layout) = (offsets::table((3, 11))?, offsets::layout((3, 11))?);
    let budget = values::budget(&memory);
    let values = ValueReader::new(&budget, &snapshot, layout, offsets.text, None);
    super::read(&values, &values.object(OBJECT).ok()?)
}

/// The address of one of [`NAMES`]; of the first for another.
pub(crate) fn type_of(name: &str) -> u64 {
    let index = NAMES.iter().position(|known| *known == name);
    BASE + (index.unwrap_or(0) * TYPE_SIZE) as u64
}
