//! Which reader reads which format: the one place that knows all of them.

use std::io;

use crashlens_core::files::Format;

use crate::data::{arrays, columns, comma_separated, images, records, sound};
use crate::hdf5;
use crate::model::{graph, keras, onnx, pickle, safetensors, tflite};
use crate::reading::Reading;

/// Reads a file of this format.
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
        Format::GraphDef => graph::read(reading),
        Format::Keras => keras::read(reading),
        Format::Tflite => tflite::read(reading),
        Format::Safetensors => safetensors::read(reading),
        Format::Onnx => onnx::read(reading),
        Format::Pickle => pickle::read(reading),
        // A folder or a prefix, which `model::examine_parts` reads.
        Format::SavedModel | Format::Checkpoint => Ok(()),
    }
}
