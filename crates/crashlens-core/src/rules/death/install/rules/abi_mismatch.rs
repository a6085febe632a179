//! A native module that was built for another version of what it is used with.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::Facts;
use crate::known_versions;
use crate::rule::Suspicion;
use crate::rules::death::install::abi::kernels;
use crate::rules::death::install::abi::pairs;
use crate::rules::death::install::abi::symbols;
use crate::rules::death::install::abi::{matching, rebuild};

pub(super) static RULE: Rule = Rule {
    id: "INS001",
    name: "abi-mismatch",
    summary: "A native module was built for a different TensorFlow or compiler than the one it met in the process.",
    causes: &[Cause::AbiMismatch],
    since: "0.1.0",
    doc: include_str!("abi_mismatch.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    symbols::suspect(facts)
        .or_else(|| kernels::by_itself(facts))
        .or_else(|| pairs::suspect(facts))
        .or_else(|| shape_function(facts))
        .or_else(|| kernels::op_of_string(facts).map(rebuild))
        .or_else(|| kernels::custom_kernel(facts).map(rebuild))
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
