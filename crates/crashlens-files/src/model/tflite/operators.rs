//! What kernels take for granted about operators: how many inputs, which types, which options.

use std::collections::HashMap;
use std::sync::LazyLock;

use crashlens_core::files::{FlawKind, NamedPart};

use super::check::{Check, field};
use super::parts::{Graph, Model, Operator};
use super::schema::Schema;

const TEXT: &str = include_str!("../../../data/tflite_operators.txt");

/// Those that do without options.
const HAVE_DEFAULTS: [&str; 5] = ["ADD", "SUB", "MUL", "DIV", "FULLY_CONNECTED"];

/// Lengths of steps; at 0 a kernel divides by it, or never moves on.
const STRIDES: [&str; 4] = ["stride_w", "stride_h", "stride_d", "block_size"];
const AT_LEAST_ONE: [&str; 5] = [
    "dilation_wfactor",
    "dilation_hfactor",
    "dilation_dfactor",
    "filter_width",
    "filter_height",
];

/// What a kernel asks for.
pub(super) struct Kernel {
    pub(super) versions: Between,
    inputs: Between,
    outputs: Between,
    options: &'static str,
    keeps_type: bool,
    one_type: bool,
    has_integers: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Between(u64, u64);

impl Between {
    fn parse(word: &str) -> Option<Self> {
        let (least, most) = word.split_once('-').unwrap_or((word, word));
        let most = if most == "*" {
            u64::MAX
        } else {
            most.parse().ok()?
        };
        Some(Self(least.parse().ok()?, most))
    }

    pub(super) fn has(self, number: u64) -> bool {
        (self.0..=self.1).contains(&number)
    }
}

pub(super) static KERNELS: LazyLock<HashMap<&'static str, Kernel>> = LazyLock::new(|| {
    let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(parse).collect()
});

fn parse(line: &'static str) -> Option<(&'static str, Kernel)> {
    let mut words = line.split(' ');
    let name = words.next()?;
    let kernel = Kernel {
        versions: Between::parse(words.next()?)?,
        inputs: Between::parse(words.next()?)?,
        outputs: Between::parse(words.next()?)?,
        options: words.next()?,
        keeps_type: line.contains('='),
        one_type: line.contains('~'),
        has_integers: line.contains('#'),
    };
    Some((name, kernel))
}

/// Whether the interpreter looks at the options of such an operator.
pub(super) fn reads_options(name: &str) -> bool {
    KERNELS.get(name).is_none_or(|kernel| kernel.options != "-")
}

/// Whether an operator can be without the input at this place: biases, and most of what recurrent ones take.
fn is_optional(name: &str, place: usize) -> bool {
    match name {
        "CONV_2D" | "DEPTHWISE_CONV_2D" | "CONV_3D" | "FULLY_CONNECTED" => place >= 2,
        "TRANSPOSE_CONV" | "CONV_3D_TRANSPOSE" | "SVDF" => place >= 3,
        "LSTM"
        | "UNIDIRECTIONAL_SEQUENCE_LSTM"
        | "BIDIRECTIONAL_SEQUENCE_LSTM"
        | "BIDIRECTIONAL_SEQUENCE_RNN" => place >= 1,
        // What graphs and functions of StableHLO take is theirs to say.
        name => ["IF", "WHILE", "CALL", "STABLEHLO"]
            .iter()
            .any(|it| name.starts_with(it)),
    }
}

/// What an operator does, where it is no custom operation.
pub(super) fn name_of(
    model: &Model,
    schema: &'static Schema,
    operator: &Operator,
) -> Option<&'static str> {
    let code = model.codes.get(operator.code as usize)?;
    schema.member("BuiltinOperator", code.builtin)
}

