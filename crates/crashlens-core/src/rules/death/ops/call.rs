//! Words about the call that died, for the rules of this family.

use crate::capture::Signal;
use crate::culprit::is_interpreter;
use crate::facts::{Facts, NativeSight};

/// Who gave up: the op, the function, or the library.
pub(super) fn subject(facts: &Facts<'_>) -> String {
    let culprit = facts.culprit();
    if let Some(op) = &culprit.op {
        return format!("the op `{op}`");
    }
    if let Some(frame) = facts.op_function() {
        return format!("the op of `{}`", frame.function);
    }
    if let Some(function) = &culprit.function {
        return format!("`{}`", short(function));
    }
    match &culprit.library {
        Some(library) => format!("`{library}`"),
        None => "a library".to_owned(),
    }
}

/// Whether anything is known of who gave up.
pub(super) fn has_subject(facts: &Facts<'_>) -> bool {
    let culprit = facts.culprit();
    let is_known = culprit.op.is_some() || culprit.function.is_some() || culprit.library.is_some();
    is_known || facts.op_function().is_some()
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
    let name = name.unwrap_or(function);
    name.strip_suffix("::operator").unwrap_or(name).to_owned()
}

/// Where the user's own code made the call: "line 5 of train.py".
pub(super) fn line(facts: &Facts<'_>) -> Option<String> {
    let python = facts.culprit().python.as_ref()?;
    let file = python.file.rsplit('/').next().unwrap_or(&python.file);
    Some(format!("line {} of {file}", python.line?))
}

/// Whether the kernel is in a library that no package of TensorFlow brought.
pub(super) fn is_custom_op(facts: &Facts<'_>) -> bool {
    let Some(kernel) = facts.culprit().kernel.as_deref() else {
        // TensorFlow's own functions for ops are in files.
        return facts
            .op_function()
            .is_some_and(|frame| frame.file == "<string>");
    };
    let Some(sight) = facts.native_frames().find(|it| it.function() == kernel) else {
        return false;
    };
    let library = sight.library();
    let is_named = ["libtensorflow", "_pywrap_tensorflow"]
        .iter()
        .any(|it| library.starts_with(it));
    let path = sight.frame.path.as_deref().unwrap_or_default();
    let module = facts.modules().find(|module| module.path == path);
    let package = module.and_then(|module| module.package.as_ref());
    let is_packaged = path.contains("-packages/tensorflow/")
        || package.is_some_and(|it| it.name.starts_with("tensorflow") || it.name.starts_with("tf"));
    !library.is_empty() && !is_named && !is_packaged
}

/// The function by which the interpreter itself ended the process, where it did: whatever was printed before, no
/// library gave up.
pub(super) fn ended_by_interpreter<'a>(facts: &Facts<'a>) -> Option<NativeSight<'a>> {
    let function = facts.culprit().function.as_deref()?;
    facts
        .native_frames()
        .find(|it| it.function() == function)
        .filter(|it| facts.died_of(Signal::ABRT) && is_interpreter(it.frame))
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
            (
                "tensorflow::functor::ApplyAdam<Eigen::GpuDevice, float>::operator()(int)",
                "tensorflow::functor::ApplyAdam",
            ),
            ("abort", "abort"),
            ("", ""),
        ];
        for (function, wanted) in cases {
            assert_eq!(short(function), wanted);
        }
    }
}
