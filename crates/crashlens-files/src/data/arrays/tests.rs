use crashlens_core::files::{Array, Contents, FileFacts, FlawKind};

use crate::Options;
use crate::fuzzing::examine_bytes;

/// Written by NumPy: 16 rows of 9.
const FLOAT32: &[u8] = include_bytes!("../../../fixtures/arrays/float32.npy");
const STRUCTURED: &[u8] = include_bytes!("../../../fixtures/arrays/structured.npy");
/// `x` and `y`, stored and compressed.
const TWO: &[u8] = include_bytes!("../../../fixtures/arrays/two.npz");
const COMPRESSED: &[u8] = include_bytes!("../../../fixtures/arrays/compressed.npz");

fn examined(name: &str, bytes: &[u8]) -> FileFacts {
    examine_bytes(name, bytes, &Options::default())
}

fn examined_fully(name: &str, bytes: &[u8]) -> FileFacts {
    let options = Options {
        full: true,
        ..Options::default()
    };
    examine_bytes(name, bytes, &options)
}

fn arrays(facts: &FileFacts) -> &[Array] {
    match &facts.contents {
        Contents::Arrays(arrays) => arrays,
        other => panic!("no arrays: {other:?}"),
    }
}

fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = u16::try_from(header.len())
        .expect("a short header")
        .to_le_bytes();
    [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), data].concat()
}

fn kind(bytes: &[u8]) -> FlawKind {
    let facts = examined("a.npy", bytes);
    facts.flaws.first().expect("a flaw").kind
}

#[test]
fn arrays_of_numpy_are_read_without_a_flaw() {
    let facts = examined("a.npy", FLOAT32);
    assert_eq!(facts.flaws, []);
    let array = &arrays(&facts)[0];
    assert_eq!(
        (array.dtype.as_str(), array.shape.as_slice()),
        ("float32", &[16, 9][..])
    );
    let facts = examined("a.npy", STRUCTURED);
    assert_eq!(facts.flaws, []);
    for bytes in [TWO, COMPRESSED] {
        let facts = examined("a.npz", bytes);
        assert_eq!(facts.flaws, []);
        let names: Vec<&str> = arrays(&facts).iter().map(|a| a.name.as_str()).collect();
        assert_eq!(names, ["x", "y"]);
    }
}

#[test]
fn an_array_cut_anywhere_is_cut_short() {
    for length in [3, 7, 9, 50, 128, FLOAT32.len() - 1] {
        assert_eq!(kind(&FLOAT32[..length]), FlawKind::CutShort, "{length}");
    }
}

#[test]
fn bytes_behind_an_array_are_told() {
    assert_eq!(kind(&[FLOAT32, b"abc"].concat()), FlawKind::TrailingBytes);
}

#[test]
fn shapes_that_cannot_be_are_refused_without_asking_for_memory() {
    assert_eq!(
        kind(&npy("'<f4'", "(100000, 100000)", &[0; 64])),
        FlawKind::CutShort
    );
    assert_eq!(
        kind(&npy("'<f4'", "(9223372036854775807, 8)", &[0; 64])),
        FlawKind::CutShort
    );
    for shape in [
        "(-1, 4)",
        "(2.5, 4)",
        "4",
        "(True,)",
        "(18446744073709551616,)",
    ] {
        assert_eq!(
            kind(&npy("'<f4'", shape, &[0; 64])),
            FlawKind::Malformed,
            "{shape}"
        );
    }
}

#[test]
fn arrays_of_objects_are_not_read() {
    assert_eq!(kind(&npy("'|O'", "(4,)", &[0; 64])), FlawKind::Unsupported);
    assert_eq!(
        kind(&npy("[('a', '|O')]", "(4,)", &[0; 64])),
        FlawKind::Unsupported
    );
}

#[test]
fn what_makes_the_elements_of_an_array_of_objects_is_listed() {
    let bytes = include_bytes!("../../../fixtures/arrays/objects.npy");
    let facts = examined("a.npy", bytes);
    let callables = arrays(&facts)[0].callables.iter();
    let names: Vec<_> = callables.map(|it| it.name.as_str()).collect();
    assert!(names.contains(&"posix.getcwd"), "{names:?}");
}

#[test]
fn values_are_looked_at_only_where_everything_is_read() {
    let values = [1.5_f32, f32::NAN, -2.0, f32::INFINITY];
    let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let bytes = npy("'<f4'", "(4,)", &data);
    assert_eq!(examined("a.npy", &bytes).flaws, []);
    let facts = examined_fully("a.npy", &bytes);
    assert_eq!(facts.flaws[0].kind, FlawKind::NotFinite);
    let array = &arrays(&facts)[0];
    assert_eq!(array.not_finite, 2);
    assert_eq!(
        array.range.map(|r| (r.least, r.greatest)),
        Some((-2.0, 1.5))
    );
}

#[test]
fn numbers_of_every_width_and_order_have_their_range() {
    for (descr, data) in [
        ("'<i2'", [0xff_u8, 0xff, 5, 0].as_slice()),
        ("'>i2'", &[0xff, 0xff, 0, 5]),
        ("'|i1'", &[0xff, 5]),
        ("'<f2'", &[0x00, 0xbc, 0x00, 0x45]),
        (
            "'>f8'",
            &[0xbf, 0xf0, 0, 0, 0, 0, 0, 0, 0x40, 0x14, 0, 0, 0, 0, 0, 0],
        ),
    ] {
        let facts = examined_fully("a.npy", &npy(descr, "(2,)", data));
        let range = arrays(&facts)[0].range.map(|r| (r.least, r.greatest));
        assert_eq!(range, Some((-1.0, 5.0)), "{descr}");
    }
}

#[test]
fn every_flipped_bit_of_a_members_data_is_noticed() {
    for bytes in [TWO, COMPRESSED] {
        for at in (60..bytes.len() / 2).step_by(13) {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= 4;
            let facts = examined("a.npz", &damaged);
            assert!(!facts.flaws.is_empty(), "byte {at}");
        }
    }
}

#[test]
fn an_archive_cut_anywhere_is_flawed() {
    for length in (5..TWO.len()).step_by(50) {
        assert!(
            !examined("a.npz", &TWO[..length]).flaws.is_empty(),
            "{length}"
        );
    }
}

#[test]
fn an_archive_that_becomes_too_large_is_left() {
    let mut options = Options::default();
    options.limits.unpacked = 300;
    let facts = examine_bytes("a.npz", COMPRESSED, &options);
    assert_eq!(facts.flaws[0].kind, FlawKind::TooLarge);
}
