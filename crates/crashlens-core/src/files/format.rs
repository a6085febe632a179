//! The formats of files.

use serde::{Deserialize, Serialize};

/// Format of a file, by its content.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// JPEG.
    Jpeg,
    /// PNG and animated PNG.
    Png,
    /// GIF.
    Gif,
    /// BMP.
    Bmp,
    /// WebP.
    Webp,
    /// An image format that TensorFlow has no reader for: TIFF, JPEG 2000, ICO, HEIF.
    OtherImage,
    /// TFRecord.
    #[serde(rename = "tfrecord")]
    TfRecord,
    /// TFRecord in GZIP.
    #[serde(rename = "tfrecord-gzip")]
    TfRecordGzip,
    /// TFRecord in ZLIB.
    #[serde(rename = "tfrecord-zlib")]
    TfRecordZlib,
    /// One NumPy array.
    Npy,
    /// NumPy arrays in a zip.
    Npz,
    /// HDF5, with data or Keras weights.
    Hdf5,
    /// Comma-separated text.
    Csv,
    /// RIFF WAVE sound.
    Wav,
    /// Parquet.
    Parquet,
    /// Arrow IPC (Feather).
    Arrow,
    /// The folder of a SavedModel.
    SavedModel,
    /// A TensorFlow checkpoint: index and data files with one prefix.
    Checkpoint,
    /// A frozen graph.
    GraphDef,
    /// Keras's zip.
    Keras,
    /// TensorFlow Lite.
    Tflite,
    /// safetensors.
    Safetensors,
    /// ONNX.
    Onnx,
    /// A Python pickle.
    Pickle,
}

impl Format {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jpeg => "JPEG",
            Self::Png => "PNG",
            Self::Gif => "GIF",
            Self::Bmp => "BMP",
            Self::Webp => "WebP",
            Self::OtherImage => "other image",
            Self::TfRecord => "TFRecord",
            Self::TfRecordGzip => "TFRecord (GZIP)",
            Self::TfRecordZlib => "TFRecord (ZLIB)",
            Self::Npy => "NumPy array",
            Self::Npz => "NumPy archive",
            Self::Hdf5 => "HDF5",
            Self::Csv => "CSV",
            Self::Wav => "WAV",
            Self::Parquet => "Parquet",
            Self::Arrow => "Arrow",
            Self::SavedModel => "SavedModel",
            Self::Checkpoint => "checkpoint",
            Self::GraphDef => "frozen graph",
            Self::Keras => "Keras archive",
            Self::Tflite => "TensorFlow Lite model",
            Self::Safetensors => "safetensors",
            Self::Onnx => "ONNX",
            Self::Pickle => "pickle",
        }
    }

    /// Whether it is an image, of whatever format.
    pub fn is_image(self) -> bool {
        matches!(
            self,
            Self::Jpeg | Self::Png | Self::Gif | Self::Bmp | Self::Webp | Self::OtherImage
        )
    }

    /// Whether it may hold the weights of a model.
    pub fn holds_weights(self) -> bool {
        self.is_model() || matches!(self, Self::Hdf5 | Self::Npy | Self::Npz)
    }

    /// Whether it holds a model rather than data.
    pub fn is_model(self) -> bool {
        matches!(
            self,
            Self::SavedModel
                | Self::Checkpoint
                | Self::GraphDef
                | Self::Keras
                | Self::Tflite
                | Self::Safetensors
                | Self::Onnx
                | Self::Pickle
        )
    }
}
