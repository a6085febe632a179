//! The formats of files: one row each.

use serde::{Deserialize, Serialize};

/// What files of a format are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Image,
    Data,
    /// Data, or the weights of a model.
    Weights,
    Model,
}

/// Declares every format once: its id in JSON and TOML, its name for people, what it holds, the endings of file names,
/// and the first bytes, where they alone say what a file is.
macro_rules! formats {
    ($($(#[$doc:meta])* $format:ident, $id:literal, $name:literal, $holds:ident, $endings:expr, $magic:expr;)*) => {
        /// Format of a file, by its content.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum Format {
            $($(#[$doc])* #[serde(rename = $id)] $format,)*
        }

        impl Format {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$format,)*];

            /// For people.
            pub fn name(self) -> &'static str {
                match self { $(Self::$format => $name,)* }
            }

            /// Endings of the names of such files, in small letters.
            pub fn endings(self) -> &'static [&'static str] {
                match self { $(Self::$format => &$endings,)* }
            }

            /// First bytes that no other format has. What takes more than that to recognize is in `sniff.rs` of
            /// `crashlens-files`.
            pub fn magic(self) -> &'static [&'static [u8]] {
                match self { $(Self::$format => &$magic,)* }
            }

            fn holds(self) -> Holds {
                match self { $(Self::$format => Holds::$holds,)* }
            }
        }
    };
}

formats! {
    /// JPEG.
    Jpeg, "jpeg", "JPEG", Image, ["jpg", "jpeg"], [b"\xff\xd8\xff"];
    /// PNG and animated PNG.
    Png, "png", "PNG", Image, ["png"], [b"\x89PNG\r\n\x1a\n"];
    /// GIF.
    Gif, "gif", "GIF", Image, ["gif"], [b"GIF8"];
    /// BMP.
    Bmp, "bmp", "BMP", Image, ["bmp"], [];
    /// WebP.
    Webp, "webp", "WebP", Image, ["webp"], [];
    /// An image format that TensorFlow has no reader for: TIFF, JPEG 2000, ICO, HEIF.
    OtherImage, "other-image", "other image", Image, ["tif", "tiff", "jp2", "ico", "heic", "heif", "avif"],
        [b"II*\0", b"MM\0*", b"\0\0\0\x0cjP  "];
    /// TFRecord.
    TfRecord, "tfrecord", "TFRecord", Data, ["tfrecord", "tfrecords", "tfrec", "record"], [];
    /// TFRecord in GZIP.
    TfRecordGzip, "tfrecord-gzip", "TFRecord (GZIP)", Data, [], [];
    /// TFRecord in ZLIB.
    TfRecordZlib, "tfrecord-zlib", "TFRecord (ZLIB)", Data, [], [];
    /// One NumPy array.
    Npy, "npy", "NumPy array", Weights, ["npy"], [b"\x93NUMPY"];
    /// NumPy arrays in a zip.
    Npz, "npz", "NumPy archive", Weights, ["npz"], [];
    /// HDF5, with data or Keras weights.
    Hdf5, "hdf5", "HDF5", Weights, ["h5", "hdf5"], [b"\x89HDF\r\n\x1a\n", b"MATLAB 7.3 MAT-file"];
    /// Comma-separated text.
    Csv, "csv", "CSV", Data, ["csv", "tsv"], [];
    /// RIFF WAVE sound.
    Wav, "wav", "WAV", Data, ["wav"], [];
    /// Parquet.
    Parquet, "parquet", "Parquet", Data, ["parquet"], [b"PAR1"];
    /// Arrow IPC (Feather).
    Arrow, "arrow", "Arrow", Data, ["arrow", "feather"], [b"ARROW1"];
    /// The folder of a SavedModel.
    SavedModel, "saved-model", "SavedModel", Model, [], [];
    /// A TensorFlow checkpoint: index and data files with one prefix.
    Checkpoint, "checkpoint", "checkpoint", Model, [], [];
    /// A frozen graph.
    GraphDef, "graph-def", "frozen graph", Model, [], [];
    /// Keras's zip.
    Keras, "keras", "Keras archive", Model, ["keras"], [];
    /// TensorFlow Lite.
    Tflite, "tflite", "TensorFlow Lite model", Model, ["tflite"], [];
    /// safetensors.
    Safetensors, "safetensors", "safetensors", Model, ["safetensors"], [];
    /// ONNX.
    Onnx, "onnx", "ONNX", Model, ["onnx"], [];
    /// A Python pickle.
    Pickle, "pickle", "pickle", Model, ["pkl", "pickle", "joblib", "pt", "pth"],
        [b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"];
}

impl Format {
    /// The format whose files have names with this ending.
    pub fn of_ending(ending: &str) -> Option<Self> {
        let mut formats = Self::ALL.iter();
        formats.find(|it| it.endings().contains(&ending)).copied()
    }

    /// The format whose files begin like this, where that alone is enough.
    pub fn of_magic(head: &[u8]) -> Option<Self> {
        let begins = |format: &&Self| format.magic().iter().any(|magic| head.starts_with(magic));
        Self::ALL.iter().find(begins).copied()
    }

    /// Whether it is an image, of whatever format.
    pub fn is_image(self) -> bool {
        self.holds() == Holds::Image
    }

    /// Whether it may hold the weights of a model.
    pub fn holds_weights(self) -> bool {
        matches!(self.holds(), Holds::Weights | Holds::Model)
    }

    /// Whether it holds a model rather than data.
    pub fn is_model(self) -> bool {
        self.holds() == Holds::Model
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_and_first_bytes_belong_to_one_format() {
        for format in Format::ALL {
            for ending in format.endings() {
                assert_eq!(Format::of_ending(ending), Some(*format), "{ending}");
            }
            for magic in format.magic() {
                assert_eq!(Format::of_magic(magic), Some(*format), "{magic:?}");
            }
        }
    }
}
