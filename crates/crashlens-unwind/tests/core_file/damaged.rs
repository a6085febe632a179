//! Cores that are cut, broken or no cores at all: what can be read is read, and nothing panics.

use crashlens_unwind::{CoreError, CoreFile, NoFiles, ReadMemory};
use proptest::prelude::*;

use crate::builder::{
    self, CoreBuilder, PAGE, READ, RIP, RSP, WRITE, ordinary, parse, put, shared,
};
use crate::module::{Folder, module};

fn error_of(bytes: Vec<u8>) -> CoreError {
    CoreFile::parse(shared(bytes)).expect_err("no core")
}

fn reasons(core: &CoreFile) -> String {
    builder::reasons(core.gaps())
}

/// Asks everything a core can be asked.
fn exercise(bytes: Vec<u8>) {
    let Ok(core) = CoreFile::parse(shared(bytes)) else {
        return;
    };
    let snapshot = core.snapshot();
    assert!(snapshot.maps.is_sorted_by_key(|map| map.start));
    let files = Folder::with("/lib/it.so", module(Some([7; 20]), 0xcc));
    let memory = core.memory(&files);
    let reader: &dyn ReadMemory = &memory;
    for map in snapshot.maps.iter().take(100) {
        for address in [
            map.start.0,
            map.end.0.wrapping_sub(4),
            map.start.0.wrapping_sub(4),
        ] {
            let whole = reader.bytes(address, 8);
            let single = (0..8).map(|index| reader.u8(address.wrapping_add(index)));
            let single: Result<Vec<u8>, _> = single.collect();
            if address <= u64::MAX - 8 {
                assert_eq!(whole, single, "one read or eight give the same");
            }
        }
    }
    let _ = (
        core.signal(),
        core.executable(),
        core.kernel_version(),
        core.initial_stack(reader),
        memory.gaps(),
    );
}

#[test]
fn what_is_no_core_gets_a_clear_answer() {
    assert_eq!(error_of(Vec::new()), CoreError::Empty);
    assert_eq!(
        error_of(b"\x7fEL".to_vec()),
        CoreError::TooShort { length: 3 }
    );
    assert_eq!(error_of(b"Segmentation fault".to_vec()), CoreError::NotElf);
    let good = ordinary(&module(None, 0)).bytes();
    let altered = |offset: usize, value: &[u8]| {
        let mut bytes = good.clone();
        put(&mut bytes, offset, value);
        error_of(bytes).to_string()
    };
    assert!(altered(4, &[1]).contains("32-bit"));
    assert!(altered(5, &[2]).contains("big endian"));
    assert!(altered(16, &[3]).contains("a program or a shared library"));
    assert!(altered(18, &[183]).contains("aarch64"));
    assert_eq!(
        error_of(good[..63].to_vec()),
        CoreError::TooShort { length: 63 }
    );
}

#[test]
fn a_core_cut_anywhere_opens_and_says_what_is_missing() {
    let whole = ordinary(&module(Some([7; 20]), 0xcc)).bytes();
    for length in (64..whole.len()).step_by(97).chain(64..1200) {
        let cut = whole[..length].to_vec();
        // The last page of the file is the stack's: every cut loses something.
        assert!(!parse(cut.clone()).gaps().0.is_empty(), "cut at {length}");
        exercise(cut);
    }
}

#[test]
fn the_readable_part_of_a_cut_core_stands() {
    let whole = ordinary(&module(None, 0)).bytes();
    let core = parse(whole[..whole.len() - PAGE as usize].to_vec());
    assert!(
        reasons(&core).contains("4096 bytes of 1 of its 4 segments are missing"),
        "{}",
        reasons(&core)
    );
    let memory = core.memory(&NoFiles);
    assert_eq!((&memory as &dyn ReadMemory).u8(0x7000_0fff), Ok(0x55));
    assert!((&memory as &dyn ReadMemory).u8(0x7000_1000).is_err());
    assert_eq!(core.snapshot().threads.len(), 1);
}

