use crashlens_core::files::{FileFacts, FlawKind, Format};

use crate::fuzzing::examine_bytes;
use crate::reading::{Options, Purpose};

/// A product of an input and a constant, as TensorFlow 2.21.0 writes it.
const GRAPH: &[u8] = include_bytes!("../../../fixtures/graph/product.pb");

fn seen(bytes: &[u8]) -> FileFacts {
    let options = Options {
        purpose: Purpose::Model,
        full: true,
        ..Options::default()
    };
    examine_bytes("product.pb", bytes, &options)
}

fn kinds(facts: &FileFacts) -> Vec<FlawKind> {
    facts.flaws.iter().map(|flaw| flaw.kind).collect()
}

/// The graph with one text exchanged for another of the same length, everywhere from `nth` on.
fn exchanged(from: &[u8], to: &[u8], nth: usize) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = GRAPH.to_vec();
    let places: Vec<usize> = bytes
        .windows(from.len())
        .enumerate()
        .filter(|(_, window)| *window == from)
        .map(|(place, _)| place)
        .collect();
    let place = places[nth];
    bytes[place..place + to.len()].copy_from_slice(to);
    bytes
}

#[test]
fn a_frozen_graph_is_known_without_a_name_and_has_no_flaw() {
    let options = Options {
        purpose: Purpose::Model,
        ..Options::default()
    };
    let facts = examine_bytes("anything", GRAPH, &options);
    assert_eq!(facts.format, Some(Format::GraphDef));
    assert_eq!(facts.flaws, []);
    let model = facts.model().expect("a model");
    let names: Vec<&str> = model.operations.iter().map(|op| op.name.as_str()).collect();
    assert_eq!(names, ["Const", "MatMul", "Placeholder"]);
    assert_eq!(model.graph_producer, Some(2474));
    assert_eq!(model.tensors.len(), 1);
    assert_eq!(model.tensors[0].shape, [3, 2]);
}

#[test]
fn every_cut_of_a_graph_but_those_between_nodes_is_found() {
    let quiet = (1..GRAPH.len()).filter(|end| seen(&GRAPH[..*end]).flaws.is_empty());
    // Between its four fields a graph is a shorter graph; the product needs what comes before it.
    assert!(quiet.count() <= 4);
}

#[test]
fn an_input_that_is_nowhere_is_told() {
    let facts = seen(&exchanged(b"\x1a\x01x", b"\x1a\x01z", 0));
    assert_eq!(kinds(&facts), [FlawKind::Contradiction]);
    assert!(
        facts.flaws[0].detail.contains("\"z\" is nowhere"),
        "{facts:?}"
    );
}

#[test]
fn a_name_that_is_there_twice_is_told() {
    let facts = seen(&exchanged(b"\x0a\x01w", b"\x0a\x01x", 0));
    assert!(kinds(&facts).contains(&FlawKind::Malformed));
}

#[test]
fn an_attribute_that_the_op_needs_is_missed() {
    let facts = seen(&exchanged(b"\x0a\x01T\x12", b"\x0a\x01U\x12", 0));
    assert!(
        facts.flaws[0].detail.contains("no attribute T"),
        "{facts:?}"
    );
}

#[test]
fn text_that_is_not_utf8_is_refused_as_parsers_do() {
    let facts = seen(&exchanged(b"\x0a\x01w", b"\x0a\x01\xff", 0));
    assert!(facts.flaws[0].detail.contains("UTF-8"), "{facts:?}");
}

#[test]
fn a_constant_whose_bytes_do_not_fit_its_shape_is_told() {
    // The second size of its shape.
    let facts = seen(&exchanged(
        b"\x12\x02\x08\x02\x22",
        b"\x12\x02\x08\x05\x22",
        0,
    ));
    assert_eq!(kinds(&facts), [FlawKind::Contradiction]);
    assert!(facts.flaws[0].detail.contains("15 values"), "{facts:?}");
}

#[test]
fn nan_in_a_constant_is_counted() {
    let mut bytes = GRAPH.to_vec();
    let ones: Vec<u8> = [1.0_f32, 2.0]
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let place = bytes
        .windows(8)
        .position(|window| window == ones)
        .expect("the values");
    bytes[place..place + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    let facts = seen(&bytes);
    assert_eq!(
        facts.model().map(|model| model.tensors[0].not_finite),
        Some(1)
    );
}

#[test]
fn a_text_of_any_kind_is_no_graph() {
    for bytes in [
        &b"hello"[..],
        b"\x0a\x05hello",
        b"{\"a\": 1}",
        b"\x0a\x00\x0a\x00",
    ] {
        let options = Options {
            purpose: Purpose::Model,
            ..Options::default()
        };
        assert_ne!(
            examine_bytes("x", bytes, &options).format,
            Some(Format::GraphDef)
        );
    }
}
