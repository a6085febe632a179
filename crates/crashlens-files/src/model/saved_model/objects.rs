//! The variables that the graph has, against those that are stored.

use std::collections::{HashMap, HashSet};

use crashlens_core::files::FlawKind;

use super::visitor::SavedModel;
use crate::model::checkpoint::stored_objects;
use crate::model::dtype;
use crate::model::parts::Parts;

/// So many of them are named.
const MOST_NAMED: u64 = 10;

/// Follows both trees of objects from their roots by the names of parts, as TensorFlow does when it restores.
pub(super) fn against_variables(parts: &mut Parts<'_>, model: &SavedModel) {
    let Some(stored) = parts
        .object_graph
        .take()
        .and_then(|bytes| stored_objects(&bytes))
    else {
        return;
    };
    let tensors: HashMap<&str, (String, Vec<u64>)> = parts
        .model
        .tensors
        .iter()
        .map(|tensor| {
            (
                tensor.name.as_str(),
                (tensor.dtype.clone(), tensor.shape.clone()),
            )
        })
        .collect();
    let mut faults = Vec::new();
    let mut seen = HashSet::new();
    let mut waiting = vec![(0_u64, 0_u64)];
    while let Some((here, there)) = waiting.pop() {
        if !seen.insert(here) {
            continue;
        }
        let (Some(object), Some(other)) =
            (model.objects.get(here as usize), stored.get(there as usize))
        else {
            continue;
        };
        if let (Some((number, shape)), Some(key)) = (&object.variable, &other.key)
            && let Some((of, sizes)) = tensors.get(key.as_str())
        {
            let same = shape.len() == sizes.len()
                && shape
                    .iter()
                    .zip(sizes)
                    .all(|(one, other)| *one < 0 || *one as u64 == *other);
            if !same || *of != dtype::name(*number) {
                faults.push(format!(
                    "variable {key} is {} {shape:?} in the graph, and {of} {sizes:?} is stored",
                    dtype::name(*number)
                ));
            }
        }
        for (name, number) in &object.children {
            if let Some((_, other)) = other.children.iter().find(|(known, _)| known == name) {
                waiting.push((*number, *other));
            }
        }
    }
    for fault in faults.into_iter().take(MOST_NAMED as usize) {
        parts.flaw(FlawKind::Contradiction, "variables", None, fault);
    }
}
