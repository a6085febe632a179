//! Goes through a `SavedModel`: graphs, signatures, assets, objects.

use std::collections::BTreeMap;

use crashlens_core::files::{FlawKind, ModelFacts, Part, Signature};

use super::{signature, structure};
use crate::model::graph::{Found, Graphs, device};
use crate::model::proto::{Item, Message, Node, Visitor};
use crate::model::schema;

/// So many objects, signatures and assets are kept.
const MOST: usize = 200_000;

/// An object that is saved.
#[derive(Debug, Default, Clone)]
pub(super) struct Object {
    /// Name and number of its parts.
    pub(super) children: Vec<(String, u64)>,
    /// Type and shape, where it is a variable.
    pub(super) variable: Option<(u64, Vec<i64>)>,
}

#[derive(Default)]
pub(super) struct SavedModel {
    pub(super) graphs: Graphs,
    pub(super) meta_graphs: u64,
    /// Files in `assets/`.
    pub(super) assets: Vec<String>,
    pub(super) has_objects: bool,
    pub(super) objects: Vec<Object>,
    signatures: BTreeMap<String, Node>,
    version: Option<String>,
    /// Function, and what needs it.
    functions: Vec<(String, Part)>,
    /// Number of an object, and what names it.
    named: Vec<(u64, &'static str)>,
    /// Constants of the graph that objects are.
    constants: Vec<String>,
    tags: Vec<Vec<String>>,
    /// What is wrong with the graph that the signatures go through.
    behind: Option<String>,
    /// Numbers of files that objects are.
    files: Vec<u64>,
}

impl SavedModel {
    /// What can only be told when all was read.
    pub(super) fn conclude(&mut self) {
        let count = self.objects.len();
        self.graphs.is_idle = self.has_objects;
        for name in std::mem::take(&mut self.constants) {
            if !self.graphs.has_node(&name) {
                let detail = format!("an object is the constant {name:?}, which is nowhere");
                self.note(detail);
            }
        }
        self.tags.sort();
        if self.tags.windows(2).any(|pair| pair.first() == pair.last()) {
            self.note("two of its graphs have the same tags: it is there twice".to_owned());
        }
        for (function, by) in std::mem::take(&mut self.functions) {
            if !self.graphs.functions.contains(&function) {
                let detail = format!("the function {function:?} is not in the library");
                self.graphs.note(FlawKind::Contradiction, by, 0, detail);
            }
        }
        if count < MOST {
            for (number, by) in std::mem::take(&mut self.named) {
                if number >= count as u64 {
                    let detail = format!("{by} names object {number}, and there are {count}");
                    self.graphs
                        .note(FlawKind::Contradiction, Part::SavedObjects, 0, detail);
                }
            }
        }
        for number in std::mem::take(&mut self.files) {
            if number >= self.assets.len() as u64 {
                let detail = format!(
                    "an object is file {number}, and {} are named",
                    self.assets.len()
                );
                self.graphs
                    .note(FlawKind::Contradiction, Part::SavedObjects, 0, detail);
            }
        }
    }

    fn note(&mut self, detail: String) {
        self.graphs
            .note(FlawKind::Contradiction, Part::SavedObjects, 0, detail);
    }

    /// What is wrong with it. Where functions are saved, TensorFlow does not look at the nodes outside of them.
    pub(super) fn take_found(&mut self) -> Vec<Found> {
        let found = self.graphs.take_found().into_iter();
        let (real, idle): (Vec<Found>, Vec<Found>) = found.partition(|found| {
            !self.has_objects || found.is_in_function || found.part.id != Part::Node
        });
        self.behind = idle
            .first()
            .map(|found| format!("{}: {}", found.part, found.detail));
        real
    }

    pub(super) fn into_facts(self) -> ModelFacts {
        let signatures: Vec<Signature> = self
            .signatures
            .iter()
            .map(|(name, signature)| Signature {
                name: name.clone(),
                fault: signature::fault(signature, &self.graphs).or_else(|| {
                    let has_tensors = signature.messages(2).next().is_some();
                    self.behind.clone().filter(|_| has_tensors)
                }),
                is_called_by_name: !self.has_objects,
            })
            .collect();
        let mut facts = self.graphs.into_model();
        facts.producer = Some("tensorflow".to_owned());
        facts.producer_version = self.version;
        facts.signatures = signatures;
        facts
    }

