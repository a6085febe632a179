//! A native module that was built for another version of what it is used with.

use crate::capture::Signal;
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, NativeSight};
use crate::known_versions;
use crate::rule::{Remedy, Risk, Rule, Suspicion};

mod pairs;

pub(crate) static RULE: Rule = Rule {
    id: "INS001",
    name: "abi-mismatch",
    causes: &[Cause::AbiMismatch],
    since: "0.1.0",
    doc: include_str!("abi_mismatch.md"),
    judge,
};

/// Parts of the names of C++ functions and classes that TensorFlow gives to others.
const OF_TENSORFLOW: [&str; 5] = ["10tensorflow", "4absl", "3tsl", "TF_", "6google8protobuf"];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    undefined_symbol(facts)
        .or_else(|| pairs::suspect(facts))
        .or_else(|| shape_function(facts))
        .or_else(|| op_of_string(facts))
        .or_else(|| custom_kernel(facts))
        .map(|suspicion| suspicion.remedy(rebuild()))
}

/// The loader refused the module, or a function of it when it was first called.
fn undefined_symbol(facts: &Facts<'_>) -> Option<Suspicion> {
    let ended = facts.sign("symbol-lookup-error");
    let sight = ended.or_else(|| facts.sign("undefined-symbol"))?;
    let (library, symbol) = (sight.group("library")?, sight.group("symbol")?);
    let is_of_gpu =
        symbol.contains("cudnn") || symbol.contains("cublas") || library.contains("cudnn");
    let is_known = OF_TENSORFLOW.iter().any(|part| symbol.contains(part))
        || symbol.trim_start_matches('_').starts_with("Py");
    // An exception that the program may have caught, if it died of a signal later.
    let weight = match (ended, facts.signal()) {
        (Some(_), _) => Weight::Decisive,
        (None, None) if is_known => Weight::Decisive,
        (None, None) => Weight::Strong,
        (None, Some(_)) => return None,
    };
    let name = library.rsplit('/').next().unwrap_or(library);
    let headline = format!(
        "{name} was built for another version of what it is used with: it needs a function that is not there"
    );
    (!is_of_gpu).then(|| {
        Suspicion::new(Cause::AbiMismatch, headline).supported(
            weight,
            sight.fact.clone(),
            format!("The loader did not find {}.", super::short(symbol)),
        )
    })
}

/// A foreign library on top of TensorFlow's call of a shape function. In TensorFlow's own code that is no sign.
fn shape_function(facts: &Facts<'_>) -> Option<Suspicion> {
    let frames = facts.acting_frames();
    let top = frames.first().filter(|sight| sight.is_foreign())?;
    let caller = frames.iter().take(4).find(|sight| {
        sight.is_of_tensorflow()
            && sight
                .function()
                .contains("shape_inference::InferenceContext")
    })?;
    // Where the process itself could be seen, a mistake in the op's own code is told by the fault; only add-ons that
    // are published and tested have few of those.
    let addon = known_versions::addons()
        .iter()
        .find(|addon| top.package_folder() == Some(&addon.module));
    let weight = if facts.is_text() || addon.is_some() {
        Weight::Strong
    } else {
        Weight::Weak
    };
    let headline = format!(
        "{} does not fit this TensorFlow: it was built for another one, or with another compiler",
        top.library()
    );
    Some(
        Suspicion::new(Cause::AbiMismatch, headline)
            .supported(
                weight,
                top.fact.clone(),
                format!("It died in {}, called by TensorFlow.", top.library()),
            )
            .supported(
                Weight::Weak,
                caller.fact.clone(),
                "TensorFlow was asking it for the shape of an op's result.",
            ),
    )
}

/// All that Python tells: an op of a library that was loaded at run time dies while its node is being made.
fn op_of_string(facts: &Facts<'_>) -> Option<Suspicion> {
    let has_native = facts.native_frames().next().is_some();
    let mut frames = facts.python_frames();
    let (_, _) = frames
        .next()
        .filter(|(_, frame)| frame.function == "_create_c_op" && !has_native)?;
    // The wrappers of such ops are made from text; those of TensorFlow are in files.
    let (fact, wrapper) = frames.take(8).find(|(_, frame)| frame.file == "<string>")?;
    let headline = format!(
        "The library of the custom op {} was built for another TensorFlow or with another compiler",
        wrapper.function
    );
    let claim = format!(
        "It died while TensorFlow was making a node of {}, which is no op of its own.",
        wrapper.function
    );
    Some(Suspicion::new(Cause::AbiMismatch, headline).supported(Weight::Strong, fact, claim))
}

/// In text there is no fault to look at: then that it is a custom op's kernel is the best there is.
fn custom_kernel(facts: &Facts<'_>) -> Option<Suspicion> {
    let is_silent = facts.last_words().is_none();
    let is_fault = facts.signal().is_none_or(|signal| signal == Signal::SEGV);
    let frames = facts.acting_frames();
    let top: &NativeSight<'_> = frames
        .first()
        .filter(|_| facts.is_text() && is_silent && is_fault)?;
    let is_kernel = top
        .function()
        .contains("Compute(tensorflow::OpKernelContext*)");
    if !is_kernel || !top.is_foreign() {
        return None;
    }
    let headline = format!(
        "It died in the custom op of {}: built for another TensorFlow, or wrong in itself",
        top.library()
    );
    let claim = format!(
        "{} is the kernel of an op that is not TensorFlow's.",
        super::short(top.function())
    );
    Some(Suspicion::new(Cause::AbiMismatch, headline).supported(
        Weight::Strong,
        top.fact.clone(),
        claim,
    ))
}

fn rebuild() -> Remedy {
    Remedy::new("Build the op anew with the flags of the TensorFlow that is installed.")
        .command("g++ -std=c++17 -O2 -shared -fPIC op.cc -o op.so $(python -c 'import tensorflow as tf; print(*tf.sysconfig.get_compile_flags(), *tf.sysconfig.get_link_flags())')")
        .risk(Risk::Environment)
}
