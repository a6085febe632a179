//! The structures that functions take and give: tuples whose fields have names.

use crate::model::dtype;
use crate::model::proto::Node;

/// Words that no name may be.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];
/// Fields of the tuple that describes the arguments of a function (`inspect.FullArgSpec`), as far as they are asked for.
const SPECIFICATION: [&str; 7] = [
    "args",
    "varargs",
    "varkw",
    "defaults",
    "kwonlyargs",
    "kwonlydefaults",
    "annotations",
];
/// Structures in structures are followed so far.
const DEEPEST: usize = 60;

/// The first name in the structures of a saved function that Python does not take for a field.
pub(super) fn bad_name(object: &Node) -> Option<String> {
    let specs = object.message(6).into_iter().chain(object.message(8));
    let specs = specs.flat_map(|function| function.messages(2).chain(function.messages(4)));
    let mut values = specs.flat_map(|spec| spec.messages(1).chain(spec.messages(5)));
    values.find_map(|value| in_value(value, DEEPEST))
}

/// What else is wrong with the structures of a saved function or the type of a variable.
pub(super) fn fault(object: &Node) -> Option<String> {
    let variable = object
        .message(7)
        .map(|variable| variable.number(1).unwrap_or(0));
    if let Some(number) = variable.filter(|number| !dtype::is_known(*number)) {
        return Some(format!(
            "a variable is of type {number}, which there is not"
        ));
    }
    let specs = object.message(6).into_iter().chain(object.message(8));
    let mut specs = specs.flat_map(|function| function.messages(2).chain(function.messages(4)));
    specs.find_map(|spec| {
        let arguments = spec.message(1)?.message(54)?;
        let lacking = SPECIFICATION
            .iter()
            .find(|name| arguments.messages(2).all(|pair| pair.text(1) != **name))?;
        Some(format!(
            "the arguments of a saved function have no field {lacking:?}"
        ))
    })
}

/// In a `StructuredValue`.
pub(super) fn in_value(value: &Node, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let lists = value.messages(51).chain(value.messages(52));
    let listed = lists.flat_map(|list| list.messages(1));
    let fields = value.messages(53).flat_map(|pairs| pairs.messages(1));
    let fields = fields.filter_map(|pair| pair.message(2));
    let tuples = || value.messages(54);
    let named = || tuples().flat_map(|tuple| tuple.messages(2));
    let states = value.messages(34).filter_map(|of| of.message(2));
    let bad = tuples()
        .map(|tuple| tuple.text(1))
        .chain(named().map(|pair| pair.text(1)))
        .find(|name| !is_identifier(name));
    if let Some(bad) = bad {
        return Some(bad.to_owned());
    }
    let inner = listed
        .chain(fields)
        .chain(named().filter_map(|pair| pair.message(2)))
        .chain(states);
    inner.into_iter().find_map(|value| in_value(value, depth))
}

fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
        && !KEYWORDS.contains(&name)
}
