//! Whether the parts of a model fit together: indices, types, shapes and stored bytes.

use crashlens_core::files::{FlawKind, NamedPart, Part};

use super::parts::{Graph, Model, Operator, Quantization, TensorPart};
use super::schema::Schema;
use crate::fault::Fault;

/// The only version of the format that was ever written.
const VERSION: u32 = 3;
/// Bytes of a tensor that no model has.
const LARGEST_TENSOR: u64 = 1 << 40;
/// Bytes of a tensor that is computed; the interpreter makes room for what is declared.
const LARGEST_INNER: u64 = 1 << 30;
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
    pub(super) fn note(&mut self, part: impl Into<NamedPart>, detail: impl Into<String>) {
        self.note_as(FlawKind::Contradiction, part, detail);
    }

    pub(super) fn note_as(
        &mut self,
        kind: FlawKind,
        part: impl Into<NamedPart>,
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
            self.note(field("version"), detail);
        }
        match (model.has_graphs, model.graphs.is_empty()) {
            (true, true) => self.note(field("subgraphs"), "it has none"),
            (false, _) => self.note_as(
                FlawKind::Malformed,
                field("subgraphs"),
                "it has no list of them",
            ),
            (true, false) => {}
        }
        self.codes();
        for (number, graph) in model.graphs.iter().enumerate() {
            self.graph(number, graph);
        }
        self.cycles();
        self.shapes();
        self.signatures();
        for (number, buffer) in model.metadata.iter().enumerate() {
            if u64::from(*buffer) >= model.buffers.count {
                let part = field(format!("metadata[{number}]"));
                let detail = format!("it names buffer {buffer} of {}", model.buffers.count);
                self.note_as(FlawKind::IdlePart, part, detail);
            }
        }
    }

    fn graph(&mut self, number: usize, graph: &Graph) {
        let place = format!("subgraphs[{number}]");
        if !graph.has_tensors {
            self.note(field(place), "it has no list of tensors");
            return;
        }
        for (index, tensor) in graph.tensors.iter().enumerate() {
            self.tensor(&field(format!("{place}.tensors[{index}]")), tensor);
        }
        let count = graph.tensors.len();
        for (what, list) in [("inputs", &graph.inputs), ("outputs", &graph.outputs)] {
            self.indices(&field(format!("{place}.{what}")), list, count);
        }
        if self.is_entry(number) {
            self.entry(&place, graph);
        }
        for (index, operator) in graph.operators.iter().enumerate() {
            self.operator(
                &field(format!("{place}.operators[{index}]")),
                graph,
                operator,
            );
        }
        self.flow(&place, graph);
    }

    /// Whether the graph is run from outside, not by another graph.
    fn is_entry(&self, number: usize) -> bool {
        let mut signatures = self.model.signatures.iter();
        number == 0 || signatures.any(|signature| signature.graph as usize == number)
    }

    fn indices(&mut self, part: &NamedPart, list: &[i32], count: usize) {
        for index in list {
            // -1 is an input that is left out.
            let is_known = *index == -1 || usize::try_from(*index).is_ok_and(|it| it < count);
            if !is_known {
                self.note(part, format!("it names tensor {index} of {count}"));
                return;
            }
        }
    }

    fn tensor(&mut self, part: &NamedPart, tensor: &TensorPart) {
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
        let is_stored = self.model.buffers.get(tensor.buffer);
        let is_stored = is_stored.is_some_and(|buffer| buffer.length > 0);
        if let Some(bytes) = bytes.filter(|it| *it > LARGEST_INNER && !is_stored) {
            let detail = format!("its shape {:?} asks for {bytes} bytes", tensor.shape);
            self.note_as(FlawKind::TooLarge, part, detail);
        }
        self.stored(part, tensor, bytes);
        self.quantization(part, tensor, kind);
    }

    fn stored(&mut self, part: &NamedPart, tensor: &TensorPart, bytes: Option<u64>) {
        let Some(buffer) = self.model.buffers.get(tensor.buffer) else {
            let count = self.model.buffers.count;
            self.note(
                part,
                format!("it names buffer {} of {count}", tensor.buffer),
            );
            return;
        };
        let end = buffer.at.checked_add(buffer.length);
        if tensor.buffer != 0 && buffer.is_outside && end.is_none_or(|it| it > self.file_size) {
            let detail = format!(
                "its values would be {} bytes at byte {}, and the file has {}",
                buffer.length, buffer.at, self.file_size
            );
            self.note(part, detail);
            return;
        }
        if tensor.buffer != 0
            && buffer.has_data
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
        if tensor.buffer != 0 && buffer.length > 0 && tensor.is_variable {
            self.note(part, "it is a variable and has stored values");
        }
    }

    fn quantization(&mut self, part: &NamedPart, tensor: &TensorPart, kind: &str) {
        let Some(it) = tensor.quantization.filter(|it| it.scales > 0) else {
            return;
        };
        if it.scales != it.zero_points {
            let detail = format!(
                "it has {} scales and {} zero points",
                it.scales, it.zero_points
            );
            self.note(part, detail);
            return;
        }
        let rank = tensor.shape.len();
        let dimension = usize::try_from(it.dimension).ok();
        let length = dimension.and_then(|it| tensor.shape.get(it));
        let is_outside = it.dimension < 0 || rank > 0 && length.is_none();
        let is_uneven =
            it.scales > 1 && rank > 0 && length.is_some_and(|it| i64::from(*it) != tensor.scales());
        if is_outside || is_uneven {
            let detail = format!(
                "it has {} scales for dimension {} of {:?}",
                it.scales, it.dimension, tensor.shape
            );
            self.note(part, detail);
        }
        // Nobody uses the scale of a bias for each channel.
        let scale = it.odd_scale.filter(|_| kind != "INT32" || it.scales == 1);
        if let Some(scale) = scale {
            self.note(part, format!("one of its scales is {scale}"));
        }
        self.zero_points(part, it, kind);
    }

    fn zero_points(&mut self, part: &NamedPart, it: Quantization, kind: &str) {
        let (least, greatest) = match kind {
            "INT8" => (-128, 127),
            "UINT8" => (0, 255),
            "INT16" => (-32768, 32767),
            "INT4" => (-8, 7),
            _ => (i64::from(i32::MIN), i64::from(i32::MAX)),
        };
        if it.scales > 1 {
            if (it.least_zero, it.greatest_zero) != (0, 0) {
                let detail = "it has a scale for each channel and zero points beside 0";
                self.note_as(FlawKind::Irregular, part, detail);
            }
        } else if it.least_zero < least || it.greatest_zero > greatest {
            let zero = if it.least_zero < least {
                it.least_zero
            } else {
                it.greatest_zero
            };
            let detail = format!("its zero point is {zero}, which {kind} cannot hold");
            self.note_as(FlawKind::Malformed, part, detail);
        }
    }

    fn operator(&mut self, part: &NamedPart, graph: &Graph, operator: &Operator) {
        let count = graph.tensors.len();
        self.indices(part, &operator.inputs, count);
        self.indices(part, &operator.outputs, count);
        self.indices(part, &operator.intermediates, count);
        let codes = self.model.codes.len();
        if operator.code as usize >= codes {
            self.note(
                part,
                format!("it is operation {} of {codes}", operator.code),
            );
            return;
        }
        if let Some((offset, size)) = operator.outside_options
            && offset
                .checked_add(size)
                .is_none_or(|end| end > self.file_size)
        {
            let detail = format!("its options would be {size} bytes at byte {offset}");
            self.note(part, detail);
        }
        self.kernel(part, graph, operator);
    }

    fn signatures(&mut self) {
        let model = self.model;
        for (number, signature) in model.signatures.iter().enumerate() {
            let part = field(format!("signature_defs[{number}]"));
            let Some(graph) = model.graphs.get(signature.graph as usize) else {
                let detail = format!(
                    "it names subgraph {} of {}",
                    signature.graph,
                    model.graphs.len()
                );
                self.note(part, detail);
                continue;
            };
            if !signature.is_whole {
                self.note(part.clone(), "it has no name, no inputs or no outputs");
            }
            let entries = || signature.inputs.iter().chain(&signature.outputs);
            for (_, tensor) in entries() {
                if *tensor as usize >= graph.tensors.len() {
                    let detail = format!("it names tensor {tensor} of {}", graph.tensors.len());
                    self.note(part.clone(), detail);
                }
            }
            let among = |list: &[(Vec<u8>, u32)], graph: &[i32]| {
                let mut tensors = list.iter().map(|(_, tensor)| i64::from(*tensor));
                tensors.all(|tensor| graph.iter().any(|it| i64::from(*it) == tensor))
            };
            if !among(&signature.inputs, &graph.inputs)
                || !among(&signature.outputs, &graph.outputs)
            {
                let detail = "one of its tensors is no input or output of its graph";
                self.note(part.clone(), detail);
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

impl TensorPart {
    pub(super) fn scales(&self) -> i64 {
        self.quantization.map_or(0, |it| it.scales as i64)
    }
}

impl Graph {
    pub(super) fn tensor(&self, index: i32) -> Option<&TensorPart> {
        self.tensors.get(usize::try_from(index).ok()?)
    }
}

/// A field of the model, by its path.
pub(super) fn field(path: impl Into<String>) -> NamedPart {
    Part::Field.written(path)
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
