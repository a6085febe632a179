//! Whether every tensor has a value when it is read, and nobody writes where nothing may be written.

use crashlens_core::files::{FlawKind, NamedPart};

use super::check::{Check, elements, field};
use super::parts::{Graph, Operator, TensorPart};

/// Elements of an input that no model asks for.
const LARGEST_INPUT: u64 = 1 << 28;

impl Check<'_> {
    pub(super) fn is_stored(&self, tensor: &TensorPart) -> bool {
        // Buffer 0 is empty by definition.
        let buffer = self.model.buffers.get(tensor.buffer);
        tensor.buffer != 0 && buffer.is_some_and(|buffer| buffer.length > 0)
    }

    /// Operators run in their order; each must find its inputs.
    pub(super) fn flow(&mut self, place: &str, graph: &Graph) {
        let mut has_value: Vec<bool> = graph
            .tensors
            .iter()
            .map(|it| it.is_variable || self.is_stored(it) || elements(&it.shape) == Some(0))
            .collect();
        let set = |has_value: &mut Vec<bool>, index: i32| {
            let slot = usize::try_from(index)
                .ok()
                .and_then(|it| has_value.get_mut(it));
            if let Some(slot) = slot {
                *slot = true;
            }
        };
        let lacks = |has_value: &[bool], list: &[i32]| {
            let mut given = list.iter().filter_map(|it| usize::try_from(*it).ok());
            given.find(|it| has_value.get(*it) == Some(&false))
        };
        for index in &graph.inputs {
            set(&mut has_value, *index);
        }
        for (number, operator) in graph.operators.iter().enumerate() {
            let part = field(format!("{place}.operators[{number}]"));
            if let Some(index) = lacks(&has_value, &operator.inputs) {
                self.note(
                    part.clone(),
                    format!("its input, tensor {index}, has no value yet"),
                );
            }
            for index in &operator.outputs {
                match graph.tensor(*index) {
                    Some(tensor) if self.is_stored(tensor) => {
                        let detail = format!("its output, tensor {index}, has stored values");
                        self.note_as(FlawKind::Malformed, part.clone(), detail);
                    }
                    None if *index == -1 => {
                        self.note_as(FlawKind::Malformed, part.clone(), "an output is left out");
                    }
                    _ => {}
                }
                set(&mut has_value, *index);
            }
        }
        if let Some(index) = lacks(&has_value, &graph.outputs) {
            let part = field(format!("{place}.outputs"));
            self.note(part, format!("tensor {index} never gets a value"));
        }
        self.left_out(place, graph);
    }

    /// The interpreter takes -1 among inputs and outputs of a graph for a tensor.
    fn left_out(&mut self, place: &str, graph: &Graph) {
        for (what, list) in [("inputs", &graph.inputs), ("outputs", &graph.outputs)] {
            if list.contains(&-1) {
                let part = field(format!("{place}.{what}"));
                self.note_as(FlawKind::Malformed, part, "one of them is left out");
            }
        }
    }

    /// Inputs and outputs as whoever runs the graph meets them.
    pub(super) fn entry(&mut self, place: &str, graph: &Graph) {
        for (what, list) in [("inputs", &graph.inputs), ("outputs", &graph.outputs)] {
            let mut tensors = list.iter().filter_map(|index| graph.tensor(*index));
            if tensors.any(|tensor| std::str::from_utf8(&tensor.name).is_err()) {
                let part = field(format!("{place}.{what}"));
                self.note(part, "the name of one of them is not UTF-8");
            }
        }
        for index in &graph.inputs {
            if let Some(tensor) = graph.tensor(*index) {
                self.input(&field(format!("{place}.tensors[{index}]")), tensor);
            }
        }
    }

    /// The shape of an input, and the one with unknown dimensions, which are 1 until somebody sets them.
    fn input(&mut self, part: &NamedPart, tensor: &TensorPart) {
        let bytes = elements(&tensor.shape);
        if bytes.is_some_and(|bytes| bytes > LARGEST_INPUT) {
            self.note(
                part,
                format!("it is an input of the shape {:?}", tensor.shape),
            );
        }
        if tensor.signature.is_empty() {
            return;
        }
        let mut pairs = tensor.shape.iter().zip(&tensor.signature);
        let agree = |(shape, signature): (&i32, &i32)| {
            *shape == if *signature == -1 { 1 } else { *signature }
        };
        if tensor.shape.len() == tensor.signature.len() && !pairs.all(agree) {
            let detail = format!(
                "its shape is {:?} and also {:?}",
                tensor.shape, tensor.signature
            );
            self.note(part, detail);
        }
    }

    /// Shapes and types that a kernel holds against each other.
    pub(super) fn weights(
        &mut self,
        part: &NamedPart,
        name: &str,
        graph: &Graph,
        operator: &Operator,
    ) {
        let at = |list: &[i32], index: usize| list.get(index).and_then(|it| graph.tensor(*it));
        let (Some(input), Some(output)) = (at(&operator.inputs, 0), at(&operator.outputs, 0))
        else {
            return;
        };
        let second = at(&operator.inputs, 1);
        let is_wrong = match name {
            "TOPK_V2" => {
                let places = at(&operator.outputs, 1);
                places.is_some_and(|it| !matches!(it.kind, 2 | 7))
            }
            _ => self.clash(name, input, output),
        };
        if is_wrong {
            let shape = second.map_or(&[][..], |it| &it.shape);
            let detail = format!(
                "{name} of {:?} and {shape:?} to {:?}",
                input.shape, output.shape
            );
            self.note(part, detail);
        }
    }

    fn clash(&self, name: &str, input: &TensorPart, output: &TensorPart) -> bool {
        match name {
            "DEQUANTIZE" => self.is_stored(input) && input.shape != output.shape,
            "QUANTIZE" => output.scales() == 0,
            "ARG_MAX" | "ARG_MIN" => !matches!(output.kind, 2 | 4),
            _ => false,
        }
    }
}
