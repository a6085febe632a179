//! What was said about it, and what is left where nobody could look into the process: a Python stack, or a debugger's.

use super::matching;
use crate::capture::Signal;
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, NativeSight};
use crate::rule::Suspicion;

/// All that Python tells: an op of a library that was loaded at run time dies while its node is being made.
pub(crate) fn op_of_string(facts: &Facts<'_>) -> Option<Suspicion> {
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
pub(crate) fn custom_kernel(facts: &Facts<'_>) -> Option<Suspicion> {
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
        super::super::short(top.function())
    );
    Some(Suspicion::new(Cause::AbiMismatch, headline).supported(
        Weight::Strong,
        top.fact.clone(),
        claim,
    ))
}

/// A library that compares versions itself, and says that they differ.
pub(crate) fn by_itself(facts: &Facts<'_>) -> Option<Suspicion> {
    if let Some(sight) = facts.sign("library-says-mismatch") {
        let name = ["hdf5", "jpeg", "openssl"]
            .iter()
            .find_map(|name| sight.group(name));
        let name = name.unwrap_or("A library");
        let headline = format!(
            "A native module was built for another {name} library than the one that was loaded"
        );
        let claim = format!("{name} said: {}", sight.said());
        let suspicion = Suspicion::new(Cause::AbiMismatch, headline);
        let weight = if facts.outlived(sight, &[name]) {
            Weight::Weak
        } else {
            Weight::Decisive
        };
        let suspicion = suspicion.supported(weight, sight.fact.clone(), claim);
        return Some(suspicion.remedy(matching(&format!("module for {name}"))));
    }
    let sight = facts.sign("built-against-other-tensorflow")?;
    // It goes on after the warning; a death with words of its own, or elsewhere, has another reason.
    let top = facts.acting_frames().into_iter().next();
    let is_elsewhere = top.is_some_and(|top| !top.is_foreign()) || facts.last_words().is_some();
    let weight = if is_elsewhere {
        Weight::Weak
    } else {
        Weight::Strong
    };
    let headline = match sight.group("built") {
        Some(built) => format!(
            "An add-on was built for TensorFlow {}, and another one is installed",
            built.trim_end_matches('.')
        ),
        None => {
            "Horovod was built for another version of the framework than the one that is installed"
                .to_owned()
        }
    };
    let claim = format!("It said: {}", sight.said());
    let suspicion = Suspicion::new(Cause::AbiMismatch, headline);
    let suspicion = suspicion.supported(weight, sight.fact.clone(), claim);
    Some(suspicion.remedy(matching("version of the add-on")))
}
