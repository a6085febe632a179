//! Goes through graphs and their functions, node by node.

use std::collections::{BTreeMap, HashSet};

use crashlens_core::files::{FlawKind, ModelFacts, NamedPart, Operation, Part, Tensor};
use crashlens_core::operations;

use super::attributes::Attributes;
use super::constant::{constant, sizes};
use super::device;

use super::found::{Caller, Found, Placeholder, Stored, is_valid_name, node_part};
use super::node;
use super::scope::Scope;
use crate::model::proto::{Item, Message, Node, Visitor};
use crate::model::{dtype, schema};

/// So many constants are listed.
const MOST_TENSORS: usize = 100_000;
/// So many kinds of operations.
const MOST_OPERATIONS: usize = 10_000;
/// So many functions, and calls of some.
const MOST_FUNCTIONS: usize = 200_000;
/// So many complaints are kept.
const MOST_FOUND: usize = 50;
/// Ops of newer versions may take types that are not known here: the newest that is.
const NEWEST_PRODUCER: u64 = 2474;

/// What is seen of graphs.
#[derive(Default)]
pub(in crate::model) struct Graphs {
    pub(in crate::model) model: ModelFacts,
    pub(in crate::model) stored: Vec<Stored>,
    pub(in crate::model) placeholders: BTreeMap<String, Placeholder>,
    /// Names of the functions of the library.
    pub(in crate::model) functions: HashSet<String>,
    operations: BTreeMap<String, Operation>,
    /// Those of the graph itself that nobody knows.
    unknown: BTreeMap<String, Operation>,
    /// Whether the graph itself is not what is run, only its functions.
    pub(in crate::model) is_idle: bool,
    found: Vec<Found>,
    /// Complaints about attributes, which a newer version may have.
    uncertain: Vec<Found>,
    graph: Scope,
    function: Option<Scope>,
    /// Function, and the node that calls it: first one within a function.
    called: BTreeMap<String, Caller>,
    colocated: Vec<(String, String)>,
    nodes: u64,
}

impl Graphs {
    pub(in crate::model) fn is_empty(&self) -> bool {
        self.nodes == 0
    }

    pub(in crate::model) fn has_node(&self, name: &str) -> bool {
        self.graph.has(name)
    }

    pub(in crate::model) fn note(
        &mut self,
        kind: FlawKind,
        part: impl Into<NamedPart>,
        at: u64,
        detail: impl Into<String>,
    ) {
        if self.found.len() < MOST_FOUND {
            self.found.push(Found {
                kind,
                part: part.into(),
                at: (at > 0).then_some(at),
                detail: detail.into(),
                is_in_function: self.function.is_some(),
            });
        }
    }

    /// What is wrong, when everything was read.
    pub(in crate::model) fn take_found(&mut self) -> Vec<Found> {
        if u64::from(self.model.graph_producer.unwrap_or(0)) <= NEWEST_PRODUCER {
            self.found.append(&mut self.uncertain);
        }
        std::mem::take(&mut self.found)
    }

    pub(in crate::model) fn into_model(mut self) -> ModelFacts {
        // A function may be called by its name, as if it were an op.
        let functions = &self.functions;
        if !self.is_idle {
            self.operations.append(&mut self.unknown);
        }
        let operations = self.operations.into_values();
        self.model.operations = operations
            .filter(|op| !functions.contains(&op.name))
            .collect();
        self.model
    }

    fn node(&mut self, definition: &Node) {
        self.nodes += 1;
        let (name, op) = (definition.text(1), definition.text(2));
        let part = self.part(name);
        let at = definition.at;
        self.count(op, name);
        let attributes = Attributes::of(definition);
        self.note_calls(&attributes, name);
        let is_graph = self.function.is_none();
        self.check_name_and_place(definition, &part);
        let mut wants = None;
        let mut gives = None;
        if let Some(registered) = operations::definition(op) {
            if let Some(detail) = attributes.fault(registered, op) {
                self.doubt(&part, at, detail);
            } else if !definition.is_partial {
                wants = node::inputs(registered, &attributes);
                gives = node::outputs(registered, &attributes);
            }
        }
        let inputs: Vec<&str> = definition.texts(3).collect();
        let scope = self.function.as_mut().unwrap_or(&mut self.graph);
        let is_new = scope.add(name, gives);
        let fault = scope.wants(name, at, &inputs, wants.as_ref());
        if !is_new {
            self.note(
                FlawKind::Malformed,
                part.clone(),
                at,
                "there are two nodes of this name",
            );
        }
        if let Some(detail) = fault {
            self.note(FlawKind::Contradiction, part.clone(), at, detail);
        }
        if op == "Const" {
            self.constant(name, &part, &attributes);
        }
        if is_graph && op.starts_with("Placeholder") {
            self.placeholder(name, &attributes);
        }
    }

