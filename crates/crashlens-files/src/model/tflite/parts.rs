//! The parts of a model that its rules are about.

use std::collections::HashMap;

#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) version: u32,
    pub(super) codes: Vec<Code>,
    pub(super) buffers: Buffers,
    pub(super) graphs: Vec<Graph>,
    pub(super) signatures: Vec<Signature>,
    /// Buffers that its metadata name.
    pub(super) metadata: Vec<u32>,
    /// The list of graphs is there, if empty.
    pub(super) has_graphs: bool,
    /// Not all of it was looked at.
    pub(super) is_partial: bool,
}

/// Which operation an operator is.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub(super) builtin: i64,
    pub(super) custom: Option<String>,
    pub(super) version: i32,
}

/// The list of buffers: how many it says it has, and those that a tensor or metadata name.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) count: u64,
    pub(super) named: HashMap<u32, Buffer>,
}

impl Buffers {
    pub(super) fn get(&self, index: u32) -> Option<&Buffer> {
        self.named.get(&index)
    }
}

/// Stored values: where they are, and how many bytes.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Buffer {
    pub(super) at: u64,
    pub(super) length: u64,
    /// The list of them is there, if empty: to TensorFlow that is a stored tensor.
    pub(super) has_data: bool,
    /// They stand behind the flatbuffer, by the buffer's own words.
    pub(super) is_outside: bool,
}

#[derive(Debug, Default)]
pub(super) struct Graph {
    /// The list of tensors is there, if empty.
    pub(super) has_tensors: bool,
    pub(super) tensors: Vec<TensorPart>,
    pub(super) inputs: Vec<i32>,
    pub(super) outputs: Vec<i32>,
    pub(super) operators: Vec<Operator>,
}

#[derive(Debug, Default)]
pub(super) struct TensorPart {
    pub(super) name: Vec<u8>,
    pub(super) kind: i8,
    pub(super) shape: Vec<i32>,
    pub(super) signature: Vec<i32>,
    pub(super) buffer: u32,
    pub(super) is_variable: bool,
    pub(super) is_sparse: bool,
    pub(super) quantization: Option<Quantization>,
    /// Stored integers, where they are few: the shapes and axes that other tensors are worked out with.
    pub(super) values: Vec<i64>,
}

#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Quantization {
    pub(super) scales: u64,
    pub(super) zero_points: u64,
    pub(super) dimension: i32,
    /// The first scale that is not a positive number.
    pub(super) odd_scale: Option<f32>,
    pub(super) first_scale: f32,
    pub(super) first_zero: i64,
    pub(super) least_zero: i64,
    pub(super) greatest_zero: i64,
}

#[derive(Debug)]
pub(super) struct Operator {
    pub(super) code: u32,
    pub(super) inputs: Vec<i32>,
    pub(super) outputs: Vec<i32>,
    pub(super) intermediates: Vec<i32>,
    /// The table of its options, `NONE` where it has none.
    pub(super) options_name: &'static str,
    /// Those that are numbers; of those that are lists, how long.
    pub(super) options: HashMap<&'static str, i64>,
    pub(super) outside_options: Option<(u64, u64)>,
}

/// A function that the model offers by name.
#[derive(Debug, Default)]
pub(super) struct Signature {
    /// Key, inputs and outputs are there, if empty.
    pub(super) is_whole: bool,
    pub(super) key: Vec<u8>,
    pub(super) graph: u32,
    /// Names and tensors.
    pub(super) inputs: Vec<(Vec<u8>, u32)>,
    pub(super) outputs: Vec<(Vec<u8>, u32)>,
}
