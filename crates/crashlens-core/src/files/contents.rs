//! What a file holds, as far as a census or a rule asks for it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a file holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Contents {
    /// Not known.
    #[default]
    Unknown,
    /// An image.
    Image(Image),
    /// Arrays, by name; that of an `.npy` file has none.
    Arrays(Vec<Array>),
    /// Records.
    Records(Records),
    /// A table.
    Table(Table),
    /// Sound.
    Sound(Sound),
    /// A model, or weights.
    Model(Box<ModelFacts>),
}

/// An image.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Image {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// As TensorFlow decodes it by default: 1, 2, 3 or 4.
    pub channels: u8,
    /// Bits of a sample.
    pub bits: u8,
    /// More than one in an animation.
    pub frames: u32,
    /// The variant: `baseline`, `progressive`, `arithmetic`, `palette`, `cmyk`; empty where there is but one.
    pub coding: String,
}

/// An array in a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Array {
    /// Its name in the file.
    pub name: String,
    /// Type of its elements, as NumPy writes it: `float32`.
    pub dtype: String,
    /// Its shape.
    pub shape: Vec<u64>,
    /// Least and greatest finite value, where the values were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// How many NaN and infinite values, where the values were read.
    #[serde(default)]
    pub not_finite: u64,
    /// What is called to make its elements, where they are pickled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callables: Vec<Operation>,
}

/// From the least to the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Range {
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
}

/// The records of a TFRecord file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Records {
    /// How many.
    pub count: u64,
    /// How many of them are no `Example` or `SequenceExample`.
    pub not_examples: u64,
    /// The features seen in the examples, by name.
    pub features: Vec<Feature>,
}

/// A feature of examples.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Feature {
    /// Its key.
    pub name: String,
    /// Whether it is a list of features, one a step (`SequenceExample.feature_lists`); its counts are then of steps.
    #[serde(default)]
    pub sequence: bool,
    /// In how many records of the file.
    pub present: u64,
    /// In how many as what, most frequent first.
    pub kinds: Vec<(FeatureKind, u64)>,
    /// How many values it has, and in how many records; most frequent first, not all where there are many.
    pub lengths: Vec<(u64, u64)>,
    /// Least and greatest value of an integer feature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// NaN and infinite values.
    #[serde(default)]
    pub not_finite: u64,
}

word_enum! {
    /// Kind of a feature's list.
    pub enum FeatureKind {
        /// `bytes_list`.
        Bytes,
        /// `float_list`.
        Float,
        /// `int64_list`.
        Int64,
        /// None of them is set.
        Unset,
    }
}

/// A table: CSV, Parquet, Arrow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Table {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Types of the columns, in their order; empty where the format has none.
    pub types: Vec<String>,
    /// Rows without the heading.
    pub rows: u64,
    /// Least and greatest number of the columns that hold labels, by name, where they were asked for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ranges: BTreeMap<String, Range>,
}

/// Sound.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Sound {
    /// Samples a second.
    pub rate: u32,
    /// Channels.
    pub channels: u16,
    /// Bits of a sample.
    pub bits: u16,
    /// Samples of one channel.
    pub samples: u64,
}

/// A model, or the weights of one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ModelFacts {
    /// What wrote it, by its own words: `tensorflow`, `keras`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub producer: Option<String>,
    /// Its version, by its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub producer_version: Option<String>,
    /// Version of the graph format that wrote it (`VersionDef.producer`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph_producer: Option<u32>,
    /// Least version of the graph format that may read it (`VersionDef.min_consumer`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph_min_consumer: Option<u32>,
    /// Versions of the graph format that must not read it (`VersionDef.bad_consumers`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub graph_bad_consumers: Vec<u32>,
    /// Bytes of the message that the graph is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph_bytes: Option<u64>,
    /// Tensors with stored values.
    pub tensors: Vec<Tensor>,
    /// Operations or layers, each kind once.
    pub operations: Vec<Operation>,
    /// What it was compiled to lower, as it is written there: `mse`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<String>,
    /// What it can be called with, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<Signature>,
}

/// A signature of a SavedModel.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Signature {
    /// Its name.
    pub name: String,
    /// What it says that the graph contradicts, as a sentence without its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Whether tensors are looked up by their names in it: in models without saved objects. Others are called through
    /// their functions, and the loader of TensorFlow 1 looks it up.
    pub is_called_by_name: bool,
}

/// A stored tensor.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Type of its elements, as NumPy writes it.
    pub dtype: String,
    /// Its shape.
    pub shape: Vec<u64>,
    /// Stored bytes.
    pub bytes: u64,
    /// NaN and infinite values, where the values were read.
    #[serde(default)]
    pub not_finite: u64,
}

/// A kind of operation or layer in a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Operation {
    /// `MatMul`, `Lambda`, `posix.system`.
    pub name: String,
    /// How often.
    pub count: u64,
    /// Where first: a node's or layer's name.
    pub first: String,
    /// Set where the format itself marks it as custom.
    #[serde(default)]
    pub custom: bool,
}
