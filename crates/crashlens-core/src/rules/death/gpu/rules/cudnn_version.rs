//! cuDNN is older than the one that the framework was built with.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, Sighting};
use crate::rule::{Remedy, Risk, Suspicion};
use crate::rules::death::gpu::cudnn_numbers::{install_command, major, major_and_minor, readable};
use crate::rules::death::gpu::weight_of;

pub(super) static RULE: Rule = Rule {
    id: "GPU001",
    name: "cudnn-version",
    summary: "The cuDNN library loaded at run time is incompatible with the version the framework was built for.",
    causes: &[Cause::GpuLibraryMismatch],
    since: "0.1.0",
    doc: include_str!("cudnn_version.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if let Some(sight) = facts.sign("cudnn-older-than-built") {
        return Some(versions_told(facts, sight));
    }
    if let Some(sight) = facts.sign("cudnn-version-refused") {
        let headline =
            "cuDNN, or a part of it, is of another version than the framework was built for";
        let claim = format!("It said: {}", sight.said());
        return Some(
            Suspicion::new(Cause::GpuLibraryMismatch, headline)
                .supported(
                    weight_of(facts, sight, Weight::Decisive),
                    sight.fact.clone(),
                    claim,
                )
                .remedy(look_for_older()),
        );
    }
    let check = facts.sign("convolve-algorithms")?;
    let suspicion = Suspicion::new(
        Cause::GpuLibraryMismatch,
        "cuDNN offered no way to compute a convolution, as one of another version than TensorFlow was built for does",
    )
    .supported(
        Weight::Strong,
        check.fact.clone(),
        format!("TensorFlow stopped at: {}", check.said()),
    )
    .remedy(
        Remedy::new(
            "Show which cuDNN TensorFlow was built for, and install that one: the same first number, the second equal or higher.",
        )
        .command("python -c 'import tensorflow as tf; print(tf.sysconfig.get_build_info())'"),
    );
    // The same check fails after a handle that could not be created; then that line tells why.
    let handle = facts.sign("gpu-handle-failed");
    Some(match handle {
        Some(handle) => suspicion.opposed(
            Weight::Strong,
            handle.fact.clone(),
            format!(
                "Before that, cuDNN could not be started at all: {}",
                handle.said()
            ),
        ),
        None => suspicion,
    })
}

fn versions_told(facts: &Facts<'_>, sight: &Sighting<'_>) -> Suspicion {
    let found = readable(sight.group("found").unwrap_or_default());
    let built = readable(sight.group("built").unwrap_or_default());
    let line = major_and_minor(&built);
    // The line alone is an error that the program may survive without the GPU; nothing that came after it may
    // explain the end better.
    let weight = match facts.last_words() {
        _ if facts.lived_on_after(sight).is_some() => Weight::Weak,
        Some((_, words)) if !is_consequence(&words.text) => Weight::Strong,
        _ => Weight::Decisive,
    };
    Suspicion::new(
        Cause::GpuLibraryMismatch,
        format!("cuDNN {found} was loaded, and the framework needs {built} or a later one of the same line"),
    )
    .supported(weight, sight.fact.clone(), format!("It said: {}", sight.said()))
    .remedy(
        Remedy::new(format!("Install cuDNN {line} or a later {}.x into this environment.", major(&built)))
            .command_if(install_command(&built))
            .risk(Risk::Environment),
    )
    .remedy(look_for_older())
}

fn look_for_older() -> Remedy {
    let action =
        "See whether another copy comes first on the loader's path, and take it off that path.";
    Remedy::new(action).command("echo \"$LD_LIBRARY_PATH\"; ldconfig -p | grep cudnn")
}

fn is_consequence(words: &str) -> bool {
    ["Algorithms(", "cudnn", "CUDNN", "DNN", "dnn"]
        .iter()
        .any(|word| words.contains(word))
}
