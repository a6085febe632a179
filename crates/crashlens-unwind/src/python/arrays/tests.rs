use crashlens_core::Mapping;
use proptest::prelude::*;

use super::*;
use crate::python::{offsets, values};
use crate::{ProcessSnapshot, ReadMemory, Unreadable};

/// Types are at the start of the memory, one in each of these.
const TYPE_SIZE: usize = 0x200;
const BASE: u64 = 0x1_0000;
const NAMES: [&str; 7] = [
    "type",
    "numpy.ndarray",
    "EagerTensor",
    "torch._C.TensorBase",
    "numpy.dtype",
    "ResourceVariable.BaseResourceVariable",
    "KerasTensor",
];
const OBJECT: u64 = BASE + (NAMES.len() * TYPE_SIZE) as u64;
/// Where the virtual tables of the libraries are pretended to be.
const TENSORFLOW: u64 = 0x100_0000;
const TORCH: u64 = 0x200_0000;

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

/// Memory with all types in it, and `words` from [`OBJECT`] on.
fn memory(words: &[u64]) -> Bytes {
    let mut bytes = vec![0; NAMES.len() * TYPE_SIZE];
    for (index, name) in NAMES.iter().enumerate() {
        let start = index * TYPE_SIZE;
        let mut put = |offset: usize, word: u64| {
            bytes[start + offset..start + offset + 8].copy_from_slice(&word.to_le_bytes());
        };
        put(8, BASE);
        put(24, BASE + (start + 0x180) as u64);
        put(32, if index == 0 { 400 } else { 96 });
        put(
            168,
            if index == 0 {
                1 << 31 | 1 << 12
            } else {
                1 << 12
            },
        );
        bytes[start + 0x180..start + 0x180 + name.len()].copy_from_slice(name.as_bytes());
    }
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
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

/// What the object at [`OBJECT`] is.
fn array_in(words: &[u64]) -> Option<Array> {
    let memory = memory(words);
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
    let offsets = offsets::table((3, 11)).unwrap();
    let budget = values::budget(&memory);
    let layout = offsets::layout((3, 11)).unwrap();
    let values = ValueReader::new(&budget, &snapshot, layout, offsets.text, None);
    read(&values, &values.object(OBJECT).ok()?)
}

fn type_of(name: &str) -> u64 {
    let index = NAMES.iter().position(|known| *known == name).unwrap();
    BASE + (index * TYPE_SIZE) as u64
}

/// A tensor of 2 by 3 `float32` in a handle as 2.15 has it; `change` may spoil it.
fn eager(change: impl FnOnce(&mut [u64])) -> Option<Array> {
    const HANDLE: usize = 16;
    const BUFFER: usize = 80;
    let mut words = [0; 100];
    let address = |index: usize| OBJECT + index as u64 * 8;
    words[1] = type_of("EagerTensor");
    words[10] = address(HANDLE);
    let handle = &mut words[HANDLE..];
    handle[0] = TENSORFLOW + 16;
    handle[1] = 1;
    handle[2] = 1 << 32 | 2;
    for start in [0x120, 0x140] {
        handle[start / 8] = 3 << 16 | 2;
        handle[start / 8 + 1] = 0x0002_01ab_cdef_0123;
        handle[start / 8 + 2] = 6;
        handle[start / 8 + 3] = address(BUFFER);
    }
    handle[0x1b0 / 8] = 0x00ff_0000_0000_0000;
    handle[0x1b8 / 8] = u64::MAX;
    words[BUFFER] = TENSORFLOW + 64;
    words[BUFFER + 1] = 1;
    words[BUFFER + 2] = OBJECT;
    change(&mut words[HANDLE..]);
    array_in(&words)
}

#[test]
fn a_tensor_is_found_in_its_handle() {
    let array = eager(|_| {}).unwrap();
    assert_eq!(array.kind, ArrayKind::EagerTensor);
    assert_eq!(array.shape, Some(vec![Some(2), Some(3)]));
    assert_eq!(array.dtype.as_deref(), Some("float32"));
    assert_eq!(array.data, Some(Address(OBJECT)));
    assert_eq!(array.data_mapped, Some(true));
    assert!(array.by_form);
}

#[test]
fn a_tensor_that_came_later_is_read_once_it_is_there() {
    let later = |ready: u64, error: u64| {
        eager(|handle| {
            handle[0x180 / 8] = 1;
            handle[0x170 / 8] = ready;
            handle[0x178 / 8] = error;
        })
    };
    assert!(later(1, 0).is_some());
    assert_eq!(later(0, 0), None);
    assert_eq!(later(1, OBJECT), None);
}

#[test]
fn a_handle_that_does_not_fit_in_every_way_has_no_shape() {
    type Change = fn(&mut [u64]);
    let spoiled: [(&str, Change); 9] = [
        ("of another library", |handle| handle[0] = TORCH),
        ("of another kind", |handle| handle[2] = 1 << 32),
        ("of another type", |handle| handle[2] = 3 << 32 | 2),
        ("of more elements", |handle| handle[0x130 / 8] = 7),
        ("with another copy", |handle| {
            handle[0x140 / 8] = 2 << 16 | 3;
        }),
        ("with another buffer", |handle| handle[0x158 / 8] += 8),
        ("without a buffer", |handle| {
            handle[0x138 / 8] = 0;
            handle[0x158 / 8] = 0;
        }),
        ("kept elsewhere", |handle| handle[0x1a0 / 8] = 2),
        ("with a shape behind it", |handle| handle[0x1b8 / 8] = 4),
    ];
    for (how, change) in spoiled {
        assert_eq!(eager(change), None, "{how}");
    }
}

#[test]
fn the_extent_of_an_array_follows_its_strides() {
    assert_eq!(extent(1000, &[], &[], 8), Some((1000, 8)));
    assert_eq!(extent(1000, &[2, 3], &[12, 4], 4), Some((1000, 24)));
    assert_eq!(extent(1000, &[3], &[-8], 8), Some((984, 24)));
    assert_eq!(extent(1000, &[2, 3], &[-100, 10], 4), Some((900, 124)));
    assert_eq!(extent(1000, &[1000, 1000], &[0, 0], 4), Some((1000, 4)));
    assert_eq!(extent(1000, &[0, 3], &[12, 4], 4), None);
    assert_eq!(extent(8, &[3], &[-8], 8), None);
    assert_eq!(extent(u64::MAX - 8, &[3], &[8], 8), None);
    assert_eq!(extent(0, &[1 << 40, 1 << 40], &[1, 1], 1), None);
}

#[test]
fn an_empty_array_may_be_as_wide_as_it_likes() {
    assert_eq!(elements(&[1 << 62, 0, 1 << 62]), Some(0));
    assert_eq!(elements(&[1 << 62, 4]), None);
    assert_eq!(elements(&[]), Some(1));
}

/// Words that lead into the memory, are small, are of a library, or are anything.
fn any_words() -> impl Strategy<Value = Vec<u64>> {
    let word = prop_oneof![
        4 => (0..160_u64).prop_map(|index| OBJECT + 8 * index),
        4 => 0..8_u64,
        1 => Just(u64::MAX),
        1 => Just(TENSORFLOW),
        1 => Just(TORCH),
        1 => prop::sample::select(NAMES.to_vec()).prop_map(type_of),
        1 => any::<u64>(),
    ];
    prop::collection::vec(word, 16..160)
}

proptest! {
    #[test]
    fn no_object_is_too_broken(mut words in any_words(), name in prop::sample::select(NAMES.to_vec())) {
        words[1] = type_of(name);
        array_in(&words);
    }

    #[test]
    fn no_handle_is_too_broken(changes in prop::collection::vec((0..60_usize, any_words()), 1..4)) {
        eager(|handle| {
            for (index, words) in changes {
                handle[index] = words[0];
            }
        });
    }
}
