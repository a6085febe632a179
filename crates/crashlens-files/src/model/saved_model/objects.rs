//! The variables that the graph has, against those that are stored.

use std::collections::{HashMap, HashSet};

use crashlens_core::files::FlawKind;

use super::visitor::{Object, SavedModel};
use crate::model::checkpoint::{StoredObject, stored_objects};
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
        faults.extend(fault(object, other, &tensors));
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

/// A variable against the tensor that is stored for it.
fn fault(
    object: &Object,
    stored: &StoredObject,
    tensors: &HashMap<&str, (String, Vec<u64>)>,
) -> Option<String> {
    let (number, shape) = object.variable.as_ref()?;
    let key = stored.key.as_ref()?;
    let (of, sizes) = tensors.get(key.as_str())?;
    let is_same = shape.len() == sizes.len()
        && shape
            .iter()
            .zip(sizes)
            .all(|(one, other)| *one < 0 || *one as u64 == *other);
    let declared = dtype::name(*number);
    (!is_same || *of != declared).then(|| {
        format!("variable {key} is {declared} {shape:?} in the graph, and {of} {sizes:?} is stored")
    })
}
