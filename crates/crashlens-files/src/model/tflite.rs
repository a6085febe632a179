//! TensorFlow Lite models: a flatbuffer, which TensorFlow reads without looking where its offsets lead.
//!
//! Not the `flatbuffers` or `planus` crate: they know the schema, and not what TensorFlow Lite itself asks of tensors and
//! operators.

mod check;
mod codes;
mod flat;
mod flow;
mod graph;
mod operators;
mod parts;
mod scales;
mod schema;
mod shapes;
mod verify;

use std::collections::BTreeMap;
use std::io;

use crashlens_core::files::{Contents, Extent, FlawKind, ModelFacts, Operation, Part, Tensor};

use self::check::Check;
use self::parts::Model;
use self::schema::{Schema, schema};
use self::verify::verify;
use crate::fault::{Fault, note};
use crate::pages::Pages;
use crate::reading::Reading;
use crate::source::Source;
use crate::values::Float;

const BLOCK: u64 = 1 << 20;
/// So many tensors are listed.
const MOST_LISTED: usize = 10_000;

pub(crate) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    let head = reading.source.bytes_at(0, 8)?;
    if head.get(4..8) != Some(b"TFL3") {
        let detail = "the letters TFL3 are not at byte 4";
        reading.flaw_at(FlawKind::Malformed, Part::Head, 4, detail);
        return Ok(());
    }
    let full = reading.options.full;
    let (faults, facts) = look(&mut reading.source, full)?;
    note(reading, faults);
    let Some(facts) = facts else {
        return Ok(());
    };
    if full {
        reading.facts.extent = Extent::Full;
    }
    for tensor in facts.tensors.iter().filter(|it| it.not_finite > 0) {
        let detail = format!("{} of its values are NaN or infinite", tensor.not_finite);
        let part = Part::Tensor.named(&tensor.name);
        reading.flaw(FlawKind::NotFinite, part, detail);
    }
    reading.holds(Contents::Model(Box::new(facts)));
    Ok(())
}

/// What is wrong with the model, and what it holds; nothing where it cannot be followed.
fn look(source: &mut Source, full: bool) -> io::Result<(Vec<Fault>, Option<ModelFacts>)> {
    let schema = schema();
    let file_size = source.size();
    let mut strict = verify(&mut Pages::of(source), schema)?;
    // TensorFlow follows the offsets of a file that it maps, or of bytes that it is given; so is the model taken out here.
    let mut pages = Pages::held(source);
    let mut model = match graph::extract(&mut pages, schema) {
        Ok(model) => model,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            strict.truncate(1);
            let fault = strict.pop().unwrap_or_else(|| {
                Fault::malformed(Part::Model, None, "an offset leads out of the file")
            });
            return Ok((vec![fault.of_kind(FlawKind::Malformed)], None));
        }
        Err(error) => return Err(error),
    };
    model.hand_over(schema);
    let mut check = Check {
        model: &model,
        schema,
        file_size,
        faults: Vec::new(),
    };
    check.all();
    let mut faults = check.faults;
    faults.extend(strict);
    let mut facts = facts(&model, schema);
    facts.tensors = tensors(&model, schema, &mut pages, full)?;
    Ok((faults, Some(facts)))
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
        operations: operations.into_values().collect(),
        ..ModelFacts::default()
    }
}

/// Those with stored values; with `full` NaN and infinity in them are counted.
fn tensors(
    model: &Model,
    schema: &Schema,
    pages: &mut Pages<'_>,
    full: bool,
) -> io::Result<Vec<Tensor>> {
    let mut tensors = Vec::new();
    for part in model.graphs.iter().flat_map(|graph| &graph.tensors) {
        let buffer = model.buffers.get(part.buffer);
        let Some(buffer) = buffer.filter(|it| it.length > 0) else {
            continue;
        };
        let kind = schema.member("TensorType", i64::from(part.kind));
        let dtype = kind.unwrap_or_default().to_ascii_lowercase();
        let float = Float::named(&dtype).filter(|_| full);
        let mut not_finite = 0;
        let end = buffer.at.saturating_add(buffer.length).min(pages.size());
        let mut at = buffer.at;
        while let Some(float) = float.filter(|_| at < end) {
            let length = (end - at).min(BLOCK);
            not_finite += float.not_finite(&pages.stretch(at, length as usize)?);
            at += length;
        }
        tensors.push(Tensor {
            name: String::from_utf8_lossy(&part.name).into_owned(),
            dtype,
            shape: part.shape.iter().map(|it| (*it).max(0) as u64).collect(),
            bytes: buffer.length,
            not_finite,
        });
        if tensors.len() >= MOST_LISTED {
            break;
        }
    }
    Ok(tensors)
}

#[cfg(test)]
mod tests;
