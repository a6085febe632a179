//! Signatures against the placeholders of the graph.

use crate::model::dtype;
use crate::model::graph::Graphs;
use crate::model::proto::Node;

/// What a signature says that the graph contradicts.
pub(super) fn fault(signature: &Node, graphs: &Graphs) -> Option<String> {
    let inputs = signature.messages(1).map(|entry| ("input", entry));
    let outputs = signature.messages(2).map(|entry| ("output", entry));
    inputs.chain(outputs).find_map(|(what, entry)| {
        let tensor = entry.message(2)?;
        let fault = of_tensor(tensor, graphs)?;
        Some(format!("its {what} {:?}: {fault}", entry.text(1)))
    })
}

fn of_tensor(tensor: &Node, graphs: &Graphs) -> Option<String> {
    let name = tensor.text(1);
    // Sparse and composite tensors are several.
    if name.is_empty() {
        return None;
    }
    let node = name.rsplit_once(':').map_or(name, |(node, _)| node);
    if !graphs.has_node(node) {
        return Some(format!("the graph has no node {node:?}"));
    }
    let placeholder = graphs.placeholders.get(node)?;
    let declared = tensor.number(2).unwrap_or(0);
    if declared != placeholder.dtype {
        return Some(format!(
            "it is {} here, and {} in the graph",
            dtype::name(declared),
            dtype::name(placeholder.dtype)
        ));
    }
    let here = tensor
        .message(3)
        .filter(|shape| shape.number(3) != Some(1))?;
    let here: Vec<i64> = here
        .messages(2)
        .map(|size| size.number(1).unwrap_or(0) as i64)
        .collect();
    let there = placeholder.shape.as_ref()?;
    let agree = here.len() == there.len()
        && here
            .iter()
            .zip(there)
            .all(|(one, other)| one == other || *one < 0 || *other < 0);
    (!agree).then(|| format!("its shape is {here:?} here, and {there:?} in the graph"))
}
