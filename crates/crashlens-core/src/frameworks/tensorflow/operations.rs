//! The ops that TensorFlow registers: which versions have them, what goes in, what comes out, which attributes.
//!
//! World facts, made by `data/tensorflow/collect_definitions.py` from installed versions.

use std::collections::HashMap;
use std::sync::LazyLock;

const TEXT: &str = include_str!("../../../data/tensorflow/op_definitions.txt");

/// What TensorFlow registers of an op.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpDefinition {
    versions: u32,
    /// What goes in.
    pub inputs: Vec<Argument>,
    /// What comes out.
    pub outputs: Vec<Argument>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
}

/// An input or output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// Its name; inputs have none here.
    pub name: &'static str,
    /// The attribute that says how many tensors it is, where it may be several.
    pub count: Option<&'static str>,
    /// Where its type comes from.
    pub of: ArgumentType,
}

/// Where the type of an input or output comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentType {
    /// Always this type.
    Fixed(u64),
    /// That of an attribute.
    Attribute(&'static str),
    /// Those of an attribute, one tensor each.
    List(&'static str),
}

/// An attribute of an op.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: &'static str,
    /// `t` of a type, `i` of an integer, `s`, `f`, `b`, `h` (shape), `n` (tensor), `F` (function).
    pub kind: char,
    /// Whether it is a list of them.
    pub is_list: bool,
    /// Whether it may be left out.
    pub has_default: bool,
    /// The only types it may have; all where there are none.
    pub allowed: Vec<u64>,
}

struct Book {
    versions: Vec<&'static str>,
    ops: HashMap<&'static str, OpDefinition>,
}

static BOOK: LazyLock<Book> = LazyLock::new(|| {
    let mut book = Book {
        versions: Vec::new(),
        ops: HashMap::new(),
    };
    for line in TEXT.lines().filter(|line| !line.starts_with('#')) {
        if let Some(versions) = line.strip_prefix("versions ") {
            book.versions = versions.split(' ').collect();
        } else if let Some((name, definition)) = parsed(line) {
            book.ops.insert(name, definition);
        }
    }
    book
});

/// What is registered under a name, by any version that is known here.
pub fn definition(name: &str) -> Option<&'static OpDefinition> {
    BOOK.ops.get(name)
}

/// The versions of TensorFlow whose ops are known here, the oldest first.
pub fn known_versions() -> &'static [&'static str] {
    &BOOK.versions
}

impl OpDefinition {
    /// The versions that have it, the oldest first.
    pub fn versions(&self) -> impl Iterator<Item = &'static str> {
        let bits = self.versions;
        let versions = BOOK.versions.iter().enumerate();
        versions
            .filter(move |(bit, _)| bits >> bit & 1 == 1)
            .map(|(_, version)| *version)
    }

    /// One of its attributes.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
    }
}

fn parsed(line: &'static str) -> Option<(&'static str, OpDefinition)> {
    let mut words = line.split('\t');
    let name = words.next()?;
    let versions = u32::from_str_radix(words.next()?, 16).ok()?;
    let inputs = blanks(words.next()?).map(|word| argument("", word));
    let outputs = blanks(words.next()?).map(|word| {
        let (name, of) = word.split_once('/').unwrap_or(("", word));
        argument(name, of)
    });
    let attributes = blanks(words.next()?).filter_map(attribute);
    let definition = OpDefinition {
        versions,
        inputs: inputs.collect(),
        outputs: outputs.collect(),
        attributes: attributes.collect(),
    };
    Some((name, definition))
}

fn blanks(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split(' ').filter(|word| !word.is_empty())
}

fn argument(name: &'static str, word: &'static str) -> Argument {
    let word = word.trim_start_matches('&');
    let (count, of) = match word.split_once('*') {
        Some((count, of)) => (Some(count), of),
        None => (None, word),
    };
    let of = if let Some(number) = of.strip_prefix('=') {
        ArgumentType::Fixed(number.parse().unwrap_or(0))
    } else if let Some(list) = of.strip_prefix('@') {
        ArgumentType::List(list)
    } else {
        ArgumentType::Attribute(of)
    };
    Argument { name, count, of }
}

fn attribute(word: &'static str) -> Option<Attribute> {
    let (name, kind) = word.split_once(':')?;
    let (kind, allowed) = match kind.split_once('{') {
        Some((kind, allowed)) => (kind, allowed.trim_end_matches('}')),
        None => (kind, ""),
    };
    let has_default = kind.ends_with('?');
    let kind = kind.trim_end_matches('?');
    Some(Attribute {
        name,
        kind: kind.chars().next_back()?,
        is_list: kind.starts_with('L'),
        has_default,
        allowed: allowed
            .split(',')
            .filter_map(|number| number.parse().ok())
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_has_what_tensorflow_registers() {
        let product = definition("MatMul").expect("MatMul");
        assert_eq!(product.inputs.len(), 2);
        assert_eq!(product.outputs[0].name, "product");
        assert_eq!(product.outputs[0].of, ArgumentType::Attribute("T"));
        let of = product.attribute("T").expect("T");
        assert!(of.kind == 't' && !of.has_default && of.allowed.contains(&1));
        assert!(
            product
                .attribute("transpose_a")
                .is_some_and(|of| of.has_default)
        );
        let join = definition("ConcatV2").expect("ConcatV2");
        assert_eq!(join.inputs[0].count, Some("N"));
    }

    #[test]
    fn every_line_is_read_and_names_versions() {
        let lines = TEXT.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(BOOK.ops.len() + 1, lines);
        assert!(known_versions().len() > 3);
        assert!(BOOK.ops.values().all(|op| op.versions().count() > 0));
    }
}