    fn meta_item(&mut self, number: u32, node: &Node) {
        match number {
            1 => {
                let version = node.text(5);
                if !version.is_empty() {
                    self.version = Some(version.to_owned());
                }
                let mut tags: Vec<String> = node.texts(4).map(str::to_owned).collect();
                tags.sort();
                self.tags.push(tags);
            }
            5 if self.signatures.len() < MOST => {
                let signature = node.message(2).cloned().unwrap_or_default();
                self.signatures.insert(node.text(1).to_owned(), signature);
            }
            6 if self.assets.len() < MOST => self.assets.push(node.text(2).to_owned()),
            _ => {}
        }
    }

    fn object(&mut self, node: &Node) {
        if self.objects.len() >= MOST {
            return;
        }
        let mut object = Object::default();
        for child in node.messages(1) {
            let number = child.number(1).unwrap_or(0);
            self.named.push((number, "a part"));
            object.children.push((child.text(2).to_owned(), number));
        }
        for slot in node.messages(3) {
            self.named.push((slot.number(1).unwrap_or(0), "a slot"));
            self.named.push((slot.number(3).unwrap_or(0), "a slot"));
        }
        for (number, place) in [(7, 7), (10, 1)] {
            let place = node.message(number).map_or("", |inner| inner.text(place));
            if !device::is_valid(place) {
                self.note(format!(
                    "an object is to be at {place:?}, which is no place"
                ));
            }
        }
        if let Some(constant) = node.message(9) {
            self.constants.push(constant.text(1).to_owned());
        }
        if let Some(name) = structure::bad_name(node) {
            self.note(format!(
                "a field of a structure is named {name:?}, which Python refuses"
            ));
        }
        if let Some(fault) = structure::fault(node) {
            self.note(fault);
        }
        self.functions_of(node);
        object.variable = node.message(7).and_then(variable);
        self.objects.push(object);
    }

    /// Files and functions that an object is or has.
    fn functions_of(&mut self, node: &Node) {
        if let Some(asset) = node.message(5) {
            self.files.push(asset.number(1).unwrap_or(0));
        }
        if let Some(function) = node.message(6) {
            for name in function.texts(1) {
                self.functions.push((name.to_owned(), Part::SavedFunction));
            }
        }
        if let Some(function) = node.message(8) {
            let name = function.text(1).to_owned();
            self.functions.push((name, Part::SavedFunction));
        }
    }

    fn concrete(&mut self, entry: &Node) {
        self.functions
            .push((entry.text(1).to_owned(), Part::SavedFunctions));
        if let Some(function) = entry.message(2) {
            for number in function.numbers(2) {
                self.named.push((number, "a function"));
            }
        }
    }
}

impl Visitor for SavedModel {
    fn enter(&mut self, message: &'static Message) {
        if message.is(&schema::META_GRAPH) {
            self.meta_graphs += 1;
        } else if message.is(&schema::OBJECTS) {
            self.has_objects = true;
        }
        self.graphs.enter(message);
    }

    fn leave(&mut self, message: &'static Message) {
        self.graphs.leave(message);
    }

    fn item(&mut self, message: &'static Message, number: u32, item: Item) {
        if message.is(&schema::META_GRAPH) {
            if let Item::Message(node) = item {
                self.meta_item(number, &node);
            }
        } else if message.is(&schema::OBJECTS) {
            match (number, item) {
                (1, Item::Message(node)) => self.object(&node),
                (2, Item::Message(node)) => self.concrete(&node),
                _ => {}
            }
        } else {
            self.graphs.item(message, number, item);
        }
    }
}

/// Type and shape of a `SavedVariable`, where its rank is known.
fn variable(variable: &Node) -> Option<(u64, Vec<i64>)> {
    let shape = variable.message(2);
    if shape.is_some_and(|shape| shape.number(3) == Some(1)) {
        return None;
    }
    let sizes = shape.into_iter().flat_map(|shape| shape.messages(2));
    let sizes = sizes.map(|size| size.number(1).unwrap_or(0) as i64);
    Some((variable.number(1).unwrap_or(0), sizes.collect()))
}
