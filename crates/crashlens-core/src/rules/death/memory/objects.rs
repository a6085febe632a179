//! Faults on memory that Python took for an object.

use crate::capture::{AccessKind, Place};
use crate::culprit::{is_interpreter, is_machinery_frame};
use crate::evidence::FactRef;
use crate::facts::fault::short_name;
use crate::facts::foreign::works_on_object;
use crate::facts::{Facts, NativeSight};

/// An object begins with its count, its type and, where it has one, its size.
const HEADER: u64 = 24;

/// No type is below.
const FIRST_PAGE: u64 = 4096;

/// The small number, mostly 0, that stood where Python asked an object for its type. An object that is not there itself
/// would have been read at its header; and functions that take no object whatever may have another pointer that is 0.
pub(super) fn small_type(facts: &Facts<'_>) -> Option<u64> {
    let asks_type = |sight: &NativeSight<'_>| {
        let name = short_name(sight.function());
        works_on_object(sight) && name.trim_start_matches('_').starts_with("PyObject_")
    };
    facts.frames_at_fault().next().filter(asks_type)?;
    let is_slot = matches!(facts.place(), Some(Place::NullPage { offset }) if *offset >= HEADER);
    let access = facts
        .access()
        .filter(|it| is_slot && it.kind == AccessKind::Read)?;
    let base = access.base.as_ref()?.value.0;
    (base < FIRST_PAGE).then_some(base)
}

/// Python's own functions meet a null pointer where other code gave them something that is not an object, or called
/// them without the GIL: the pointer is where it showed, not why.
pub(super) fn is_in_interpreter(facts: &Facts<'_>) -> bool {
    let mut frames = facts.frames_at_fault();
    let top = frames.find(|sight| !is_machinery_frame(sight.frame));
    top.is_some_and(|top| is_interpreter(top.frame))
}

/// Whether a null pointer is why the code failed, and not only where damage done by other code shows.
pub(super) fn is_first_hand(facts: &Facts<'_>) -> bool {
    small_type(facts).is_none() && !is_in_interpreter(facts) && in_destructor(facts).is_none()
}

/// A destructor uses what its object had while it was alive. It was not passed a null pointer: something wrote over the
/// object, or it had been destroyed before. Seen with XLA, whose compiled code wrote past its buffers (TensorFlow 2.15.1:
/// in 7 of 40 runs of one program).
pub(super) fn in_destructor(facts: &Facts<'_>) -> Option<(FactRef, String)> {
    let top = facts.frames_at_fault().next()?;
    let name = top.function();
    let claim = format!(
        "`{name}` is a destructor: it uses what the object had while it was alive, which may have been overwritten."
    );
    is_destructor(name).then_some((top.fact, claim))
}

/// Names of functions within one have it in their arguments.
fn is_destructor(function: &str) -> bool {
    let plain = function.replace("(anonymous namespace)::", "");
    let class = plain.split_once("::~").map(|(class, _)| class);
    class.is_some_and(|class| !class.contains('('))
}

#[cfg(test)]
mod tests {
    use super::is_destructor;

    #[test]
    fn a_destructor_is_known_by_its_name() {
        for (name, is_one) in [
            ("xla::ExecutionInput::~ExecutionInput()", true),
            (
                "tensorflow::(anonymous namespace)::Buffer<double>::~Buffer()",
                true,
            ),
            ("tensorflow::Tensor::shape() const", false),
            ("std::function<void (a::B::~B())>::operator()", false),
        ] {
            assert_eq!(is_destructor(name), is_one, "{name}");
        }
    }
}
