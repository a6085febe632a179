use proptest::prelude::*;

use super::pretended::{self, NAMES, OBJECT, TENSORFLOW, TORCH, type_of};
use super::*;

fn array_in(words: &[u64]) -> Option<Array> {
    let bytes: Vec<_> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    pretended::array_in(&bytes)
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
fn every_seed_of_the_fuzzer_is_an_array() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/arrays");
    for seed in std::fs::read_dir(folder).unwrap() {
        let seed = seed.unwrap().path();
        let content = std::fs::read(&seed).unwrap();
        let is_array = NAMES.iter().any(|name| {
            let head = [1, type_of(name)].map(u64::to_le_bytes).concat();
            let array = pretended::array_in(&[&head, content.as_slice()].concat());
            array.is_some_and(|array| array.shape.is_some() && array.dtype.is_some())
        });
        assert!(is_array, "{}", seed.display());
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
