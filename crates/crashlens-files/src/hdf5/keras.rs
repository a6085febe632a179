//! What Keras looks up by name in a model or weights of the old kind: the groups and data sets that its lists name.

use crashlens_core::files::{FlawKind, Part};

use super::Walked;
use crate::fault::Fault;

/// The lists, which may be split: `layer_names`, or `layer_names0` and so on.
const LAYERS: &str = "layer_names";
const WEIGHTS: &str = "weight_names";
/// The group of the weights beside a configuration.
const GROUP: &str = "/model_weights";
/// Faults that are told.
const MOST: usize = 5;

/// Whether an attribute is one of the lists.
pub(super) fn is_list(name: &str) -> bool {
    [LAYERS, WEIGHTS].iter().any(|list| {
        let number = name.strip_prefix(list);
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// Whether an attribute of a whole model is one that Keras writes and does not read.
pub(super) fn is_idle(name: &str) -> bool {
    ["backend", "keras_version"].contains(&name)
}

/// What is named and not there.
pub(super) fn lost(walked: &Walked) -> Vec<Fault> {
    let has_model = walked.text("model_config").is_some();
    let has_group = walked.paths.contains(GROUP);
    let mut details = Vec::new();
    match (has_model, has_group) {
        (true, false) => details.push("there is no group model_weights in it".to_owned()),
        (false, true) => details.push("it has model_weights and no model_config".to_owned()),
        _ => {}
    }
    let group = if has_group { GROUP } else { "" };
    let layers = texts(walked, group, LAYERS);
    if has_group && layers.is_none() && walked.lists.iter().any(|it| is_in(&it.0, group)) {
        details.push(format!("{GROUP} has no list of layers"));
    }
    for layer in layers.unwrap_or_default() {
        let path = format!("{group}/{layer}");
        if !walked.paths.contains(&path) {
            details.push(format!(
                "the layer `{layer}` is listed, and there is no {path}"
            ));
            continue;
        }
        let weights = texts(walked, &path, WEIGHTS);
        if weights.is_none() && walked.paths.iter().any(|it| is_in(it, &path)) {
            details.push(format!("{path} has no list of weights"));
        }
        for weight in weights.unwrap_or_default() {
            let weight = format!("{path}/{weight}");
            if !walked.paths.contains(&weight) {
                details.push(format!("{weight} is listed, and it is not there"));
            }
        }
    }
    let details = details.into_iter().take(MOST);
    let fault =
        |detail| Fault::malformed(Part::Weights, None, detail).of_kind(FlawKind::Contradiction);
    details.map(fault).collect()
}

fn is_in(path: &str, group: &str) -> bool {
    let rest = path.strip_prefix(group);
    rest.is_some_and(|rest| rest.starts_with('/'))
}

/// The texts of a list; `None` where there is no such list.
fn texts(walked: &Walked, path: &str, name: &str) -> Option<Vec<String>> {
    let mut found = None;
    for (at, list, texts) in &walked.lists {
        if at == path && list.starts_with(name) {
            found
                .get_or_insert_with(Vec::new)
                .extend(texts.iter().cloned());
        }
    }
    found
}