/// More mappings than an ELF header can count.
fn crowded() -> CoreBuilder {
    let mut builder = CoreBuilder::default().thread(9, 11, &[(RIP, 1), (RSP, 69_999 << 20)]);
    for index in 0..70_000_u64 {
        let bytes: &[u8] = if index == 69_999 { &[0x77; 64] } else { &[] };
        builder = builder.memory(index << 20, PAGE, READ | WRITE, bytes);
    }
    builder
}

#[test]
fn a_core_of_seventy_thousand_mappings_has_them_all_also_when_it_is_cut() {
    let bytes = crowded().bytes();
    let core = parse(bytes.clone());
    assert_eq!(core.snapshot().maps.len(), 70_000);
    assert!(core.gaps().0.is_empty(), "{:?}", core.gaps());
    assert_eq!(
        (&core.memory(&NoFiles) as &dyn ReadMemory).u8(69_999 << 20),
        Ok(0x77)
    );

    // The number is at the very end of the file: the first thing a cut loses.
    let cut = parse(bytes[..bytes.len() - 64].to_vec());
    assert_eq!(cut.snapshot().maps.len(), 70_000);
    assert!(
        reasons(&cut).contains("70001 by the place of the notes"),
        "{}",
        reasons(&cut)
    );
}

#[test]
fn damaged_notes_cost_only_themselves() {
    let core = CoreBuilder::default()
        .note(1, &[0; 40])
        .thread(7, 11, &[])
        .note(3, &[1, 2, 3])
        .note(0x4649_4c45, &[9; 20])
        .memory(0x1000, PAGE, READ, &[])
        .core();
    assert_eq!(core.snapshot().threads.len(), 1);
    assert_eq!(
        core.snapshot().pid,
        7,
        "the thread names the process when its own note cannot be read"
    );
    let said = reasons(&core);
    assert!(
        said.contains("registers of a thread: its note in the core is only 40 bytes long"),
        "{said}"
    );
    assert!(said.contains("name and command line"), "{said}");
    assert!(said.contains("list of mapped files"), "{said}");
}

#[test]
fn a_core_without_notes_or_headers_still_opens() {
    let mut bytes = ordinary(&module(None, 0)).bytes();
    put(&mut bytes, 64, &[0; 4]);
    let core = parse(bytes.clone());
    assert!(reasons(&core).contains("notes of the core: it has none"));
    assert_eq!(core.snapshot().maps.len(), 4);
    put(&mut bytes, 56, &[0, 0]);
    assert!(reasons(&parse(bytes)).contains("program headers of the core: the core has none"));
}

#[test]
fn overlapping_segments_give_every_address_one_value() {
    let core = CoreBuilder::default()
        .memory(0x1000, 2 * PAGE, READ, &[1; 2 * PAGE as usize])
        .memory(0x1800, 2 * PAGE, READ, &[2; 2 * PAGE as usize])
        .core();
    let memory = core.memory(&NoFiles);
    let memory: &dyn ReadMemory = &memory;
    assert_eq!((memory.u8(0x2fff), memory.u8(0x3000)), (Ok(1), Ok(2)));
    assert!(memory.u8(0x3800).is_err());
    assert!(reasons(&core).contains("1 of its segments overlap"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..4096)) {
        exercise(bytes);
    }

    #[test]
    fn random_headers_and_notes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 64..2048)) {
        let mut core = ordinary(&module(Some([7; 20]), 0xcc)).bytes();
        let place = 64 + bytes.len();
        put(&mut core, 64, &bytes);
        exercise(core.clone());
        core.truncate(place);
        exercise(core);
    }

    #[test]
    fn a_core_with_a_few_changed_words_never_panics(
        changes in proptest::collection::vec((0_usize..2000, prop_oneof![
            any::<u64>(), Just(0), Just(u64::MAX), Just(1 << 63), 0_u64..70_000,
        ]), 1..8),
        length in 64_usize..30_000,
    ) {
        let mut core = ordinary(&module(Some([7; 20]), 0xcc)).bytes();
        for (offset, value) in changes {
            put(&mut core, offset, &value.to_le_bytes());
        }
        core.truncate(length);
        exercise(core);
    }
}
