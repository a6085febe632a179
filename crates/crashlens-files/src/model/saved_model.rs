//! The folder of a SavedModel: its graph, its variables, its assets.

mod fingerprint;
mod objects;
mod signature;
mod structure;
mod visitor;

use crashlens_core::files::{FileFacts, FlawKind, Format, NamedPart, Part};

use super::parts::{Parts, bare, folder, join, last};
use super::proto::{self, Failure, Reader};
use super::{checkpoint, schema};
use crate::reading::Options;
use crate::store::{Entry, Store};
use visitor::SavedModel;

const BINARY: &str = "saved_model.pb";
const GRAPH: Part = Part::SavedModelFile;
const TEXT: &str = "saved_model.pbtxt";

/// `None` where `path` is none.
pub(super) fn examine(store: &dyn Store, path: &str, options: &Options) -> Option<FileFacts> {
    let place = match last(path) {
        BINARY | TEXT => folder(path),
        _ => bare(path),
    };
    let entries = store.list(place).ok()?;
    if !is_folder_of_one(store, place, &entries) {
        return None;
    }
    let place = place.to_owned();
    let (is_binary, is_text) = (has_file(&entries, BINARY), has_file(&entries, TEXT));
    let parts = Parts::new(store, path, Format::SavedModel, options);
    Some(parts.read_by(|parts| {
        if is_binary {
            read(parts, &place);
        } else if is_text {
            read_variables(parts, &place, false);
        } else {
            let detail = "it is not there, and the other parts of a SavedModel are";
            parts.flaw(FlawKind::MissingPart, GRAPH, None, detail);
        }
    }))
}

/// Whether a folder is that of a SavedModel. Without its graph, which is written last, it is still known by the rest.
pub(crate) fn is_folder_of_one(store: &dyn Store, place: &str, entries: &[Entry]) -> bool {
    if [BINARY, TEXT, "fingerprint.pb"]
        .iter()
        .any(|name| has_file(entries, name))
    {
        return true;
    }
    let is_variables = |entry: &Entry| entry.is_folder && entry.name == "variables";
    entries.iter().any(is_variables) && {
        let inner = store.list(&join(place, "variables")).unwrap_or_default();
        inner
            .iter()
            .any(|entry| entry.name.starts_with("variables."))
    }
}

fn has_file(entries: &[Entry], name: &str) -> bool {
    let mut files = entries.iter().filter(|entry| !entry.is_folder);
    files.any(|entry| entry.name == name)
}

fn read(parts: &mut Parts<'_>, place: &str) {
    let mut source = match parts.open(&join(place, BINARY)) {
        Ok(source) => source,
        Err(error) => return parts.failed(GRAPH, &error),
    };
    if source.size() == 0 {
        parts.flaw(FlawKind::Empty, GRAPH, None, "it has no bytes");
    }
    let mut model = SavedModel::default();
    let outcome = {
        let mut reader = Reader::new(&mut source);
        proto::walk(&mut reader, &schema::SAVED_MODEL, &mut model)
    };
    match outcome {
        Ok(()) => {
            if model.meta_graphs == 0 && source.size() > 0 {
                parts.flaw(FlawKind::Malformed, GRAPH, None, "it holds no graph");
            }
        }
        Err(Failure::Io(error)) => parts.failed(GRAPH, &error),
        Err(Failure::Fault(fault)) => {
            let part =
                NamedPart::from(GRAPH).then(format_args!("in {}", fault.within.to_lowercase()));
            parts.flaw(fault.kind, part, fault.at, fault.detail);
        }
    }
    model.conclude();
    for found in model.take_found() {
        let part = NamedPart::from(GRAPH).then(&found.part);
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
                Part::Asset.written(format!("assets/{name}")),
                None,
                "it has no bytes",
            );
        }
        if !parts.store.exists(&join(place, &format!("assets/{name}"))) {
            let detail = "the graph names it as a file of its own, and it is not there";
            parts.flaw(
                FlawKind::MissingPart,
                Part::Asset.written(format!("assets/{name}")),
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
