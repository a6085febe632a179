use crate::fuzzing::examine_bytes;
use crate::{Options, Purpose};
use crashlens_core::files::{Contents, FileFacts, FlawKind};

const PLAIN: &[u8] = include_bytes!("../../fixtures/hdf5/plain.h5");
const CHUNKED: &[u8] = include_bytes!("../../fixtures/hdf5/chunk.h5");
const SUMMED: &[u8] = include_bytes!("../../fixtures/hdf5/fletch.h5");
const LATEST: &[u8] = include_bytes!("../../fixtures/hdf5/latest.h5");
const BEHIND_A_BLOCK: &[u8] = include_bytes!("../../fixtures/hdf5/behind-a-block.h5");
const LZF: &[u8] = include_bytes!("../../fixtures/hdf5/lzf.h5");
const DENSE: &[u8] = include_bytes!("../../fixtures/hdf5/dense.h5");
const COMMITTED: &[u8] = include_bytes!("../../fixtures/hdf5/committed.h5");
const KERAS: &[u8] = include_bytes!("../../fixtures/keras/keras2.h5");

fn examined(bytes: &[u8], purpose: Purpose) -> FileFacts {
    let options = Options {
        purpose,
        full: true,
        ..Options::default()
    };
    examine_bytes("data.h5", bytes, &options)
}

fn arrays(bytes: &[u8]) -> Vec<(String, String, Vec<u64>)> {
    let facts = examined(bytes, Purpose::Data);
    assert_eq!(facts.flaws, []);
    let Contents::Arrays(arrays) = facts.contents else {
        panic!("{:?}", facts.contents);
    };
    let arrays = arrays.into_iter().map(|it| (it.name, it.dtype, it.shape));
    arrays.collect()
}

fn first(bytes: &[u8]) -> Option<FlawKind> {
    let facts = examined(bytes, Purpose::Data);
    facts.flaws.first().map(|flaw| flaw.kind)
}

fn array(name: &str, dtype: &str, shape: &[u64]) -> (String, String, Vec<u64>) {
    (name.to_owned(), dtype.to_owned(), shape.to_vec())
}

#[test]
fn data_sets_of_every_layout_are_listed() {
    let plain = [
        array("x", "float32", &[20, 3]),
        array("g/y", "int64", &[20]),
    ];
    assert_eq!(arrays(PLAIN), plain);
    let chunked = [
        array("x", "float64", &[40, 8]),
        array("z", "float32", &[40, 8]),
    ];
    assert_eq!(arrays(CHUNKED), chunked);
    assert_eq!(arrays(SUMMED), [array("x", "float64", &[60, 8])]);
    assert_eq!(arrays(LATEST).len(), 2);
}

#[test]
fn a_file_that_misses_its_end_is_cut_short() {
    for bytes in [PLAIN, CHUNKED, SUMMED, LATEST, KERAS] {
        for length in [bytes.len() - 1, bytes.len() / 2, 100] {
            assert!(
                first(&bytes[..length]).is_some(),
                "{length} of {}",
                bytes.len()
            );
        }
        assert_eq!(first(&bytes[..bytes.len() - 1]), Some(FlawKind::CutShort));
    }
}

#[test]
fn a_changed_byte_of_a_summed_chunk_is_found() {
    let mut bytes = SUMMED.to_vec();
    let last = bytes.len() - 40;
    bytes[last] ^= 1;
    assert_eq!(first(&bytes), Some(FlawKind::ChecksumMismatch));
}

#[test]
fn a_changed_byte_of_a_summed_header_is_found() {
    let mut bytes = LATEST.to_vec();
    bytes[20] ^= 1;
    assert_eq!(first(&bytes), Some(FlawKind::ChecksumMismatch));
}

#[test]
fn keras_tells_its_version_and_its_layers() {
    let facts = examined(KERAS, Purpose::Model);
    assert_eq!(facts.flaws, []);
    let model = facts.model().expect("a model");
    assert_eq!(model.producer_version.as_deref(), Some("2.12.0"));
    assert!(
        model
            .operations
            .iter()
            .any(|it| it.name == "Dense" && it.count == 2)
    );
    assert!(model.tensors.iter().any(|it| it.name.contains("kernel")));
}

#[test]
fn nan_in_a_data_set_is_told() {
    let mut bytes = PLAIN.to_vec();
    let facts = examined(&bytes, Purpose::Data);
    assert_eq!(facts.flaws, []);
    // Where h5py says that the values of `x` begin.
    let at = 2048;
    bytes[at..at + 4].copy_from_slice(&f32::INFINITY.to_le_bytes());
    assert_eq!(first(&bytes), Some(FlawKind::NotFinite));
}

#[test]
fn no_single_changed_byte_makes_the_reader_fail() {
    for bytes in [PLAIN, CHUNKED, SUMMED, LATEST] {
        for at in (0..bytes.len()).step_by(23) {
            let mut changed = bytes.to_vec();
            changed[at] ^= 0xff;
            let kinds = examined(&changed, Purpose::Data).flaws;
            assert!(
                kinds.iter().all(|flaw| flaw.kind != FlawKind::ReaderFailed),
                "byte {at}"
            );
        }
    }
}

