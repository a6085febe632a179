//! The part of the native stack that belongs to one foreign call, and what libffi was given there.
//!
//! Nothing says where a compiler put a variable, so things are found by what they must be: libffi's description of
//! the call (`ffi_cif`) refers to one type per argument, and each argument's value is where a second array points.

use crate::{ReadMemory, Unreadable};

/// A call with a thousand arguments has 32 KiB of them.
const MOST_BYTES: u64 = 64 << 10;
/// More arguments than any function has.
const MOST_ARGUMENTS: usize = 64;
/// `FFI_UNIX64`.
const UNIX64: u32 = 2;
/// In ctypes' record of an argument, from the value back to its type.
const TYPE_BEFORE_VALUE: u64 = 16;
/// Bytes that compilers leave between two arrays on the stack.
const MOST_PADDING: u64 = 64;

/// A range of the stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window {
    low: u64,
    words: Vec<u64>,
}

/// libffi's description of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CallInterface {
    /// Where it is.
    pub(super) address: u64,
    /// Where the array of types is.
    types: u64,
    /// Addresses of the types of the arguments, and what they are.
    pub(super) arguments: Vec<(u64, FfiType)>,
}

/// The type of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FfiType {
    size: u64,
    code: u16,
}

/// An argument as the function received it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Passed {
    pub(super) kind: FfiType,
    /// The value, widened to a register; `None` for what is no number or pointer, or cannot be read.
    pub(super) bits: Option<u64>,
}

impl FfiType {
    pub(super) fn read(memory: &dyn ReadMemory, address: u64) -> Option<Self> {
        if address < 4096 || !address.is_multiple_of(8) {
            return None;
        }
        let size = memory.u64(address).ok()?;
        let alignment = memory.u16(address.checked_add(8)?).ok()?;
        let code = memory.u16(address.checked_add(10)?).ok()?;
        let expected = match code {
            0 | 5 | 6 => 1,
            7 | 8 => 2,
            1 | 2 | 9 | 10 => 4,
            3 | 11 | 12 | 14 => 8,
            4 => 16,
            13 | 15 => size,
            _ => return None,
        };
        let is_type = size == expected && alignment.is_power_of_two() && alignment <= 64;
        is_type.then_some(Self { size, code })
    }

    pub(super) fn name(self) -> &'static str {
        match self.code {
            0 => "void",
            1 | 10 => "int32",
            2 => "float",
            3 => "double",
            4 => "long double",
            5 => "uint8",
            6 => "int8",
            7 => "uint16",
            8 => "int16",
            9 => "uint32",
            11 => "uint64",
            12 => "int64",
            13 => "struct",
            14 => "pointer",
            _ => "complex",
        }
    }

    pub(super) fn is_pointer(self) -> bool {
        self.code == 14
    }

    pub(super) fn is_integer(self) -> bool {
        matches!(self.code, 1 | 5..=12)
    }

    /// The number that the value in a register is.
    pub(super) fn number(self, bits: u64) -> Option<i128> {
        let signed = matches!(self.code, 1 | 6 | 8 | 10 | 12);
        self.is_integer().then(|| {
            if signed {
                i128::from(bits.cast_signed())
            } else {
                i128::from(bits)
            }
        })
    }

    fn is_structure(self) -> bool {
        self.code == 13
    }

    pub(super) fn bytes(self) -> u64 {
        self.size
    }

    /// The value at `address`, as it is in the register that carries it.
    fn value(self, memory: &dyn ReadMemory, address: u64) -> Option<u64> {
        let read = || -> Result<Option<u64>, Unreadable> {
            Ok(match self.code {
                5 => Some(u64::from(memory.u8(address)?)),
                6 => Some(i64::from(memory.u8(address)?.cast_signed()).cast_unsigned()),
                7 => Some(u64::from(memory.u16(address)?)),
                8 => Some(i64::from(memory.u16(address)?.cast_signed()).cast_unsigned()),
                9 => Some(u64::from(memory.u32(address)?)),
                1 | 10 => Some(i64::from(memory.i32(address)?).cast_unsigned()),
                11 | 12 | 14 => Some(memory.u64(address)?),
                _ => None,
            })
        };
        read().ok().flatten()
    }
}

