//! Whether the parts of a model fit together: indices, types, shapes and stored bytes.

use crashlens_core::files::FlawKind;

use super::graph::{Graph, Model, Operator, TensorPart};
use super::schema::Schema;
use super::verify::Fault;

/// The only version of the format that was ever written.
const VERSION: u32 = 3;
/// Bytes of a tensor that no model has.
const LARGEST_TENSOR: u64 = 1 << 40;
/// Faults that are told.
const MOST_FAULTS: usize = 20;

pub(super) struct Check<'a> {
    pub(super) model: &'a Model,
    pub(super) schema: &'static Schema,
    pub(super) file_size: u64,
    pub(super) faults: Vec<Fault>,
}

impl Check<'_> {
    /// Notes a contradiction.
    pub(super) fn note(&mut self, part: impl Into<String>, detail: impl Into<String>) {
        self.note_as(FlawKind::Contradiction, part, detail);
    }

    pub(super) fn note_as(
        &mut self,
        kind: FlawKind,
        part: impl Into<String>,
        detail: impl Into<String>,
    ) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(Fault {
                kind,
                part: part.into(),
                at: None,
                detail: detail.into(),
            });
        }
    }

    pub(super) fn all(&mut self) {
        let model = self.model;
        if model.version != VERSION {
            let detail = format!(
                "its version is {}, and only {VERSION} exists",
                model.version
            );
            self.note("version", detail);
        }
        if model.graphs.is_empty() {
            self.note("subgraphs", "it has none");
        }
        self.buffers();
        for (number, graph) in model.graphs.iter().enumerate() {
            self.graph(number, graph);
        }
        self.signatures();
        for (number, buffer) in model.metadata.iter().enumerate() {
            if *buffer as usize >= model.buffers.len() {
                let part = format!("metadata[{number}]");
                self.note(
                    part,
                    format!("it names buffer {buffer} of {}", model.buffers.len()),
                );
            }
        }
    }

    fn buffers(&mut self) {
        let outside = |at: u64, length: u64| at.checked_add(length);
        for (number, buffer) in self.model.buffers.iter().enumerate() {
            let end = outside(buffer.at, buffer.length);
            if buffer.is_outside && end.is_none_or(|end| end > self.file_size) {
                let detail = format!(
                    "it declares {} bytes at byte {}, and the file has {}",
                    buffer.length, buffer.at, self.file_size
                );
                self.note_as(FlawKind::Malformed, format!("buffers[{number}]"), detail);
            }
        }
    }

    fn graph(&mut self, number: usize, graph: &Graph) {
        let place = format!("subgraphs[{number}]");
        for (index, tensor) in graph.tensors.iter().enumerate() {
            self.tensor(&format!("{place}.tensors[{index}]"), tensor);
        }
        let count = graph.tensors.len();
        for (what, list) in [("inputs", &graph.inputs), ("outputs", &graph.outputs)] {
            let part = format!("{place}.{what}");
            self.indices(&part, list, count);
            let texts = list.iter().filter_map(|index| graph.tensor(*index));
            for tensor in texts {
                if std::str::from_utf8(&tensor.name).is_err() {
                    self.note(part.clone(), "the name of one of them is not UTF-8");
                }
            }
        }
        for (index, operator) in graph.operators.iter().enumerate() {
            self.operator(&format!("{place}.operators[{index}]"), graph, operator);
        }
    }

    fn indices(&mut self, part: &str, list: &[i32], count: usize) {
        for index in list {
            // -1 is an input that is left out.
            let is_known = *index == -1 || usize::try_from(*index).is_ok_and(|it| it < count);
            if !is_known {
                self.note(part, format!("it names tensor {index} of {count}"));
                return;
            }
        }
    }

    fn tensor(&mut self, part: &str, tensor: &TensorPart) {
        let Some(kind) = self.schema.member("TensorType", i64::from(tensor.kind)) else {
            self.note(part, format!("there is no type {}", tensor.kind));
            return;
        };
        let elements = elements(&tensor.shape);
        let bytes = elements.and_then(|count| bytes_of(kind, count));
        if elements.is_none() || bytes.is_some_and(|bytes| bytes > LARGEST_TENSOR) {
            let detail = format!(
                "its shape {:?} is none that a tensor can have",
                tensor.shape
            );
            self.note(part, detail);
            return;
        }
        self.stored(part, tensor, bytes);
        self.quantization(part, tensor);
    }

    fn stored(&mut self, part: &str, tensor: &TensorPart, bytes: Option<u64>) {
        let Some(buffer) = self.model.buffers.get(tensor.buffer as usize) else {
            let count = self.model.buffers.len();
            self.note(
                part,
                format!("it names buffer {} of {count}", tensor.buffer),
            );
            return;
        };
        if buffer.length > 0
            && !tensor.is_sparse
            && let Some(bytes) = bytes
            && buffer.length != bytes
        {
            let detail = format!(
                "its shape {:?} needs {bytes} bytes and {} are stored",
                tensor.shape, buffer.length
            );
            self.note(part, detail);
        }
        if buffer.length > 0 && tensor.is_variable {
            self.note(part, "it is a variable and has stored values");
        }
    }

    fn quantization(&mut self, part: &str, tensor: &TensorPart) {
        let Some(quantization) = tensor.quantization else {
            return;
        };
        let (scales, zero_points) = (quantization.scales, quantization.zero_points);
        if scales == 0 {
            return;
        }
        if scales != zero_points {
            self.note(
                part,
                format!("it has {scales} scales and {zero_points} zero points"),
            );
            return;
        }
        if scales > 1 {
            let dimension = usize::try_from(quantization.dimension).ok();
            let length = dimension.and_then(|it| tensor.shape.get(it));
            if length.is_none_or(|length| i64::from(*length) != scales as i64) {
                let detail = format!(
                    "it has {scales} scales for dimension {} of {:?}",
                    quantization.dimension, tensor.shape
                );
                self.note(part, detail);
            }
        }
    }

    fn operator(&mut self, part: &str, graph: &Graph, operator: &Operator) {
        let count = graph.tensors.len();
        self.indices(part, &operator.inputs, count);
        self.indices(part, &operator.outputs, count);
        self.indices(part, &operator.intermediates, count);
        let Some(code) = self.model.codes.get(operator.code as usize) else {
            let codes = self.model.codes.len();
            self.note(
                part,
                format!("it is operation {} of {codes}", operator.code),
            );
            return;
        };
        if self
            .schema
            .member("BuiltinOperator", code.builtin)
            .is_none()
        {
            self.note(part, format!("there is no operation {}", code.builtin));
        }
        if let Some((offset, size)) = operator.outside_options
            && offset
                .checked_add(size)
                .is_none_or(|end| end > self.file_size)
        {
            let detail = format!("its options would be {size} bytes at byte {offset}");
            self.note_as(FlawKind::Malformed, part, detail);
        }
    }

    fn signatures(&mut self) {
        let model = self.model;
        for (number, signature) in model.signatures.iter().enumerate() {
            let part = format!("signature_defs[{number}]");
            let Some(graph) = model.graphs.get(signature.graph as usize) else {
                let detail = format!(
                    "it names subgraph {} of {}",
                    signature.graph,
                    model.graphs.len()
                );
                self.note(part, detail);
                continue;
            };
            let entries = || signature.inputs.iter().chain(&signature.outputs);
            for (_, tensor) in entries() {
                if *tensor as usize >= graph.tensors.len() {
                    let detail = format!("it names tensor {tensor} of {}", graph.tensors.len());
                    self.note(part.clone(), detail);
                }
            }
            let names = entries().map(|(name, _)| name).chain([&signature.key]);
            if names
                .into_iter()
                .any(|name| std::str::from_utf8(name).is_err())
            {
                self.note(part, "one of its names is not UTF-8");
            }
        }
    }
}

impl Graph {
    pub(super) fn tensor(&self, index: i32) -> Option<&TensorPart> {
        self.tensors.get(usize::try_from(index).ok()?)
    }
}

/// How many elements a shape has; `None` where that is no number.
pub(super) fn elements(shape: &[i32]) -> Option<u64> {
    shape.iter().try_fold(1_u64, |count, dimension| {
        count.checked_mul(u64::try_from(*dimension).ok()?)
    })
}

/// Bytes of so many elements; `None` where the type does not tell.
pub(super) fn bytes_of(kind: &str, count: u64) -> Option<u64> {
    let bits = match kind {
        "INT2" => 2,
        "INT4" | "UINT4" => 4,
        "UINT8" | "BOOL" | "INT8" => 8,
        "FLOAT16" | "INT16" | "UINT16" | "BFLOAT16" => 16,
        "FLOAT32" | "INT32" | "UINT32" => 32,
        "INT64" | "COMPLEX64" | "FLOAT64" | "UINT64" => 64,
        "COMPLEX128" => 128,
        _ => return None,
    };
    count.checked_mul(bits).map(|bits| bits.div_ceil(8))
}
