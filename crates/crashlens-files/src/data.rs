//! Readers of data files: one format each.

mod arrays;
mod columns;
mod comma_separated;
mod images;
pub(crate) mod records;
mod sound;

pub(crate) use images::{image_brand, image_name};

use std::io;

use crashlens_core::files::Format;

use crate::hdf5;
use crate::reading::Reading;

pub(crate) fn read(reading: &mut Reading<'_>, format: Format) -> io::Result<()> {
    match format {
        Format::Jpeg
        | Format::Png
        | Format::Gif
        | Format::Bmp
        | Format::Webp
        | Format::OtherImage => images::read(reading, format),
        Format::TfRecord | Format::TfRecordGzip | Format::TfRecordZlib => {
            records::read(reading, format)
        }
        Format::Npy | Format::Npz => arrays::read(reading, format),
        Format::Hdf5 => hdf5::read(reading),
        Format::Csv => comma_separated::read(reading),
        Format::Wav => sound::read(reading),
        Format::Parquet | Format::Arrow => columns::read(reading, format),
        Format::SavedModel
        | Format::Checkpoint
        | Format::GraphDef
        | Format::Keras
        | Format::Tflite
        | Format::Safetensors
        | Format::Onnx
        | Format::Pickle => crate::model::read(reading, format),
    }
}
