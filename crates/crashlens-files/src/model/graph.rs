//! Frozen graphs, and the graphs within saved models: what TensorFlow refuses when it imports them.

mod attributes;
mod constant;
pub(super) mod device;
mod found;
mod node;
mod scope;
mod visitor;
mod words;

use std::io;

use crashlens_core::files::{Contents, FlawKind, ModelFacts, NamedPart, Part};

pub(super) use found::Found;
pub(super) use visitor::Graphs;

use super::proto::{self, Failure, Reader};
use super::{dtype, schema};
use crate::reading::Reading;
use crate::source::Source;

/// Values are read in pieces of this size.
const CHUNK: usize = 256 * 1024;

pub(crate) fn read(reading: &mut Reading<'_>) -> io::Result<()> {
    let size = reading.source.size();
    let mut graphs = Graphs::default();
    let outcome = {
        let mut reader = Reader::new(&mut reading.source);
        proto::walk(&mut reader, &schema::GRAPH, &mut graphs)
    };
    match outcome {
        Ok(()) => {}
        Err(Failure::Io(error)) => return Err(error),
        Err(Failure::Fault(fault)) => {
            let part = NamedPart::from(Part::Graph)
                .then(format_args!("in {}", fault.within.to_lowercase()));
            reading.flaw_at(fault.kind, part, fault.at, fault.detail);
        }
    }
    if graphs.is_empty() && reading.facts.flaws.is_empty() {
        reading.flaw(FlawKind::Malformed, Part::Graph, "it has no nodes");
    }
    if reading.options.full {
        look_at_values(&mut graphs, &mut reading.source)?;
    }
    for found in graphs.take_found() {
        reading.flaw_at(found.kind, found.part, found.at, found.detail);
    }
    let model = ModelFacts {
        graph_bytes: Some(size),
        ..graphs.into_model()
    };
    reading.holds(Contents::Model(Box::new(model)));
    Ok(())
}

/// Counts NaN and infinity in the constants whose values are in the file as they are in memory.
fn look_at_values(graphs: &mut Graphs, source: &mut Source) -> io::Result<()> {
    for stored in &graphs.stored {
        let mut at = stored.at;
        let end = stored.at + stored.length;
        while at < end {
            let most = (end - at).min(CHUNK as u64) as usize;
            let bytes = source.bytes_at(at, most)?;
            if bytes.is_empty() {
                break;
            }
            if let Some(tensor) = graphs.model.tensors.get_mut(stored.tensor) {
                tensor.not_finite += dtype::not_finite(stored.dtype, &bytes);
            }
            at += bytes.len() as u64;
        }
    }
    Ok(())
}

/// Whether bytes are the beginning of a graph: nodes one after the other, or the versions first.
pub(crate) fn looks_like_one(head: &[u8]) -> bool {
    // A node: its tag, its length, and within that its name, which is text.
    let Some(rest) = head.strip_prefix(b"\x0a") else {
        return false;
    };
    let Ok((length, used)) = crate::wire::varint(rest) else {
        return false;
    };
    let Some(node) = rest.get(used..) else {
        return false;
    };
    let node = usize::try_from(length)
        .ok()
        .and_then(|length| node.get(..length))
        .unwrap_or(node);
    let Some((1, name, after)) = text_field(node) else {
        return false;
    };
    let is_plain =
        |text: &[u8]| !text.is_empty() && text.iter().all(|byte| (0x20..0x7f).contains(byte));
    let has_op = text_field(after).is_some_and(|(number, op, _)| {
        number == 2
            && is_plain(op)
            && op
                .first()
                .is_some_and(|letter| letter.is_ascii_uppercase() || *letter == b'_')
    });
    is_plain(name) && has_op
}

/// Number, bytes and what follows of a short field.
fn text_field(bytes: &[u8]) -> Option<(u32, &[u8], &[u8])> {
    let (tag, used) = crate::wire::tag(bytes).ok()?;
    let rest = bytes.get(used..)?;
    let (length, used) = crate::wire::varint(rest).ok()?;
    let rest = rest.get(used..)?;
    let (text, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    (tag.kind == crate::wire::WireType::Bytes).then_some((tag.number, text, after))
}

#[cfg(test)]
mod tests;
