//! The variables that the graph has, against those that are stored.

use std::collections::{HashMap, HashSet};

use crashlens_core::files::{FlawKind, Part};

use super::visitor::{Object, SavedModel};
use crate::model::checkpoint::{MOST_TENSORS, StoredObject, stored_objects};
use crate::model::dtype;
use crate::model::parts::Parts;

type Tensors<'a> = HashMap<&'a str, (String, &'a [u64])>;

/// So many of them are named.
const MOST_NAMED: u64 = 10;

/// Follows both trees of objects from their roots by the names of parts, as TensorFlow does when it restores.
pub(super) fn against_variables(parts: &mut Parts<'_>, model: &SavedModel) {
    let graph = parts.object_graph.take();
    let Some(stored) = graph.as_deref().map_or(Some(Vec::new()), stored_objects) else {
        return;
    };
    let listed = parts.model.tensors.iter();
    let tensors: Tensors<'_> = listed
        .map(|tensor| {
            (
                tensor.name.as_str(),
                (tensor.dtype.clone(), &tensor.shape[..]),
            )
        })
        .collect();
    let mut faults = Vec::new();
    let mut matched = HashSet::new();
    let mut waiting = vec![(0_u64, 0_u64)];
    while let Some((here, there)) = waiting.pop() {
        let (Some(object), Some(other)) =
            (model.objects.get(here as usize), stored.get(there as usize))
        else {
            continue;
        };
        if !matched.insert(here) {
            continue;
        }
        faults.extend(fault(object, other, &tensors));
        for (name, number) in &object.children {
            if let Some((_, other)) = other.children.iter().find(|(known, _)| known == name) {
                waiting.push((*number, *other));
            }
        }
    }
    // Where the bundle itself could not be read, that was told.
    if graph.is_some() || parts.facts.flaws.is_empty() {
        faults.extend(unmatched(model, &matched));
    }
    for fault in faults.into_iter().take(MOST_NAMED as usize) {
        parts.flaw(FlawKind::Contradiction, Part::Variables, None, fault);
    }
}

/// Variables below the root that have no counterpart among what is stored.
fn unmatched(model: &SavedModel, matched: &HashSet<u64>) -> Vec<String> {
    let mut faults = Vec::new();
    let mut seen = HashSet::new();
    let mut waiting = vec![(0_u64, "the root")];
    while let Some((number, name)) = waiting.pop() {
        let Some(object) = model.objects.get(number as usize) else {
            continue;
        };
        if !seen.insert(number) {
            continue;
        }
        if object.variable.is_some() && !matched.contains(&number) {
            faults.push(format!(
                "the graph has a variable {name}, and none such is stored"
            ));
        }
        let children = object.children.iter();
        waiting.extend(children.map(|(name, number)| (*number, name.as_str())));
    }
    faults
}

/// A variable against the tensor that is stored for it.
fn fault(object: &Object, stored: &StoredObject, tensors: &Tensors<'_>) -> Option<String> {
    let (number, shape) = object.variable.as_ref()?;
    let Some(key) = &stored.key else {
        return Some("a variable has no value among what is stored".to_owned());
    };
    let Some((of, sizes)) = tensors.get(key.as_str()) else {
        let is_lost = tensors.len() < MOST_TENSORS;
        return is_lost.then(|| format!("variable {key} is not stored"));
    };
    let is_same = shape.len() == sizes.len()
        && shape
            .iter()
            .zip(*sizes)
            .all(|(one, other)| *one < 0 || *one as u64 == *other);
    let declared = dtype::name(*number);
    (!is_same || *of != declared).then(|| {
        format!("variable {key} is {declared} {shape:?} in the graph, and {of} {sizes:?} is stored")
    })
}
