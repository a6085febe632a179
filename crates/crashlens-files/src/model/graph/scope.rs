//! The nodes of one graph or one function, and whether what they take in is there.

use std::collections::HashMap;

use super::node::Types;
use crate::model::dtype;

/// Of more nodes the names are not kept, and nothing is said of their inputs.
const MOST_NODES: usize = 400_000;
/// So many inputs may wait for a node that comes later.
const MOST_WAITING: usize = 400_000;

/// What comes out of a node; `None` where that cannot be told.
pub(super) type Outputs = Option<Vec<(&'static str, Types)>>;

/// One graph, or one function.
#[derive(Default)]
pub(super) struct Scope {
    /// Name of the function; empty for the graph.
    pub(super) function: String,
    nodes: HashMap<String, Outputs>,
    /// Types of a function's arguments.
    arguments: HashMap<String, Types>,
    waiting: Vec<Wanted>,
    is_overfull: bool,
    pub(super) returned: Vec<(String, String)>,
    pub(super) outputs: Vec<String>,
    /// Names under which nodes that only act are listed, and those nodes.
    pub(super) acting: Vec<(String, String)>,
    pub(super) controls: Vec<String>,
}

/// An input that a node takes.
struct Wanted {
    by: String,
    at: u64,
    input: String,
    place: usize,
    dtype: Option<u64>,
}

/// Something wrong, with the byte of the node it is wrong with.
pub(super) type Complaint = (String, u64, String);

/// Where an input comes from.
struct Origin<'a> {
    node: &'a str,
    /// Name of an output, in functions.
    output: Option<&'a str>,
    index: usize,
    is_control: bool,
}

impl Scope {
    pub(super) fn of_function() -> Self {
        Self {
            function: "?".to_owned(),
            ..Self::default()
        }
    }

    fn is_function(&self) -> bool {
        !self.function.is_empty()
    }

    pub(super) fn argument(&mut self, name: &str, types: Types) {
        self.arguments.insert(name.to_owned(), types);
    }

    /// Takes in a node; `false` where there is one of that name already.
    pub(super) fn add(&mut self, name: &str, outputs: Outputs) -> bool {
        if self.nodes.len() >= MOST_NODES {
            self.is_overfull = true;
            return true;
        }
        self.nodes.insert(name.to_owned(), outputs).is_none()
    }

    /// Notes what a node takes in; what can be told already is told.
    pub(super) fn wants(
        &mut self,
        by: &str,
        at: u64,
        inputs: &[&str],
        types: Option<&Types>,
    ) -> Option<String> {
        let data = inputs
            .iter()
            .take_while(|input| !input.starts_with('^'))
            .count();
        if inputs
            .iter()
            .skip(data)
            .any(|input| !input.starts_with('^'))
        {
            return Some("an input follows one that only orders".to_owned());
        }
        if let Some(types) = types
            && types.len() != data
        {
            return Some(format!(
                "it has {data} inputs where its op takes {}",
                types.len()
            ));
        }
        for (place, input) in inputs.iter().enumerate() {
            if self.waiting.len() >= MOST_WAITING {
                self.is_overfull = true;
                break;
            }
            let dtype = types.and_then(|types| types.get(place).copied().flatten());
            let wanted = Wanted {
                by: by.to_owned(),
                at,
                input: (*input).to_owned(),
                place,
                dtype,
            };
            match self.look(&wanted) {
                Ok(true) => {}
                Ok(false) => self.waiting.push(wanted),
                Err(detail) => return Some(detail),
            }
        }
        None
    }

    /// What is still missing when all nodes are known.
    pub(super) fn finish(&mut self) -> Vec<Complaint> {
        if self.is_overfull {
            return Vec::new();
        }
        let mut complaints = Vec::new();
        for wanted in std::mem::take(&mut self.waiting) {
            let detail = match self.look(&wanted) {
                Ok(true) => continue,
                Ok(false) => format!("its input {:?} is nowhere", wanted.input),
                Err(detail) => detail,
            };
            complaints.push((wanted.by, wanted.at, detail));
        }
        let returned = std::mem::take(&mut self.returned);
        for (output, from) in &returned {
            let wanted = Wanted {
                by: output.clone(),
                at: 0,
                input: from.clone(),
                place: 0,
                dtype: None,
            };
            if self.look(&wanted) != Ok(true) {
                let detail = format!("its result {output} is to be {from:?}, which is nowhere");
                complaints.push((self.function.clone(), 0, detail));
            }
        }
        for output in &self.outputs {
            if returned.iter().all(|(name, _)| name != output) {
                let detail = format!("nothing says what its result {output} is");
                complaints.push((self.function.clone(), 0, detail));
            }
        }
        for name in &self.controls {
            let node = self.acting.iter().rev().find(|(known, _)| known == name);
            if node.is_none_or(|(_, node)| !self.nodes.contains_key(node)) {
                let detail = format!("{name:?} is to run, and there is no such node");
                complaints.push((self.function.clone(), 0, detail));
            }
        }
        complaints
    }

    pub(super) fn has(&self, node: &str) -> bool {
        self.is_overfull || self.nodes.contains_key(node)
    }

    /// Whether an input is there: `Ok(false)` where its node is not known yet.
    fn look(&self, wanted: &Wanted) -> Result<bool, String> {
        let origin = self.origin(&wanted.input);
        if self.is_function()
            && !origin.is_control
            && let Some(types) = self.arguments.get(origin.node)
        {
            let index = if origin.output.is_some() {
                0
            } else {
                origin.index
            };
            return agree(wanted, types.get(index).copied().flatten());
        }
        let Some(outputs) = self.nodes.get(origin.node) else {
            return Ok(false);
        };
        let Some(outputs) = outputs.as_ref().filter(|_| !origin.is_control) else {
            return Ok(true);
        };
        let nothing = || {
            format!(
                "its input {:?} is no output of {}",
                wanted.input, origin.node
            )
        };
        let found = match origin.output {
            Some(name) => {
                let types = outputs.iter().find(|(known, _)| *known == name);
                types.and_then(|(_, types)| types.get(origin.index))
            }
            None => outputs
                .iter()
                .flat_map(|(_, types)| types)
                .nth(origin.index),
        };
        agree(wanted, *found.ok_or_else(nothing)?)
    }

    /// `node:0` in graphs, `node:output:0` in functions.
    fn origin<'a>(&self, input: &'a str) -> Origin<'a> {
        let (input, is_control) = match input.strip_prefix('^') {
            Some(input) => (input, true),
            None => (input, false),
        };
        let mut origin = Origin {
            node: input,
            output: None,
            index: 0,
            is_control,
        };
        let Some((front, last)) = input.rsplit_once(':').filter(|_| !is_control) else {
            return origin;
        };
        if let Ok(index) = last.parse() {
            (origin.node, origin.index) = (front, index);
            if self.is_function()
                && let Some((node, output)) = front.rsplit_once(':')
            {
                (origin.node, origin.output) = (node, Some(output));
            }
        } else if self.is_function() {
            (origin.node, origin.output) = (front, Some(last));
        }
        origin
    }
}

fn agree(wanted: &Wanted, is: Option<u64>) -> Result<bool, String> {
    match (wanted.dtype, is) {
        (Some(wants), Some(is)) if wants != is => Err(format!(
            "its input {} is {} from {:?}, and must be {}",
            wanted.place,
            dtype::name(is),
            wanted.input,
            dtype::name(wants)
        )),
        _ => Ok(true),
    }
}