    fn check_name_and_place(&mut self, definition: &Node, part: &NamedPart) {
        let (name, place) = (definition.text(1), definition.text(4));
        if !is_valid_name(name) {
            let detail = format!("a node is named {name:?}, which no node may be");
            self.note(FlawKind::Malformed, part, definition.at, detail);
        }
        if !device::is_valid(place) {
            let detail = format!("it is to run at {place:?}, which is no place");
            self.note(FlawKind::Malformed, part, definition.at, detail);
        }
    }

    fn part(&self, name: &str) -> NamedPart {
        let scope = self.function.as_ref();
        node_part(scope.map(|scope| scope.function.as_str()), name)
    }

    fn doubt(&mut self, part: &NamedPart, at: u64, detail: String) {
        if self.uncertain.len() < MOST_FOUND {
            self.uncertain.push(Found {
                kind: FlawKind::Malformed,
                part: part.to_owned(),
                at: Some(at),
                detail,
                is_in_function: self.function.is_some(),
            });
        }
    }

    fn count(&mut self, op: &str, name: &str) {
        let is_known = self.function.is_some() || operations::definition(op).is_some();
        let operations = if is_known {
            &mut self.operations
        } else {
            &mut self.unknown
        };
        if operations.len() >= MOST_OPERATIONS && !operations.contains_key(op) {
            return;
        }
        let first = match &self.function {
            Some(scope) => format!("{name} in function {}", scope.function),
            None => name.to_owned(),
        };
        let entry = operations.entry(op.to_owned());
        let operation = entry.or_insert_with(|| Operation {
            name: op.to_owned(),
            first,
            ..Operation::default()
        });
        operation.count += 1;
    }

    fn note_calls(&mut self, attributes: &Attributes<'_>, name: &str) {
        for function in attributes.functions() {
            let within = self.function.as_ref().map(|scope| scope.function.clone());
            let known = self.called.get(function);
            let is_news = known.is_none_or(|it| it.within.is_none() && within.is_some());
            if is_news && self.called.len() < MOST_FUNCTIONS {
                let node = name.to_owned();
                self.called
                    .insert(function.to_owned(), Caller { node, within });
            }
        }
        if self.function.is_some() || self.colocated.len() >= MOST_FUNCTIONS {
            return;
        }
        let list = attributes.get("_class").and_then(|value| value.message(1));
        for item in list.into_iter().flat_map(|list| list.all(2)) {
            if let Item::Bytes(blob) = item
                && let Some(bytes) = &blob.bytes
                && let Some(other) = bytes.strip_prefix(b"loc:@")
            {
                let other = String::from_utf8_lossy(other).into_owned();
                self.colocated.push((name.to_owned(), other));
            }
        }
    }

    fn constant(&mut self, name: &str, part: &NamedPart, attributes: &Attributes<'_>) {
        let Some(tensor) = attributes.get("value").and_then(|value| value.message(8)) else {
            return;
        };
        let constant = constant(tensor);
        if let Some(detail) = constant.fault {
            self.note(FlawKind::Contradiction, part, tensor.at, detail);
        } else if attributes
            .dtype("dtype")
            .is_some_and(|dtype| dtype != constant.dtype)
        {
            let detail = "the type of its value is not the type of the node";
            self.note(FlawKind::Contradiction, part, tensor.at, detail);
        }
        if self.model.tensors.len() >= MOST_TENSORS {
            return;
        }
        if let Some((at, length)) = constant.stored {
            self.stored.push(Stored {
                tensor: self.model.tensors.len(),
                dtype: constant.dtype,
                at,
                length,
            });
        }
        self.model.tensors.push(Tensor {
            name: name.to_owned(),
            dtype: dtype::name(constant.dtype),
            shape: constant.shape,
            bytes: constant.bytes,
            not_finite: 0,
        });
    }