impl Check<'_> {
    /// What the kernel of an operator would meet.
    pub(super) fn kernel(&mut self, part: &NamedPart, graph: &Graph, operator: &Operator) {
        let name = name_of(self.model, self.schema, operator);
        let Some((name, kernel)) = name.and_then(|name| Some((name, KERNELS.get(name)?))) else {
            return;
        };
        let (inputs, outputs) = (operator.inputs.len(), operator.outputs.len());
        if !kernel.inputs.has(inputs as u64) || !kernel.outputs.has(outputs as u64) {
            let detail = format!("{name} cannot have {inputs} inputs and {outputs} outputs");
            self.note(part, detail);
            return;
        }
        let mut inputs = operator.inputs.iter().enumerate();
        let left_out = inputs.find(|(place, index)| **index == -1 && !is_optional(name, *place));
        if let Some((place, _)) = left_out {
            let detail = format!("{name} has no input {place}, and cannot do without");
            self.note_as(FlawKind::Malformed, part, detail);
        }
        let is_default = operator.options_name == "NONE" && HAVE_DEFAULTS.contains(&name);
        if !is_default
            && !["*", "-"].contains(&kernel.options)
            && kernel.options != operator.options_name
        {
            let detail = format!("{name} has {} for its options", operator.options_name);
            self.note(part, detail);
        }
        self.types(part, name, kernel, graph, operator);
        self.numbers(part, name, operator);
        self.weights(part, name, graph, operator);
        self.scales(part, name, graph, operator);
        self.calls(part, name, graph, operator);
    }

    fn types(
        &mut self,
        part: &NamedPart,
        name: &str,
        kernel: &Kernel,
        graph: &Graph,
        operator: &Operator,
    ) {
        let kind = |list: &[i32], index: usize| {
            let tensor = list.get(index).and_then(|index| graph.tensor(*index));
            tensor.map(|tensor| tensor.kind)
        };
        let first = kind(&operator.inputs, 0);
        let clash =
            |other: Option<i8>| matches!((first, other), (Some(one), Some(two)) if one != two);
        let second = kind(&operator.inputs, 1).map(i64::from);
        let second = second.and_then(|kind| self.schema.member("TensorType", kind));
        if kernel.has_integers && second.is_some_and(|kind| !kind.starts_with("INT"))
            || kernel.keeps_type && clash(kind(&operator.outputs, 0))
            || kernel.one_type && clash(kind(&operator.inputs, 1))
        {
            self.note(
                part,
                format!("the types of its tensors do not go together in {name}"),
            );
        }
    }

    fn numbers(&mut self, part: &NamedPart, name: &str, operator: &Operator) {
        let option = |key: &str| operator.options.get(key).copied();
        let table = self.schema.table(operator.options_name);
        let has = |key: &str| {
            let fields = table.map_or(&[][..], |table| &table.fields);
            fields.iter().flatten().any(|field| field.name == key)
        };
        // A stride that is not given is 0.
        let stride = STRIDES
            .iter()
            .find(|key| has(key) && option(key).unwrap_or(0) < 1);
        let other = AT_LEAST_ONE
            .iter()
            .find(|key| option(key).is_some_and(|it| it < 1));
        if let Some(key) = stride.or(other) {
            let detail = format!("{name} with a {key} of {}", option(key).unwrap_or(0));
            self.note_as(FlawKind::Malformed, part, detail);
        }
        if let Some(padding) =
            option("padding").filter(|it| has("stride_w") && !(0..=1).contains(it))
        {
            self.note_as(
                FlawKind::Malformed,
                part,
                format!("there is no padding {padding}"),
            );
        }
        let listed = match name {
            "PACK" => option("values_count").map(|it| (it, operator.inputs.len())),
            "UNPACK" => option("num").map(|it| (it, operator.outputs.len())),
            "SPLIT" | "SPLIT_V" => option("num_splits").map(|it| (it, operator.outputs.len())),
            _ => None,
        };
        if let Some((declared, there)) =
            listed.filter(|(declared, there)| *declared != *there as i64)
        {
            self.note(part, format!("{name} of {declared} with {there}"));
        }
    }

    /// Graphs that it runs.
    fn calls(&mut self, part: &NamedPart, name: &str, graph: &Graph, operator: &Operator) {
        let graphs = &self.model.graphs;
        for (number, called) in operator.called(name).into_iter().enumerate() {
            let callee = usize::try_from(called).ok().and_then(|it| graphs.get(it));
            let Some(callee) = callee else {
                self.note(
                    part,
                    format!("it runs subgraph {called} of {}", graphs.len()),
                );
                continue;
            };
            if std::ptr::eq(callee, graph) {
                self.note_as(
                    FlawKind::Malformed,
                    part,
                    "it runs the graph that it is part of",
                );
            }
            let given = match name {
                "IF" => operator.inputs.len().saturating_sub(1),
                _ => operator.inputs.len(),
            };
            if given != callee.inputs.len() {
                let detail = format!(
                    "it gives {given} inputs to a graph of {}",
                    callee.inputs.len()
                );
                self.note(part, detail);
            }
            let taken = match (name, number) {
                // The condition of a loop gives one answer.
                ("WHILE", 0) => 1,
                _ => operator.outputs.len(),
            };
            if taken != callee.outputs.len() && name != "CALL_ONCE" {
                let detail = format!(
                    "it takes {taken} outputs of a graph of {}",
                    callee.outputs.len()
                );
                self.note(part, detail);
            }
        }
    }

    /// A graph that runs itself through others never ends.
    pub(super) fn cycles(&mut self) {
        let count = self.model.graphs.len();
        let mut done = vec![false; count];
        for start in 0..count {
            let mut open = vec![(start, self.callees(start))];
            while let Some((number, callees)) = open.last_mut() {
                let number = *number;
                match callees.pop() {
                    Some(next) if open.iter().any(|(it, _)| *it == next) => {
                        let part = field(format!("subgraphs[{next}]"));
                        self.note_as(
                            FlawKind::Malformed,
                            part,
                            "it runs itself, by way of others",
                        );
                        return;
                    }
                    Some(next) if !done.get(next).copied().unwrap_or(true) => {
                        let callees = self.callees(next);
                        open.push((next, callees));
                    }
                    Some(_) => {}
                    None => {
                        done[number] = true;
                        open.pop();
                    }
                }
            }
        }
    }

    fn callees(&self, number: usize) -> Vec<usize> {
        let operators = self
            .model
            .graphs
            .get(number)
            .map_or(&[][..], |it| &it.operators);
        let called = operators.iter().flat_map(|operator| {
            let name = name_of(self.model, self.schema, operator);
            operator.called(name.unwrap_or_default())
        });
        called.filter_map(|it| usize::try_from(it).ok()).collect()
    }
}

