//! Words about the call that died, for the rules of this family.

use crate::facts::{Argument, Facts};
use crate::rule::{Remedy, Suspicion};

/// Arguments that a remedy names.
const MOST_NAMED: usize = 2;

/// Who gave up: the op, the function, or the library.
pub(super) fn subject(facts: &Facts<'_>) -> String {
    let culprit = facts.culprit();
    if let Some(op) = &culprit.op {
        return format!("the op `{op}`");
    }
    if let Some(function) = &culprit.function {
        return format!("`{}`", short(function));
    }
    match &culprit.library {
        Some(library) => format!("`{library}`"),
        None => "a library".to_owned(),
    }
}

/// A function without its parameters and template arguments.
pub(super) fn short(function: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::new();
    for c in function.replace("(anonymous namespace)::", "").chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => break,
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    // A return type, as templates have it, stands before the name.
    let name = kept.rsplit(' ').find(|part| !part.is_empty());
    name.unwrap_or(function).to_owned()
}

/// With a capital at its beginning.
pub(super) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// Where the user's own code made the call: "line 5 of train.py".
pub(super) fn line(facts: &Facts<'_>) -> Option<String> {
    let python = facts.culprit().python.as_ref()?;
    let file = python.file.rsplit('/').next().unwrap_or(&python.file);
    Some(format!("line {} of {file}", python.line?))
}

/// Whether the kernel, or the function at fault, is neither TensorFlow's nor the interpreter's own.
pub(super) fn is_custom_op(facts: &Facts<'_>) -> bool {
    let Some(kernel) = facts.culprit().kernel.as_deref() else {
        return false;
    };
    facts
        .native_frames()
        .find(|sight| sight.function() == kernel)
        .is_some_and(|sight| {
            let library = sight.library();
            !library.is_empty()
                && !library.starts_with("libtensorflow")
                && !library.starts_with("_pywrap_tensorflow")
        })
}

/// The suspicion with what stands out in the call, as evidence and as things to change.
pub(super) fn with_arguments(mut suspicion: Suspicion, facts: &Facts<'_>) -> Suspicion {
    use crate::evidence::Weight;

    let arguments = facts.suspicious_arguments();
    for argument in arguments.iter().take(MOST_NAMED) {
        let claim = format!("{}.", sentence(&argument.what));
        suspicion = suspicion.supported(Weight::Weak, argument.fact.clone(), claim);
    }
    match change(facts, &arguments) {
        Some(remedy) => suspicion.remedy(remedy),
        None => suspicion,
    }
}

/// "Change `x` in line 12 of train.py: `x` is 2147483647."
fn change(facts: &Facts<'_>, arguments: &[Argument<'_>]) -> Option<Remedy> {
    let named: Vec<&Argument<'_>> = arguments
        .iter()
        .filter(|it| it.of_op)
        .take(MOST_NAMED)
        .collect();
    if named.is_empty() {
        return None;
    }
    let names: Vec<String> = named.iter().map(|it| format!("`{}`", it.name)).collect();
    let values: Vec<&str> = named.iter().map(|it| it.what.as_str()).collect();
    let place = line(facts).map_or_else(String::new, |line| format!(" in {line}"));
    Some(Remedy::new(format!(
        "Change {}{place}: {}.",
        names.join(" or "),
        values.join(", ")
    )))
}

/// The advice, at the place of the call.
pub(super) fn advise(suspicion: Suspicion, facts: &Facts<'_>, advice: Option<&str>) -> Suspicion {
    let Some(advice) = advice else {
        return suspicion;
    };
    let action = match line(facts) {
        Some(line) => format!("At {line}: {advice}"),
        None => advice.to_owned(),
    };
    suspicion.remedy(Remedy::new(action))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_short_without_its_parameters() {
        let cases = [
            (
                "tensorflow::Tensor::Slice(long, long) const",
                "tensorflow::Tensor::Slice",
            ),
            (
                "tensorflow::TensorShapeBase<tensorflow::TensorShape>::AddDim(long)",
                "tensorflow::TensorShapeBase::AddDim",
            ),
            (
                "void pybind11::detail::call<int (*)(int)>(int)",
                "pybind11::detail::call",
            ),
            (
                "tensorflow::(anonymous namespace)::Run()",
                "tensorflow::Run",
            ),
            ("abort", "abort"),
            ("", ""),
        ];
        for (function, wanted) in cases {
            assert_eq!(short(function), wanted);
        }
    }
}
