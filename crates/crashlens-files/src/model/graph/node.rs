//! One node: what goes in and comes out by its op's definition.

use crashlens_core::operations::{Argument, ArgumentType, OpDefinition};

use super::attributes::Attributes;

/// Types of tensors; `None` of one that is not known.
pub(super) type Types = Vec<Option<u64>>;

/// More tensors than that one node does not have.
const MOST_TENSORS: u64 = 100_000;
/// Types of references are those of values and this.
const REFERENCE: u64 = 100;

/// What goes in; `None` where it cannot be told how many there are.
pub(super) fn inputs(definition: &OpDefinition, attributes: &Attributes<'_>) -> Option<Types> {
    let mut types = Vec::new();
    for argument in &definition.inputs {
        types.extend(tensors(*argument, attributes)?);
    }
    Some(types)
}

/// What comes out, by the names of the outputs.
pub(super) fn outputs(
    definition: &OpDefinition,
    attributes: &Attributes<'_>,
) -> Option<Vec<(&'static str, Types)>> {
    let outputs = definition.outputs.iter();
    outputs
        .map(|argument| Some((argument.name, tensors(*argument, attributes)?)))
        .collect()
}

fn tensors(argument: Argument, attributes: &Attributes<'_>) -> Option<Types> {
    let of = match argument.of {
        ArgumentType::Fixed(number) => Some(number),
        ArgumentType::Attribute(name) => attributes.dtype(name),
        ArgumentType::List(name) => {
            return Some(attributes.dtypes(name)?.into_iter().map(Some).collect());
        }
    };
    let count = match argument.count {
        None => 1,
        Some(name) => attributes
            .number(name)
            .filter(|count| *count <= MOST_TENSORS)?,
    };
    Some(vec![of.map(|of| of % REFERENCE); count as usize])
}