impl Model {
    /// A loop gives its types to the inputs of the graphs that it runs, whatever those declare.
    pub(super) fn hand_over(&mut self, schema: &'static Schema) {
        let mut kinds = Vec::new();
        for graph in &self.graphs {
            for operator in &graph.operators {
                if name_of(self, schema, operator) != Some("WHILE") {
                    continue;
                }
                let given = operator.inputs.iter();
                let given: Vec<_> = given.map(|it| Some(graph.tensor(*it)?.kind)).collect();
                for called in operator.called("WHILE") {
                    kinds.push((called, given.clone()));
                }
            }
        }
        for (called, given) in kinds {
            let called = usize::try_from(called).ok();
            let Some(graph) = called.and_then(|it| self.graphs.get_mut(it)) else {
                continue;
            };
            for (index, kind) in graph.inputs.iter().zip(given) {
                let index = usize::try_from(*index).ok();
                let tensor = index.and_then(|it| graph.tensors.get_mut(it));
                if let (Some(tensor), Some(kind)) = (tensor, kind) {
                    tensor.kind = kind;
                }
            }
        }
    }
}

impl Operator {
    /// The graphs that it runs.
    pub(super) fn called(&self, name: &str) -> Vec<i64> {
        let keys: &[&str] = match name {
            "IF" => &["then_subgraph_index", "else_subgraph_index"],
            "WHILE" => &["cond_subgraph_index", "body_subgraph_index"],
            "CALL_ONCE" => &["init_subgraph_index"],
            _ => &[],
        };
        let option = |key: &&str| self.options.get(*key).copied().unwrap_or(0);
        keys.iter().map(option).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_read() {
        let lines = TEXT.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(KERNELS.len(), lines);
        let kernels = [KERNELS.get("CONV_2D"), KERNELS.get("WHILE")];
        assert!(kernels.iter().all(Option::is_some));
    }
}
