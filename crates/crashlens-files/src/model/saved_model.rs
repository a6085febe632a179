//! The folder of a SavedModel: its graph, its variables, its assets.

mod fingerprint;
mod objects;
mod signature;
mod structure;
mod visitor;

use crashlens_core::files::{FileFacts, FlawKind, Format};

use super::parts::{Parts, bare, folder, join, last};
use super::proto::{self, Failure, Reader};
use super::{checkpoint, schema};
use crate::reading::Options;
use crate::store::Store;
use visitor::SavedModel;

const BINARY: &str = "saved_model.pb";
const TEXT: &str = "saved_model.pbtxt";

/// `None` where `path` is none.
pub(super) fn examine(store: &dyn Store, path: &str, options: &Options) -> Option<FileFacts> {
    let place = match last(path) {
        BINARY | TEXT => folder(path),
        _ => bare(path),
    };
    let entries = store.list(place).ok()?;
    let has = |name: &str| {
        entries
            .iter()
            .any(|entry| entry.name == name && !entry.is_folder)
    };
    let is_lost = || {
        // Without its graph a folder is still known by the rest of it.
        has("fingerprint.pb") || {
            let has_folder = |name: &str| {
                entries
                    .iter()
                    .any(|entry| entry.name == name && entry.is_folder)
            };
            has_folder("variables") && has_folder("assets")
        }
    };
    if !has(BINARY) && !has(TEXT) && !is_lost() {
        return None;
    }
    let place = place.to_owned();
    let (is_binary, is_text) = (has(BINARY), has(TEXT));
    let parts = Parts::new(store, path, Format::SavedModel, options);
    Some(parts.read_by(|parts| {
        if is_binary {
            read(parts, &place);
        } else if is_text {
            read_variables(parts, &place, false);
        } else {
            let detail = "it is not there, and the other parts of a SavedModel are";
            parts.flaw(FlawKind::MissingPart, BINARY, None, detail);
        }
    }))
}

fn read(parts: &mut Parts<'_>, place: &str) {
    let mut source = match parts.open(&join(place, BINARY)) {
        Ok(source) => source,
        Err(error) => return parts.failed(BINARY, &error),
    };
    if source.size() == 0 {
        parts.flaw(FlawKind::Empty, BINARY, None, "it has no bytes");
    }
    let mut model = SavedModel::default();
    let outcome = {
        let mut reader = Reader::new(&mut source);
        proto::walk(&mut reader, &schema::SAVED_MODEL, &mut model)
    };
    match outcome {
        Ok(()) => {
            if model.meta_graphs == 0 && source.size() > 0 {
                parts.flaw(FlawKind::Malformed, BINARY, None, "it holds no graph");
            }
        }
        Err(Failure::Io(error)) => parts.failed(BINARY, &error),
        Err(Failure::Fault(fault)) => {
            let part = format!("{BINARY}, in {}", fault.within.to_lowercase());
            parts.flaw(fault.kind, part, fault.at, fault.detail);
        }
    }
    model.conclude();
    for found in model.take_found() {
        let part = format!("{BINARY}, {}", found.part);
        parts.flaw(found.kind, part, found.at, found.detail);
    }
    assets(parts, place, &model);
    read_variables(parts, place, model.has_objects);
    objects::against_variables(parts, &model);
    fingerprint::read(parts, place);
    let stored = std::mem::take(&mut parts.model.tensors);
    parts.model = model.into_facts();
    parts.model.graph_bytes = Some(source.size());
    parts.model.tensors.splice(0..0, stored);
}

/// The files that the graph reads when it is started.
fn assets(parts: &mut Parts<'_>, place: &str, model: &SavedModel) {
    for name in &model.assets {
        let identity = parts
            .store
            .identity(&join(place, &format!("assets/{name}")));
        if let Ok(Some(identity)) = identity
            && identity.size == 0
        {
            parts.flaw(
                FlawKind::Empty,
                format!("assets/{name}"),
                None,
                "it has no bytes",
            );
        }
        if !parts.store.exists(&join(place, &format!("assets/{name}"))) {
            let detail = "the graph names it as a file of its own, and it is not there";
            parts.flaw(
                FlawKind::MissingPart,
                format!("assets/{name}"),
                None,
                detail,
            );
        }
    }
}

fn read_variables(parts: &mut Parts<'_>, place: &str, is_needed: bool) {
    let prefix = join(place, "variables/variables");
    checkpoint::leftovers(parts, &prefix);
    let names = parts.list(&join(place, "variables"));
    let has_some = names
        .iter()
        .any(|entry| entry.name.starts_with("variables."));
    if has_some || is_needed {
        checkpoint::bundle::read(parts, &prefix, "variables/");
    }
}

#[cfg(test)]
mod tests;
