//! ONNX: a protocol buffer with a graph in it. Its messages are walked to the last, its stored tensors held against their
//! shapes, and what operators take against what is made before them; what operators do is not.
//!
//! Not the `onnx-rs` crate: it is young, and does not say at which byte a model is damaged.

mod walk;

use std::collections::{BTreeMap, HashSet};
use std::io;

use crashlens_core::files::{Contents, FlawKind, ModelFacts, Operation, Part, Tensor};

use crate::reading::Reading;
use crate::wire::{Fields, Value, WireError};

/// Fields of `ModelProto`.
const PRODUCER: u32 = 2;
const PRODUCER_VERSION: u32 = 3;
const GRAPH: u32 = 7;
/// Fields of `GraphProto`.
const NODE: u32 = 1;
const INITIALIZER: u32 = 5;
const INPUT: u32 = 11;
const SPARSE_INITIALIZER: u32 = 15;
/// So many tensors are listed.
const MOST_LISTED: usize = 100_000;

pub(crate) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    let Some(bytes) = reading.whole()? else {
        let detail = format!("it has {} bytes, and was not read", reading.source.size());
        reading.flaw(FlawKind::TooLarge, Part::File, detail);
        return Ok(());
    };
    let mut facts = ModelFacts::default();
    let mut has_graph = false;
    if let Err(error) = model(&bytes, &mut facts, &mut has_graph) {
        let kind = match error {
            WireError::CutShort | WireError::BeyondEnd { .. } => FlawKind::CutShort,
            _ => FlawKind::Malformed,
        };
        reading.flaw(kind, Part::Model, error.to_string());
    } else if !has_graph {
        reading.flaw(
            FlawKind::MissingPart,
            Part::Model,
            "there is no graph in it",
        );
    } else if let Err(error) = walk::walk(&bytes) {
        reading.flaw(FlawKind::Malformed, Part::Model, error.to_string());
    } else {
        for fault in loose(&bytes, &facts) {
            reading.flaw(FlawKind::Contradiction, Part::Graph, fault);
        }
    }
    reading.holds(Contents::Model(Box::new(facts)));
    Ok(())
}

/// What does not go together in the graph.
fn loose(bytes: &[u8], facts: &ModelFacts) -> Vec<String> {
    let uneven = facts.tensors.iter().find_map(|tensor| {
        let needed = stored(tensor).filter(|needed| tensor.bytes > 0 && *needed != tensor.bytes)?;
        Some(format!(
            "tensor `{}` of {} {:?} needs {needed} bytes and {} are stored",
            tensor.name, tensor.dtype, tensor.shape, tensor.bytes
        ))
    });
    let unmade = unmade(bytes).map(|name| format!("a node takes `{name}`, which nothing makes"));
    let graphs = walk::messages(bytes, GRAPH).count();
    let doubled = (graphs > 1).then(|| format!("there are {graphs}, which readers take for one"));
    uneven.into_iter().chain(unmade).chain(doubled).collect()
}

/// Bytes of a tensor whose type has whole ones.
fn stored(tensor: &Tensor) -> Option<u64> {
    let width = match tensor.dtype.as_str() {
        "uint8" | "int8" | "bool" => 1,
        "uint16" | "int16" | "float16" | "bfloat16" => 2,
        "float32" | "int32" | "uint32" => 4,
        "float64" | "int64" | "uint64" => 8,
        _ => return None,
    };
    let mut shape = tensor.shape.iter();
    shape.try_fold(width, |all: u64, one| all.checked_mul(*one))
}

