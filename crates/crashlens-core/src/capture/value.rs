//! Values of Python variables, read from the memory of the process: cut short and with secrets masked.

use serde::{Deserialize, Serialize};

use super::Address;

/// An argument or local variable of a Python frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Whether it is an argument of the function.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub argument: bool,
    /// What it held.
    pub value: Value,
}

/// A Python object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Value {
    /// The type's name as Python has it: `int`, `numpy.ndarray`.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The value as Python writes it, cut short; `None` where its form is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Shape and elements, where it is an array or a tensor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<Array>,
}

/// An array or a tensor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Array {
    /// What it is.
    pub kind: ArrayKind,
    /// Extent of each dimension; `None` for one that is not known until run time.
    pub shape: Option<Vec<Option<u64>>>,
    /// Type of the elements, in NumPy's words: `float32`.
    pub dtype: Option<String>,
    /// Bytes from one element to the next, in each dimension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strides: Option<Vec<i64>>,
    /// Where the elements are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Address>,
    /// Whether all of the elements are in mapped memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_mapped: Option<bool>,
    /// Whether it was found by its form, in a structure whose layout is not published.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_form: bool,
}

/// What kind of array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ArrayKind {
    /// `numpy.ndarray`.
    Numpy,
    /// A TensorFlow tensor that has a value.
    EagerTensor,
    /// A TensorFlow tensor of a graph.
    SymbolicTensor,
    /// A TensorFlow variable.
    TensorflowVariable,
    /// `torch.Tensor`.
    TorchTensor,
}
