//! Recorded captures and pasted logs to judge: files below `fixtures/`, by their ids.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::capture::CrashCapture;
use crate::pasted;
use crate::survey::Survey;

/// The folder.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// A near miss: another capture with some facts changed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NearMiss {
    /// The capture it is like.
    base: String,
    /// What makes it another case; for whoever reads the file.
    #[expect(dead_code, reason = "for whoever reads the file")]
    why: String,
    /// A JSON merge patch (RFC 7396).
    patch: serde_json::Value,
}

/// The fixture of an id: `captures/NAME`, `logs/NNN` or `near/NAME`.
pub(crate) fn load(id: &str) -> CrashCapture {
    serde_json::from_value(load_value(id)).unwrap_or_else(|error| panic!("{id}: {error}"))
}

/// The survey of an environment: `surveys/NAME`.
pub(crate) fn survey(id: &str) -> Survey {
    serde_json::from_value(load_value(id)).unwrap_or_else(|error| panic!("{id}: {error}"))
}

/// The JSON of a fixture, near misses applied.
pub(crate) fn load_value(id: &str) -> serde_json::Value {
    let place = folder().join(id);
    if let Ok(text) = std::fs::read(place.with_added_extension("txt")) {
        let capture = pasted::read(text.as_slice()).unwrap();
        return serde_json::to_value(capture).unwrap();
    }
    let text = std::fs::read_to_string(place.with_added_extension("json"))
        .unwrap_or_else(|error| panic!("{id}: {error}"));
    if !id.contains("near/") {
        return serde_json::from_str(&text).unwrap();
    }
    let miss: NearMiss =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{id}: {error}"));
    let mut value = load_value(&miss.base);
    merge(&mut value, miss.patch);
    value
}

/// JSON merge patch: objects are merged, null removes, everything else replaces.
fn merge(target: &mut serde_json::Value, patch: serde_json::Value) {
    let serde_json::Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = serde_json::json!({});
    }
    for (key, change) in patch {
        if change.is_null() {
            target.as_object_mut().unwrap().remove(&key);
        } else {
            merge(&mut target[key.as_str()], change);
        }
    }
}

/// The ids of all fixtures in one of the folders.
pub(crate) fn all_in(folder_name: &str) -> Vec<String> {
    let mut ids: Vec<String> = std::fs::read_dir(folder().join(folder_name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "txt" || extension == "json")
        })
        .filter_map(|path| Some(format!("{folder_name}/{}", path.file_stem()?.to_str()?)))
        .filter(|id| !id.ends_with("/score") && !id.ends_with("/confusion"))
        .collect();
    ids.sort();
    ids
}
