use crashlens_core::files::{FileFacts, FlawKind, Format};

use crate::fuzzing::examine_files;
use crate::reading::{Options, Purpose};

const OBJECTS_INDEX: &[u8] = include_bytes!("../../../fixtures/checkpoint/ck-1.index");
const OBJECTS: &[u8] = include_bytes!("../../../fixtures/checkpoint/ck-1.data-00000-of-00001");
const STATE: &[u8] = include_bytes!("../../../fixtures/checkpoint/checkpoint");
const SAVER_INDEX: &[u8] = include_bytes!("../../../fixtures/checkpoint/model-7.index");
const SAVER: &[u8] = include_bytes!("../../../fixtures/checkpoint/model-7.data-00000-of-00001");

fn seen(files: &[(&str, &[u8])], path: &str) -> FileFacts {
    let options = Options {
        purpose: Purpose::Model,
        ..Options::default()
    };
    examine_files(files, path, &options)
}

/// The checkpoint of objects, with these bytes instead of its own.
fn with(index: &[u8], data: &[u8]) -> FileFacts {
    let files: [(&str, &[u8]); 2] = [
        ("d/ck-1.index", index),
        ("d/ck-1.data-00000-of-00001", data),
    ];
    seen(&files, "d/ck-1")
}

fn kinds(facts: &FileFacts) -> Vec<FlawKind> {
    facts.flaws.iter().map(|flaw| flaw.kind).collect()
}

fn names(facts: &FileFacts) -> Vec<String> {
    let model = facts.model().expect("a model");
    model
        .tensors
        .iter()
        .map(|tensor| tensor.name.clone())
        .collect()
}

#[test]
fn a_checkpoint_of_objects_is_whole_however_it_is_named() {
    let files = [
        ("d/checkpoint", STATE),
        ("d/ck-1.index", OBJECTS_INDEX),
        ("d/ck-1.data-00000-of-00001", OBJECTS),
    ];
    for path in [
        "d",
        "d/checkpoint",
        "d/ck-1",
        "d/ck-1.index",
        "d/ck-1.data-00000-of-00001",
    ] {
        let facts = seen(&files, path);
        assert_eq!(facts.format, Some(Format::Checkpoint), "{path}");
        assert_eq!(facts.flaws, [], "{path}");
        // The file that names it is checked by itself: the checkpoint beside it is asked for as well.
        let is_listed = names(&facts).contains(&"v/.ATTRIBUTES/VARIABLE_VALUE".to_owned());
        assert_eq!(is_listed, path != "d/checkpoint", "{path}");
    }
}

#[test]
fn a_checkpoint_of_the_old_saver_with_a_tensor_in_slices_is_whole() {
    let files = [
        ("model-7.index", SAVER_INDEX),
        ("model-7.data-00000-of-00001", SAVER),
    ];
    let facts = seen(&files, "model-7");
    assert_eq!(facts.flaws, []);
    let model = facts.model().expect("a model");
    let parted = model.tensors.iter().find(|tensor| tensor.name == "parted");
    let parted = parted.expect("the tensor in slices");
    assert_eq!((parted.shape.as_slice(), parted.bytes), (&[6, 2][..], 48));
}

#[test]
fn every_changed_byte_of_the_data_is_found() {
    for at in 0..OBJECTS.len() {
        let mut data = OBJECTS.to_vec();
        data[at] ^= 0x10;
        let facts = with(OBJECTS_INDEX, &data);
        assert!(
            kinds(&facts).contains(&FlawKind::ChecksumMismatch),
            "byte {at}"
        );
    }
}

#[test]
fn every_cut_of_index_or_data_is_found() {
    for end in 0..OBJECTS_INDEX.len() {
        let facts = with(&OBJECTS_INDEX[..end], OBJECTS);
        assert!(!facts.flaws.is_empty(), "an index of {end} bytes");
    }
    for end in 0..OBJECTS.len() {
        let facts = with(OBJECTS_INDEX, &OBJECTS[..end]);
        assert!(!facts.flaws.is_empty(), "data of {end} bytes");
    }
}

