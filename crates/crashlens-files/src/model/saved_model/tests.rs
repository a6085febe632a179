use crashlens_core::files::{FileFacts, FlawKind, Format};

use crate::fuzzing::examine_files;
use crate::reading::{Options, Purpose};

/// A module with one variable, one function and an asset, saved by TensorFlow 2.21.0.
const GRAPH: &[u8] = include_bytes!("../../../fixtures/saved_model/saved_model.pb");
const PRINT: &[u8] = include_bytes!("../../../fixtures/saved_model/fingerprint.pb");
const INDEX: &[u8] = include_bytes!("../../../fixtures/saved_model/variables/variables.index");
const DATA: &[u8] =
    include_bytes!("../../../fixtures/saved_model/variables/variables.data-00000-of-00001");

type Files<'a> = Vec<(&'a str, &'a [u8])>;

fn files() -> Files<'static> {
    vec![
        ("m/saved_model.pb", GRAPH),
        ("m/fingerprint.pb", PRINT),
        ("m/variables/variables.index", INDEX),
        ("m/variables/variables.data-00000-of-00001", DATA),
        ("m/assets/words.txt", b"a\nb\n"),
    ]
}

fn with<'a>(name: &str, bytes: &'a [u8]) -> Files<'a> {
    let mut files: Files<'a> = files();
    for file in &mut files {
        if file.0 == name {
            file.1 = bytes;
        }
    }
    files
}

fn without(name: &str) -> Files<'static> {
    files()
        .into_iter()
        .filter(|(known, _)| *known != name)
        .collect()
}

fn seen(files: &[(&str, &[u8])], path: &str) -> FileFacts {
    let options = Options {
        purpose: Purpose::Model,
        ..Options::default()
    };
    examine_files(files, path, &options)
}

fn kinds(facts: &FileFacts) -> Vec<FlawKind> {
    facts.flaws.iter().map(|flaw| flaw.kind).collect()
}

#[test]
fn a_saved_model_is_whole_by_its_folder_and_by_its_graph() {
    for path in ["m", "m/", "m/saved_model.pb"] {
        let facts = seen(&files(), path);
        assert_eq!(facts.format, Some(Format::SavedModel), "{path}");
        assert_eq!(facts.flaws, [], "{path}");
        let model = facts.model().expect("a model");
        assert_eq!(model.producer_version.as_deref(), Some("2.21.0"));
        assert!(
            model
                .tensors
                .iter()
                .any(|tensor| tensor.name.starts_with("v/"))
        );
        assert!(
            model
                .signatures
                .iter()
                .all(|signature| signature.fault.is_none())
        );
    }
}

#[test]
fn every_part_that_is_gone_is_named() {
    for part in [
        "saved_model.pb",
        "variables/variables.index",
        "variables/variables.data-00000-of-00001",
        "assets/words.txt",
    ] {
        let facts = seen(&without(&format!("m/{part}")), "m");
        assert_eq!(kinds(&facts), [FlawKind::MissingPart], "{part}");
        assert_eq!(facts.flaws[0].part.words(), part);
    }
    assert_eq!(seen(&without("m/fingerprint.pb"), "m").flaws, []);
}

#[test]
fn a_cut_graph_is_told_with_its_byte() {
    let facts = seen(&with("m/saved_model.pb", &GRAPH[..GRAPH.len() / 2]), "m");
    assert_eq!(kinds(&facts)[0], FlawKind::CutShort);
    assert!(facts.flaws[0].at.is_some());
}

#[test]
fn a_graph_that_is_there_twice_is_told() {
    let twice = [GRAPH, GRAPH].concat();
    let facts = seen(&with("m/saved_model.pb", &twice), "m");
    assert!(!facts.flaws.is_empty());
}

#[test]
fn variables_of_another_save_are_told_by_the_fingerprint() {
    // A fingerprint of its own stands for that of another save.
    let mut print = PRINT.to_vec();
    let place = print
        .iter()
        .position(|byte| *byte == 0x28)
        .expect("the field of the hash");
    print[place + 1] ^= 1;
    let facts = seen(&with("m/fingerprint.pb", &print), "m");
    assert_eq!(kinds(&facts), [FlawKind::Leftover]);
}

#[test]
fn the_folder_of_an_interrupted_save_of_the_variables_is_told() {
    let mut all = files();
    all.push(("m/variables/variables_temp/part-00000-of-00001.index", b"x"));
    assert_eq!(kinds(&seen(&all, "m")), [FlawKind::Leftover]);
}

#[test]
fn a_changed_variable_is_found_by_its_checksum() {
    let mut data = DATA.to_vec();
    data[0] ^= 1;
    let facts = seen(
        &with("m/variables/variables.data-00000-of-00001", &data),
        "m",
    );
    assert!(kinds(&facts).contains(&FlawKind::ChecksumMismatch));
}