#[test]
fn a_file_behind_a_block_of_the_users_is_read() {
    assert_eq!(arrays(BEHIND_A_BLOCK), [array("x", "int64", &[4])]);
}

/// Each way to find chunks in the newest layout.
mod newest {
    use super::*;

    const SINGLE: &[u8] = include_bytes!("../../fixtures/hdf5/v4-single.h5");
    const IMPLICIT: &[u8] = include_bytes!("../../fixtures/hdf5/v4-implicit.h5");
    const FIXED: &[u8] = include_bytes!("../../fixtures/hdf5/v4-fixed.h5");
    const GROWS: &[u8] = include_bytes!("../../fixtures/hdf5/v4-one-unlimited.h5");
    const TREE: &[u8] = include_bytes!("../../fixtures/hdf5/v4-two-unlimited.h5");

    #[test]
    fn whole_files_are_silent() {
        for bytes in [SINGLE, IMPLICIT, FIXED, GROWS, TREE] {
            assert!(!arrays(bytes).is_empty());
        }
    }

    /// Where letters stand that begin a block, a byte behind them is changed: every block but one that is unused.
    #[test]
    fn damage_of_an_index_is_found() {
        let blocks = [
            (FIXED, &[b"FAHD", b"FADB"][..]),
            (GROWS, &[b"EAHD", b"EAIB", b"EADB"]),
            (TREE, &[b"BTHD", b"BTLF", b"BTIN"]),
        ];
        for (bytes, letters) in blocks {
            for letters in letters {
                let at = memchr::memmem::find(bytes, *letters).expect("such a block");
                let mut changed = bytes.to_vec();
                changed[at + 12] ^= 1;
                let seen = first(&changed);
                assert_eq!(seen, Some(FlawKind::ChecksumMismatch), "{letters:?}");
            }
        }
    }

    #[test]
    fn damage_of_a_packed_chunk_is_found() {
        for bytes in [SINGLE, FIXED, GROWS, TREE] {
            let at = memchr::memmem::find(bytes, b"\x78\x5e").expect("a stream of zlib");
            let mut changed = bytes.to_vec();
            changed[at + 8] ^= 0x55;
            assert_eq!(first(&changed), Some(FlawKind::Malformed));
        }
    }

    #[test]
    fn values_of_chunks_in_a_row_are_looked_at() {
        let one = memchr::memmem::find(IMPLICIT, &1_f32.to_le_bytes()).expect("the second value");
        let mut changed = IMPLICIT.to_vec();
        changed[one..one + 4].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(first(&changed), Some(FlawKind::NotFinite));
    }

    #[test]
    fn no_single_changed_byte_makes_the_reader_fail() {
        for bytes in [SINGLE, IMPLICIT, FIXED, GROWS, TREE] {
            for at in (0..bytes.len()).step_by(7) {
                let mut changed = bytes.to_vec();
                changed[at] ^= 0xff;
                assert_ne!(first(&changed), Some(FlawKind::ReaderFailed), "byte {at}");
            }
        }
    }
}

#[test]
fn damage_of_lzf_is_found() {
    assert_eq!(arrays(LZF).len(), 3);
    let outcomes = (2048..LZF.len()).step_by(11).map(|at| {
        let mut changed = LZF.to_vec();
        changed[at] ^= 0xe0;
        first(&changed)
    });
    let found = outcomes.filter(|it| *it == Some(FlawKind::Malformed));
    assert!(found.count() > 20);
}

#[test]
fn a_driver_behind_the_end_is_passed_over_as_readers_do() {
    for (address, flaws) in [(96, 1), (1 << 40, 0), (1 << 63, 1)] {
        let mut changed = PLAIN.to_vec();
        changed[48..56].copy_from_slice(&u64::to_le_bytes(address));
        assert_eq!(examined(&changed, Purpose::Data).flaws.len(), flaws);
    }
}

#[test]
fn links_and_attributes_in_heaps_are_followed() {
    let facts = examined(DENSE, Purpose::Data);
    assert_eq!(facts.flaws, []);
    for letters in [b"FRHP", b"FHIB", b"FHDB", b"BTHD"] {
        let at = memchr::memmem::find(DENSE, letters).expect("such a block");
        let mut changed = DENSE.to_vec();
        changed[at + 20] ^= 1;
        let seen = first(&changed);
        assert_eq!(seen, Some(FlawKind::ChecksumMismatch), "{letters:?}");
    }
    // The header of the last member, which only its link in the heap leads to.
    let headers = memchr::memmem::find_iter(DENSE, b"OHDR");
    let mut changed = DENSE.to_vec();
    changed[headers.last().expect("a header") + 8] ^= 1;
    assert_eq!(first(&changed), Some(FlawKind::ChecksumMismatch));
}

#[test]
fn types_with_names_of_their_own_are_followed() {
    let all = arrays(COMMITTED);
    assert!(all.contains(&array("x", "float32", &[6])));
}
