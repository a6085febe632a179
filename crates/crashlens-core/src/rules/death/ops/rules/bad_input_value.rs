//! An operation got a value or shape that it cannot take, and does not test for.

use crate::book::{Judge, Rule};
use crate::capture::Place;
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, LocalSight, NativeSight};
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::ops::call;

pub(super) static RULE: Rule = Rule {
    id: "OPS003",
    name: "bad-input-value",
    summary: "An operation received a value or shape that it cannot handle and does not check.",
    causes: &[Cause::BadInputValue],
    since: "0.1.0",
    doc: include_str!("bad_input_value.md"),
    judge: Judge::Death(judge),
};

/// Innermost frames among which the function at fault is: below it are at most copies of memory.
const INNERMOST: usize = 4;
/// Dimensions that NumPy 1 allows.
const NUMPY_DIMENSIONS: usize = 32;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let is_damage = facts.in_allocator().is_some() || facts.heap_words().is_some();
    if is_damage || facts.signal().is_some_and(|signal| !signal.is_fault()) {
        return None;
    }
    tflite_input(facts)
        .or_else(|| too_many_dimensions(facts))
        .or_else(|| loss_layer(facts))
}

/// The frame of one of these functions, if it is among the innermost.
fn innermost<'a>(facts: &Facts<'a>, words: &[&str]) -> Option<NativeSight<'a>> {
    let mut frames = facts.native_frames().take(INNERMOST);
    frames.find(|sight| words.iter().any(|word| sight.function().contains(word)))
}

fn tflite_input(facts: &Facts<'_>) -> Option<Suspicion> {
    let sight = innermost(facts, &["InterpreterWrapper::SetTensor"])?;
    if matches!(facts.place(), Some(Place::NullPage { .. })) {
        let headline = "A TFLite input was set before its memory was there";
        let suspicion = Suspicion::new(Cause::BadInputValue, headline).supported(
            Weight::Strong,
            sight.fact,
            "`set_tensor` was copying an array to address 0.",
        );
        return Some(suspicion.remedy(Remedy::new(
            "Call `interpreter.allocate_tensors()` before `set_tensor`.",
        )));
    }
    let headline = "The array passed to TFLite's `set_tensor` does not fit the input tensor";
    let suspicion = Suspicion::new(Cause::BadInputValue, headline).supported(
        Weight::Strong,
        sight.fact,
        "`set_tensor` was copying the array that it was given.",
    );
    Some(suspicion.remedy(Remedy::new(
        "Compare the array's shape and dtype with `interpreter.get_input_details()`; change the array, or call \
         `interpreter.resize_tensor_input` and `allocate_tensors` first.",
    )))
}

fn too_many_dimensions(facts: &Facts<'_>) -> Option<Suspicion> {
    let sight = innermost(
        facts,
        &["TF_TensorToPyArray", "TF_TensorToMaybeAliasedPyArray"],
    )?;
    let headline =
        "A tensor that NumPy cannot hold (more than 32 dimensions?) was turned into an array";
    let mut suspicion = Suspicion::new(Cause::BadInputValue, headline).supported(
        Weight::Weak,
        sight.fact,
        "TensorFlow was turning a tensor into a NumPy array.",
    );
    if let Some((local, rank)) = facts
        .locals()
        .find_map(|it| Some((it.clone(), rank(&it)?)).filter(|it| it.1 > NUMPY_DIMENSIONS))
    {
        let claim = format!("`{}` has {rank} dimensions.", local.variable.name);
        suspicion = suspicion.supported(Weight::Strong, local.fact, claim);
    }
    Some(suspicion.remedy(Remedy::new(
        "Give the tensor at most 32 dimensions (64 with NumPy 2) before `.numpy()` or before it is printed: tf.reshape(x, [-1]).",
    )))
}

fn rank(local: &LocalSight<'_>) -> Option<usize> {
    Some(local.variable.value.array.as_ref()?.shape.as_ref()?.len())
}

fn loss_layer(facts: &Facts<'_>) -> Option<Suspicion> {
    let sight = innermost(facts, &["SoftmaxWithLossLayer", "SoftmaxLossLayer"])?;
    let headline =
        "A label is most likely outside the range of classes that the loss was built for";
    let claim = format!(
        "`{}` uses labels as indices, and does not test them.",
        call::short(sight.function())
    );
    Some(
        Suspicion::new(Cause::BadInputValue, headline)
            .supported(Weight::Strong, sight.fact, claim)
            .remedy(Remedy::new(
                "Print the smallest and the largest label: they must be from 0 to the number of classes - 1.",
            )),
    )
}
