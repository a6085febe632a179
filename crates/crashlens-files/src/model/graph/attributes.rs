//! The attributes of a node, against what its op has.

use crashlens_core::operations::{Attribute, OpDefinition};

use super::words;
use crate::model::dtype;
use crate::model::proto::Node;

/// Fields of `AttrValue`, and the kind of attribute that has each.
const KINDS: [(u32, char, &str); 8] = [
    (2, 's', "string"),
    (3, 'i', "int"),
    (4, 'f', "float"),
    (5, 'b', "bool"),
    (6, 't', "type"),
    (7, 'h', "shape"),
    (8, 'n', "tensor"),
    (10, 'F', "func"),
];
const LIST: u32 = 1;
const PLACEHOLDER: u32 = 9;

/// The attributes of one node.
pub(super) struct Attributes<'a>(Vec<(&'a str, Option<&'a Node>)>);

impl<'a> Attributes<'a> {
    /// Those of a `NodeDef`.
    pub(super) fn of(node: &'a Node) -> Self {
        let entries = node.messages(5);
        Self(
            entries
                .map(|entry| (entry.text(1), entry.message(2)))
                .collect(),
        )
    }

    /// The value of one; of two with the same name the last counts.
    pub(super) fn get(&self, name: &str) -> Option<&'a Node> {
        let found = self.0.iter().rev().find(|(known, _)| *known == name);
        found.and_then(|(_, value)| *value)
    }

    pub(super) fn dtype(&self, name: &str) -> Option<u64> {
        self.get(name)?.number(6)
    }

    pub(super) fn dtypes(&self, name: &str) -> Option<Vec<u64>> {
        let value = self.get(name)?;
        if is_placeholder(value) {
            return None;
        }
        Some(
            value
                .message(LIST)
                .map_or_else(Vec::new, |list| list.numbers(6)),
        )
    }

    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.number(3)
    }

    /// Functions that the node calls.
    pub(super) fn functions(&self) -> impl Iterator<Item = &'a str> + '_ {
        let values = self.0.iter().filter_map(|(_, value)| *value);
        values.flat_map(|value| {
            let one = value.message(10).into_iter();
            let list = value.message(LIST).into_iter();
            one.chain(list.flat_map(|list| list.messages(9)))
                .map(|function| function.text(1))
        })
    }

    /// What TensorFlow refuses in them.
    pub(super) fn fault(&self, definition: &OpDefinition, op: &str) -> Option<String> {
        for attribute in &definition.attributes {
            let is_there = self.0.iter().any(|(name, _)| *name == attribute.name);
            if !is_there && !attribute.has_default {
                return Some(format!(
                    "it has no attribute {}, which {op} needs",
                    attribute.name
                ));
            }
        }
        for (name, value) in &self.0 {
            // Those of the runtime begin with an underscore, and are not checked.
            if name.starts_with('_') {
                if *name == "_output_shapes"
                    && let Some(fault) = value.and_then(shapes)
                {
                    return Some(format!("its attribute {name}: {fault}"));
                }
                continue;
            }
            // TensorFlow drops what the op has not.
            let Some(attribute) = definition.attribute(name) else {
                continue;
            };
            let fault = of_value(attribute, *value).or_else(|| words::fault(op, name, *value));
            if let Some(fault) = fault {
                return Some(format!("its attribute {name}: {fault}"));
            }
        }
        None
    }
}

fn is_placeholder(value: &Node) -> bool {
    value.present().last() == Some(PLACEHOLDER)
}

fn of_value(attribute: &Attribute, value: Option<&Node>) -> Option<String> {
    let wanted = KINDS.iter().find(|(_, kind, _)| *kind == attribute.kind)?;
    let list_of = if attribute.is_list {
        "a list of "
    } else {
        "a "
    };
    let Some((value, set)) = value.and_then(|value| Some((value, value.present().last()?))) else {
        // An empty list may be written as nothing.
        return (!attribute.is_list)
            .then(|| format!("it has no value where {list_of}{} is needed", wanted.2));
    };
    if set == PLACEHOLDER {
        return None;
    }
    let field = if attribute.is_list { LIST } else { wanted.0 };
    if set != field {
        let kind = KINDS.iter().find(|(known, ..)| *known == set);
        let is = kind.map_or("a list", |(_, _, name)| *name);
        return Some(format!("it is {is} where {list_of}{} is needed", wanted.2));
    }
    if attribute.is_list {
        let list = value.message(LIST)?;
        // Within a list functions have another number.
        let field = if wanted.0 == 10 { 9 } else { wanted.0 };
        if list.present().any(|present| present != field) {
            return Some(format!("it is a list of others than {}", wanted.2));
        }
    }
    match attribute.kind {
        't' => types(attribute, value),
        'h' => shapes(value),
        _ => None,
    }
}

fn types(attribute: &Attribute, value: &Node) -> Option<String> {
    let types = match value.message(LIST) {
        Some(list) if attribute.is_list => list.numbers(6),
        _ => value.number(6).into_iter().collect(),
    };
    types.into_iter().find_map(|number| {
        if !dtype::is_known(number) {
            Some(format!("there is no type {number}"))
        } else if !attribute.allowed.is_empty() && !attribute.allowed.contains(&number) {
            Some(format!(
                "{} is not among the types it may be",
                dtype::name(number)
            ))
        } else {
            None
        }
    })
}

fn shapes(value: &Node) -> Option<String> {
    let list = value
        .message(LIST)
        .into_iter()
        .flat_map(|list| list.messages(7));
    let mut shapes = value.messages(7).chain(list);
    shapes.find_map(|shape| {
        let sizes = shape
            .messages(2)
            .map(|dimension| dimension.number(1).unwrap_or(0) as i64);
        let bad = sizes.into_iter().find(|size| *size < -1)?;
        Some(format!("a size of its shape is {bad}"))
    })
}
