//! TensorFlow Lite models: a flatbuffer, which TensorFlow reads without looking where its offsets lead.

mod check;
mod flat;
mod flow;
mod graph;
mod operators;
mod parts;
mod schema;
mod verify;

use std::collections::BTreeMap;
use std::io;

use crashlens_core::files::{Contents, FlawKind, ModelFacts, Operation, Tensor};

use self::check::Check;
use self::parts::Model;
use self::schema::{Schema, schema};
use self::verify::verify;
use crate::fault::{Fault, note};
use crate::pages::Pages;
use crate::reading::Reading;

/// So many tensors are listed.
const MOST_LISTED: usize = 10_000;

pub(super) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    let head = reading.source.bytes_at(0, 8)?;
    if head.get(4..8) != Some(b"TFL3") {
        let detail = "the letters TFL3 are not at byte 4";
        reading.flaw_at(FlawKind::Malformed, "the head", 4, detail);
        return Ok(());
    }
    let schema = schema();
    let file_size = reading.source.size();
    let strict = verify(&mut Pages::of(&mut reading.source), schema)?;
    // TensorFlow maps the file and follows its offsets; so is the model taken out here.
    let mut pages = Pages::mapped(&mut reading.source);
    let model = match graph::extract(&mut pages, schema) {
        Ok(model) => model,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            let fault = strict.into_iter().next().unwrap_or_else(|| {
                Fault::malformed("the model", None, "an offset leads out of the file")
            });
            note(reading, [fault.as_kind(FlawKind::Malformed)]);
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let mut check = Check {
        model: &model,
        schema,
        file_size,
        faults: Vec::new(),
    };
    check.all();
    let faults = check.faults;
    let facts = facts(&model, schema);
    let strict = strict.into_iter().map(|fault| match fault.kind {
        FlawKind::TooLarge => fault,
        _ => fault.as_kind(FlawKind::IdlePart),
    });
    note(reading, faults.into_iter().chain(strict));
    reading.holds(Contents::Model(Box::new(facts)));
    Ok(())
}

fn facts(model: &Model, schema: &Schema) -> ModelFacts {
    let mut operations: BTreeMap<String, Operation> = BTreeMap::new();
    for (number, graph) in model.graphs.iter().enumerate() {
        for (index, operator) in graph.operators.iter().enumerate() {
            let Some(code) = model.codes.get(operator.code as usize) else {
                continue;
            };
            let builtin = schema.member("BuiltinOperator", code.builtin);
            let is_custom = builtin == Some("CUSTOM");
            let name = match (&code.custom, builtin) {
                (Some(name), Some("CUSTOM")) => name.clone(),
                (_, Some(name)) => name.to_owned(),
                (_, None) => format!("operation {}", code.builtin),
            };
            let operation = operations.entry(name.clone()).or_insert_with(|| Operation {
                name,
                count: 0,
                first: format!("subgraphs[{number}].operators[{index}]"),
                custom: is_custom,
            });
            operation.count += 1;
        }
    }
    ModelFacts {
        producer: Some("tflite".to_owned()),
        tensors: tensors(model, schema),
        operations: operations.into_values().collect(),
        ..ModelFacts::default()
    }
}

/// Those with stored values.
fn tensors(model: &Model, schema: &Schema) -> Vec<Tensor> {
    let all = model.graphs.iter().flat_map(|graph| &graph.tensors);
    let stored = all.filter_map(|tensor| {
        let buffer = model.buffers.get(tensor.buffer as usize)?;
        (buffer.length > 0).then(|| Tensor {
            name: String::from_utf8_lossy(&tensor.name).into_owned(),
            dtype: schema
                .member("TensorType", i64::from(tensor.kind))
                .unwrap_or_default()
                .to_ascii_lowercase(),
            shape: tensor.shape.iter().map(|it| (*it).max(0) as u64).collect(),
            bytes: buffer.length,
            not_finite: 0,
        })
    });
    stored.take(MOST_LISTED).collect()
}