/// The first input of a node of the main graph that is none of the graph, no stored tensor and no output of a node before.
fn unmade(bytes: &[u8]) -> Option<String> {
    let graph = walk::messages(bytes, GRAPH).last()?;
    let named = |number: u32, name: u32| {
        let messages = walk::messages(graph, number);
        messages.filter_map(move |message| walk::messages(message, name).last())
    };
    let mut made: HashSet<&[u8]> = named(INPUT, 1).chain(named(INITIALIZER, 8)).collect();
    if walk::messages(graph, SPARSE_INITIALIZER).next().is_some() {
        return None;
    }
    for node in walk::messages(graph, NODE) {
        let mut inputs = walk::messages(node, 1).filter(|name| !name.is_empty());
        if let Some(missing) = inputs.find(|name| !made.contains(name)) {
            return Some(text(missing));
        }
        made.extend(walk::messages(node, 2));
    }
    None
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn model(bytes: &[u8], facts: &mut ModelFacts, has_graph: &mut bool) -> Result<(), WireError> {
    for field in Fields::of(bytes) {
        let field = field?;
        let Some(inner) = field.bytes() else { continue };
        match field.number {
            PRODUCER => facts.producer = Some(text(inner)),
            PRODUCER_VERSION => facts.producer_version = Some(text(inner)),
            GRAPH => {
                *has_graph = true;
                graph(inner, facts)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn graph(bytes: &[u8], facts: &mut ModelFacts) -> Result<(), WireError> {
    let mut operations: BTreeMap<String, Operation> = BTreeMap::new();
    for field in Fields::of(bytes) {
        let field = field?;
        let Some(inner) = field.bytes() else { continue };
        match field.number {
            NODE => {
                let node = node(inner)?;
                let known = operations.entry(node.name.clone()).or_insert(node);
                known.count += 1;
            }
            INITIALIZER if facts.tensors.len() < MOST_LISTED => facts.tensors.push(tensor(inner)?),
            _ => {}
        }
    }
    facts.operations = operations.into_values().collect();
    Ok(())
}

/// `NodeProto`: name 3, operation 4, domain 7.
fn node(bytes: &[u8]) -> Result<Operation, WireError> {
    let mut operation = Operation::default();
    for field in Fields::of(bytes) {
        let field = field?;
        match (field.number, field.bytes()) {
            (3, Some(name)) => operation.first = text(name),
            (4, Some(name)) => operation.name = text(name),
            (7, Some(domain)) => {
                operation.custom = !domain.is_empty() && !domain.starts_with(b"ai.onnx");
            }
            _ => {}
        }
    }
    Ok(operation)
}

/// `TensorProto`: dimensions 1, type 2, name 8, raw bytes 9.
fn tensor(bytes: &[u8]) -> Result<Tensor, WireError> {
    let mut tensor = Tensor::default();
    for field in Fields::of(bytes) {
        let field = field?;
        match (field.number, field.value) {
            (1, Value::Varint(dimension)) => tensor.shape.push(dimension),
            (2, Value::Varint(kind)) => dtype(kind).clone_into(&mut tensor.dtype),
            (8, Value::Bytes(name)) => tensor.name = text(name),
            (9, Value::Bytes(raw)) => tensor.bytes = raw.len() as u64,
            _ => {}
        }
    }
    Ok(tensor)
}

fn dtype(number: u64) -> &'static str {
    match number {
        1 => "float32",
        2 => "uint8",
        3 => "int8",
        4 => "uint16",
        5 => "int16",
        6 => "int32",
        7 => "int64",
        8 => "string",
        9 => "bool",
        10 => "float16",
        11 => "float64",
        12 => "uint32",
        13 => "uint64",
        16 => "bfloat16",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use crate::fuzzing::examine_bytes;
    use crate::{Options, Purpose};
    use crashlens_core::files::{FileFacts, FlawKind};

    fn examined(bytes: &[u8]) -> FileFacts {
        let options = Options {
            purpose: Purpose::Model,
            ..Options::default()
        };
        examine_bytes("model.onnx", bytes, &options)
    }

    /// One `Relu` and a tensor of two floats.
    const SMALL: &[u8] =
        b"\x08\x08\x12\x04made\x3a\x1f\x0a\x0a\x1a\x02n1\x22\x04Relu\x2a\x11\x08\x02\x10\x01\x42\x01w\x4a\x08\0\0\0\0\0\0\0\0";

    #[test]
    fn operations_and_tensors_are_listed() {
        let facts = examined(SMALL);
        assert_eq!(facts.flaws, []);
        let model = facts.model().expect("a model");
        assert_eq!(model.producer.as_deref(), Some("made"));
        assert_eq!(model.operations[0].name, "Relu");
        assert_eq!(
            (model.tensors[0].bytes, &model.tensors[0].shape[..]),
            (8, &[2][..])
        );
    }

    #[test]
    fn what_does_not_go_together_is_told() {
        let changed = |at: usize, byte: u8| {
            let mut bytes = SMALL.to_vec();
            bytes[at] = byte;
            examined(&bytes).flaws.first().map(|flaw| flaw.kind)
        };
        let place = |what: &[u8]| SMALL.windows(what.len()).position(|it| it == what);
        let shape = place(b"\x08\x02\x10").expect("a shape") + 1;
        assert_eq!(changed(shape, 3), Some(FlawKind::Contradiction));
        // The name of the node becomes its input.
        let name = place(b"\x1a\x02n1").expect("a name");
        assert_eq!(changed(name, 0x0a), Some(FlawKind::Contradiction));
        let twice = examined(&[SMALL, SMALL].concat());
        assert_eq!(twice.flaws[0].kind, FlawKind::Contradiction);
    }

    #[test]
    fn a_cut_file_is_told() {
        let facts = examined(&SMALL[..SMALL.len() - 3]);
        assert_eq!(facts.flaws[0].kind, FlawKind::CutShort);
    }
}
