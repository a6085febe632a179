//! A native module that was built for another version of what it is used with.

use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::Facts;
use crate::known_versions;
use crate::rule::{Remedy, Risk, Rule, Suspicion};

mod pairs;
mod symbols;
mod told;

pub(crate) static RULE: Rule = Rule {
    id: "INS001",
    name: "abi-mismatch",
    causes: &[Cause::AbiMismatch],
    since: "0.1.0",
    doc: include_str!("abi_mismatch.md"),
    judge,
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    symbols::suspect(facts)
        .or_else(|| told::by_itself(facts))
        .or_else(|| pairs::suspect(facts))
        .or_else(|| shape_function(facts))
        .or_else(|| told::op_of_string(facts).map(rebuild))
        .or_else(|| told::custom_kernel(facts).map(rebuild))
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
    let suspicion = Suspicion::new(Cause::AbiMismatch, headline)
        .supported(
            weight,
            top.fact.clone(),
            format!("It died in {}, called by TensorFlow.", top.library()),
        )
        .supported(
            Weight::Weak,
            caller.fact.clone(),
            "TensorFlow was asking it for the shape of an op's result.",
        );
    Some(match top.package_folder() {
        Some(package) => suspicion.remedy(matching(package)),
        None => rebuild(suspicion),
    })
}

/// For what somebody else published.
fn matching(package: &str) -> Remedy {
    let action = format!(
        "Install a version of {package} that was built for what is installed beside it; its release notes say for which."
    );
    Remedy::new(action).risk(Risk::Environment)
}

/// For an op of one's own.
fn rebuild(suspicion: Suspicion) -> Suspicion {
    suspicion.remedy(
        Remedy::new("Build the op anew with the flags of the TensorFlow that is installed.")
            .command("g++ -std=c++17 -O2 -shared -fPIC op.cc -o op.so $(python -c 'import tensorflow as tf; print(*tf.sysconfig.get_compile_flags(), *tf.sysconfig.get_link_flags())')")
            .risk(Risk::Environment),
    )
}
