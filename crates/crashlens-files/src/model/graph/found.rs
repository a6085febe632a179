//! What is noted of graphs while they are gone through.

use crashlens_core::files::{FlawKind, NamedPart, Part};

/// Something wrong with a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::model) struct Found {
    pub(in crate::model) kind: FlawKind,
    pub(in crate::model) part: NamedPart,
    pub(in crate::model) at: Option<u64>,
    pub(in crate::model) detail: String,
    /// Whether it is in a function; else it is in the graph itself.
    pub(in crate::model) is_in_function: bool,
}

/// A node that calls a function.
pub(super) struct Caller {
    pub(super) node: String,
    /// The function that it is in.
    pub(super) within: Option<String>,
}

impl Caller {
    pub(super) fn part(&self) -> NamedPart {
        node_part(self.within.as_deref(), &self.node)
    }
}

/// A node, and the function that it is in.
pub(super) fn node_part(function: Option<&str>, node: &str) -> NamedPart {
    let node = Part::Node.number(node);
    match function {
        Some(function) => Part::Function.number(function).then(node),
        None => node,
    }
}

/// A constant whose values are in the file as they are in memory.
pub(in crate::model) struct Stored {
    /// Which of the tensors.
    pub(in crate::model) tensor: usize,
    pub(in crate::model) dtype: u64,
    pub(in crate::model) at: u64,
    pub(in crate::model) length: u64,
}

/// A node that values are fed into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::model) struct Placeholder {
    pub(in crate::model) dtype: u64,
    /// `None` of unknown rank.
    pub(in crate::model) shape: Option<Vec<i64>>,
}

/// Letters, digits and dots first; then also `_ - / \ >`.
pub(super) fn is_valid_name(name: &str) -> bool {
    let mut letters = name.chars();
    let first = letters.next();
    let is_good = |letter: char| letter.is_ascii_alphanumeric() || "._-/\\>".contains(letter);
    // Names of the runtime's own nodes begin with an underscore.
    first.is_some_and(|first| first.is_ascii_alphanumeric() || first == '.' || first == '_')
        && letters.all(is_good)
}