    fn placeholder(&mut self, name: &str, attributes: &Attributes<'_>) {
        let Some(dtype) = attributes.dtype("dtype") else {
            return;
        };
        let shape = attributes.get("shape").and_then(|value| value.message(7));
        let shape = shape.filter(|shape| shape.number(3) != Some(1)).map(sizes);
        if self.placeholders.len() < MOST_FUNCTIONS {
            self.placeholders
                .insert(name.to_owned(), Placeholder { dtype, shape });
        }
    }

    /// The signature of a function: its name, and what goes in.
    fn signature(&mut self, signature: &Node) {
        let Some(scope) = &mut self.function else {
            return;
        };
        signature.text(1).clone_into(&mut scope.function);
        let mut bad = None;
        for argument in signature.messages(2) {
            if !is_valid_name(argument.text(1)) {
                bad = Some(argument.text(1).to_owned());
            }
            let dtype = argument
                .number(3)
                .filter(|dtype| *dtype > 0 && *dtype < 100);
            scope.argument(argument.text(1), vec![dtype]);
        }
        scope.outputs = signature
            .messages(3)
            .map(|output| output.text(1).to_owned())
            .collect();
        if let Some(name) = bad {
            let part = Part::Function.number(&scope.function);
            let detail = format!("an argument is named {name:?}, which none may be");
            self.note(FlawKind::Malformed, part, signature.at, detail);
        }
        let Some(scope) = &mut self.function else {
            return;
        };
        scope.controls = signature.texts(20).map(str::to_owned).collect();
        let name = signature.text(1).to_owned();
        if self.functions.len() < MOST_FUNCTIONS {
            self.functions.insert(name);
        }
    }

    fn versions(&mut self, versions: &Node) {
        self.model.graph_producer = versions.number(1).map(|number| number as u32);
        self.model.graph_min_consumer = versions.number(2).map(|number| number as u32);
        let bad = versions.numbers(3).into_iter();
        self.model.graph_bad_consumers = bad.map(|number| number as u32).collect();
    }

    fn end_of_graph(&mut self) {
        let mut graph = std::mem::take(&mut self.graph);
        for (node, at, detail) in graph.finish() {
            self.note(FlawKind::Contradiction, node_part(None, &node), at, detail);
        }
        for (node, other) in std::mem::take(&mut self.colocated) {
            if !graph.has(&other) {
                let detail = format!("it is to be where {other:?} is, which is nowhere");
                self.note(FlawKind::Contradiction, node_part(None, &node), 0, detail);
            }
        }
        self.graph = graph;
        for (function, caller) in std::mem::take(&mut self.called) {
            if !self.functions.contains(&function) && operations::definition(&function).is_none() {
                let detail =
                    format!("it calls the function {function:?}, which is not in the library");
                self.note(FlawKind::Contradiction, caller.part(), 0, detail);
            }
        }
    }
}

impl Visitor for Graphs {
    fn enter(&mut self, message: &'static Message) {
        if message.is(&schema::FUNCTION) {
            self.function = Some(Scope::of_function());
        } else if message.is(&schema::GRAPH) {
            self.graph = Scope::default();
        }
    }

    fn leave(&mut self, message: &'static Message) {
        if message.is(&schema::FUNCTION) {
            let Some(mut scope) = self.function.take() else {
                return;
            };
            for (node, at, detail) in scope.finish() {
                let part = node_part(Some(&scope.function), &node);
                // Still within it, for what is noted.
                self.function = Some(Scope::of_function());
                self.note(FlawKind::Contradiction, part, at, detail);
            }
            self.function = None;
        } else if message.is(&schema::GRAPH) {
            self.end_of_graph();
        }
    }

    fn item(&mut self, message: &'static Message, number: u32, item: Item) {
        let Item::Message(node) = item else { return };
        let is_function = message.is(&schema::FUNCTION);
        match number {
            1 if message.is(&schema::GRAPH) => self.node(&node),
            4 if message.is(&schema::GRAPH) => self.versions(&node),
            1 if is_function => self.signature(&node),
            3 if is_function => self.node(&node),
            4 if is_function => {
                if let Some(scope) = &mut self.function {
                    let pair = (node.text(1).to_owned(), node.text(2).to_owned());
                    scope.returned.push(pair);
                }
            }
            6 if is_function => {
                if let Some(scope) = &mut self.function {
                    let pair = (node.text(1).to_owned(), node.text(2).to_owned());
                    scope.acting.push(pair);
                }
            }
            _ => {}
        }
    }
}