#[test]
fn a_length_that_a_flipped_bit_made_huge_is_told_as_such() {
    let mut index = OBJECTS_INDEX.to_vec();
    let footer = index.len() - 48;
    index[footer..footer + 20].copy_from_slice(&[
        0, 8, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ]);
    assert_eq!(kinds(&with(&index, OBJECTS)), [FlawKind::WildLength]);
}

#[test]
fn a_data_file_that_is_not_there_is_told_by_name() {
    let facts = seen(&[("ck-1.index", OBJECTS_INDEX)], "ck-1");
    assert_eq!(kinds(&facts), [FlawKind::MissingPart]);
    assert_eq!(facts.flaws[0].part.words(), "ck-1.data-00000-of-00001");
    let facts = seen(&[("ck-1.data-00000-of-00001", OBJECTS)], "ck-1");
    assert_eq!(kinds(&facts), [FlawKind::MissingPart]);
    assert_eq!(facts.flaws[0].part.words(), "ck-1.index");
}

#[test]
fn data_of_one_save_under_the_index_of_another_is_told_as_an_interrupted_save() {
    // All numbers are others, all sizes the same: what a killed save over an old checkpoint leaves.
    let mut data = OBJECTS.to_vec();
    for byte in &mut data {
        *byte ^= 1;
    }
    let facts = with(OBJECTS_INDEX, &data);
    assert!(kinds(&facts).contains(&FlawKind::ChecksumMismatch));
    assert!(kinds(&facts).contains(&FlawKind::Leftover));
}

#[test]
fn the_folder_of_an_interrupted_save_is_told_and_the_checkpoint_beside_it_is_read() {
    let files: [(&str, &[u8]); 3] = [
        ("d/ck-1.index", OBJECTS_INDEX),
        ("d/ck-1.data-00000-of-00001", OBJECTS),
        (
            "d/ck-1_temp/part-00000-of-00001.data-00000-of-00001",
            b"abc",
        ),
    ];
    let facts = seen(&files, "d/ck-1");
    assert_eq!(kinds(&facts), [FlawKind::Leftover]);
    assert_eq!(names(&facts).len(), 5);
}

#[test]
fn a_state_file_that_names_what_is_not_there_is_told() {
    let files: [(&str, &[u8]); 3] = [
        ("d/checkpoint", b"model_checkpoint_path: \"ck-2\"\n"),
        ("d/ck-1.index", OBJECTS_INDEX),
        ("d/ck-1.data-00000-of-00001", OBJECTS),
    ];
    let facts = seen(&files, "d");
    assert_eq!(kinds(&facts), [FlawKind::MissingPart]);
    assert!(facts.flaws[0].detail.contains("ck-2.index"));
}

#[test]
fn a_checkpoint_of_the_oldest_format_is_there() {
    for name in ["m.ckpt", "m.ckpt-00000-of-00002"] {
        let files: [(&str, &[u8]); 2] = [
            ("d/checkpoint", b"model_checkpoint_path: \"m.ckpt\"\n"),
            (&format!("d/{name}"), b"a table"),
        ];
        assert_eq!(kinds(&seen(&files, "d/checkpoint")), [], "{name}");
    }
}

#[test]
fn a_save_that_was_killed_at_its_beginning_leaves_a_folder_and_no_checkpoint() {
    let part = "d/ck-7_temp/part-00000-of-00001.data-00000-of-00001";
    let facts = seen(&[(part, b"abc")], "d/ck-7_temp");
    assert_eq!(kinds(&facts), [FlawKind::Leftover]);
    assert_eq!(facts.flaws[0].part.words(), "ck-7_temp");
}

#[test]
fn a_file_of_another_kind_is_no_checkpoint() {
    let files: [(&str, &[u8]); 2] = [("notes.txt", b"hello"), ("checkpoint", b"a diary")];
    assert_eq!(seen(&files, "notes.txt").format, None);
    assert_eq!(seen(&files, "checkpoint").format, None);
}