impl CallInterface {
    /// The description at `address`, if there is one.
    pub(super) fn read(memory: &dyn ReadMemory, address: u64) -> Option<Self> {
        let convention = memory.u32(address).ok()?;
        let count = memory.u32(address.checked_add(4)?).ok()? as usize;
        if convention != UNIX64 || count > MOST_ARGUMENTS {
            return None;
        }
        let types = memory.u64(address.checked_add(8)?).ok()?;
        FfiType::read(memory, memory.u64(address.checked_add(16)?).ok()?)?;
        let argument = |index: usize| {
            let kind = memory
                .u64(types.checked_add(8 * index as u64)?)
                .ok()
                .filter(|_| types >= 4096)?;
            Some((kind, FfiType::read(memory, kind)?))
        };
        Some(Self {
            address,
            types,
            arguments: (0..count).map(argument).collect::<Option<_>>()?,
        })
    }

    /// The arguments' values; `places` has the address of each, or nothing.
    pub(super) fn values(&self, memory: &dyn ReadMemory, places: &[u64]) -> Vec<Passed> {
        let passed = |(index, &(_, kind)): (usize, &(u64, FfiType))| Passed {
            kind,
            bits: places
                .get(index)
                .and_then(|place| kind.value(memory, *place)),
        };
        self.arguments.iter().enumerate().map(passed).collect()
    }
}

impl Window {
    pub(super) fn read(memory: &dyn ReadMemory, low: u64, high: u64) -> Result<Self, Unreadable> {
        let length = high.saturating_sub(low).min(MOST_BYTES) & !7;
        let bytes = memory.bytes(low, length as usize)?;
        let words = bytes.as_chunks().0.iter();
        Ok(Self {
            low,
            words: words.map(|word| u64::from_le_bytes(*word)).collect(),
        })
    }

    /// Each word with its address.
    pub(super) fn words(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> + '_ {
        let addresses = (self.low..).step_by(8);
        addresses
            .zip(self.words.iter().copied())
            .collect::<Vec<_>>()
            .into_iter()
    }

    pub(super) fn holds(&self, word: u64) -> bool {
        self.words.contains(&word)
    }

    fn word(&self, address: u64) -> Option<u64> {
        let offset = address.checked_sub(self.low)?;
        let index = offset.is_multiple_of(8).then_some(offset / 8)?;
        self.words.get(usize::try_from(index).ok()?).copied()
    }

    /// The description of a call that lies in the window, with the types of its arguments.
    pub(super) fn call_interface(&self, memory: &dyn ReadMemory) -> Option<CallInterface> {
        let head = |word: u64| word as u32 == UNIX64 && (word >> 32) as usize <= MOST_ARGUMENTS;
        // The outermost: what earlier calls left behind is farther in.
        self.words()
            .rev()
            .filter(|(address, word)| {
                let types = address.checked_add(8).and_then(|types| self.word(types));
                // Without arguments the array has no room and may be anywhere.
                head(*word)
                    && types.is_some_and(|types| self.word(types).is_some() || word >> 32 == 0)
            })
            .find_map(|(address, _)| CallInterface::read(memory, address))
    }

    /// Where ctypes put the values of the arguments: each in a record that begins with its type.
    ///
    /// Three arrays lie on the stack in this order: the types, the places of the values, the records.
    pub(super) fn ctypes_values(&self, call: &CallInterface) -> Option<Vec<u64>> {
        let size = 8 * call.arguments.len() as u64;
        let first = call.types.checked_add(size)?;
        (first..first.checked_add(MOST_PADDING)?)
            .step_by(8)
            .find_map(|array| {
                let after = array.checked_add(size)?;
                let place = |index| self.word(array.checked_add(8 * index as u64)?);
                let places: Option<Vec<u64>> = (0..call.arguments.len()).map(place).collect();
                places.filter(|places| self.are_records(call, places, after))
            })
    }

    fn are_records(&self, call: &CallInterface, places: &[u64], after: u64) -> bool {
        let is_record = |place: u64, kind: u64| {
            let start = place.checked_sub(TYPE_BEFORE_VALUE);
            let start = start.filter(|start| *start >= after);
            start.and_then(|start| self.word(start)) == Some(kind)
        };
        let mut arguments = places.iter().zip(&call.arguments);
        // Structures are passed by reference to where they are.
        arguments.all(|(&place, &(address, kind))| kind.is_structure() || is_record(place, address))
            && call.arguments.iter().any(|(_, kind)| !kind.is_structure())
    }
}
