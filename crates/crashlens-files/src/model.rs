//! Readers of models, checkpoints and weights: one format each.

mod checkpoint;
pub(crate) mod config;
mod crc;
mod dtype;
mod farm_hash;
pub(crate) mod graph;
mod keras;
mod onnx;
mod parts;
pub(crate) mod pickle;
mod proto;
mod safetensors;
mod saved_model;
mod schema;
mod tflite;

use std::io;

use crashlens_core::files::{FileFacts, Format};

pub(crate) use checkpoint::{is_left_by_save, saved_into};
pub(crate) use saved_model::is_folder_of_one as is_saved_model;

use crate::reading::{Options, Reading};
use crate::store::Store;
use crate::{data, hdf5};

/// Facts of a model that is more than one file; `None` where `path` is one file.
pub(crate) fn examine_parts(store: &dyn Store, path: &str, options: &Options) -> Option<FileFacts> {
    saved_model::examine(store, path, options).or_else(|| checkpoint::examine(store, path, options))
}

pub(crate) fn read(reading: &mut Reading<'_>, format: Format) -> io::Result<()> {
    match format {
        Format::GraphDef => graph::read(reading),
        Format::Keras => keras::read(reading),
        Format::Hdf5 => hdf5::read(reading),
        Format::Tflite => tflite::read(reading),
        Format::Safetensors => safetensors::read(reading),
        Format::Onnx => onnx::read(reading),
        Format::Pickle => pickle::read(reading),
        // A folder or a prefix, which is examined by its parts.
        Format::SavedModel | Format::Checkpoint => Ok(()),
        _ => data::read(reading, format),
    }
}
