use crashlens_core::files::{FileFacts, FlawKind};

use crate::Options;
use crate::fuzzing::examine_bytes;

/// Written by pyarrow 26.0.1.
const PARQUET: &[u8] = include_bytes!("../../../fixtures/tables/small.parquet");
const ARROW: &[u8] = include_bytes!("../../../fixtures/tables/small.arrow");

fn examined(name: &str, bytes: &[u8]) -> FileFacts {
    examine_bytes(name, bytes, &Options::default())
}

#[test]
fn files_of_pyarrow_have_no_flaw() {
    assert_eq!(examined("a.parquet", PARQUET).flaws, []);
    assert_eq!(examined("a.arrow", ARROW).flaws, []);
}

#[test]
fn a_file_cut_anywhere_has_lost_its_footer() {
    for (name, bytes) in [("a.parquet", PARQUET), ("a.arrow", ARROW)] {
        for length in [9, 12, 100, bytes.len() / 2, bytes.len() - 1] {
            let facts = examined(name, &bytes[..length]);
            assert_eq!(facts.flaws[0].kind, FlawKind::CutShort, "{name} {length}");
        }
    }
}

#[test]
fn a_footer_longer_than_the_file_contradicts_it() {
    let mut bytes = PARQUET.to_vec();
    let at = bytes.len() - 5;
    bytes[at] = 0x7f;
    let facts = examined("a.parquet", &bytes);
    assert_eq!(facts.flaws[0].kind, FlawKind::Contradiction);
}
