//! Readers of models, checkpoints and weights: one format each.

mod checkpoint;
pub(crate) mod config;
mod crc;
mod dtype;
mod farm_hash;
pub(crate) mod graph;
pub(crate) mod keras;
pub(crate) mod onnx;
mod parts;
pub(crate) mod pickle;
mod proto;
pub(crate) mod safetensors;
mod saved_model;
mod schema;
pub(crate) mod tflite;

use crashlens_core::files::FileFacts;

pub(crate) use checkpoint::{is_left_by_save, saved_into};
pub(crate) use saved_model::is_folder_of_one as is_saved_model;

use crate::reading::Options;
use crate::store::Store;

/// Facts of a model that is more than one file; `None` where `path` is one file.
pub(crate) fn examine_parts(store: &dyn Store, path: &str, options: &Options) -> Option<FileFacts> {
    saved_model::examine(store, path, options).or_else(|| checkpoint::examine(store, path, options))
}
