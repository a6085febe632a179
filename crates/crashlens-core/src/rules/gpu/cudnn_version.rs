//! cuDNN is older than the one that the framework was built with.

use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, Sighting};
use crate::rule::{Remedy, Risk, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "GPU001",
    name: "cudnn-version",
    causes: &[Cause::GpuLibraryMismatch],
    since: "0.1.0",
    doc: include_str!("cudnn_version.md"),
    judge,
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if let Some(sight) = facts.sign("cudnn-older-than-built") {
        return Some(versions_told(facts, sight));
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
            .command(install_command(&built))
            .risk(Risk::Environment),
    )
    .remedy(
        Remedy::new("See whether an older copy comes first on the loader's path, and take it off that path.")
            .command("python -c 'import os; print(os.environ.get(\"LD_LIBRARY_PATH\"))'; ldconfig -p | grep cudnn"),
    )
}

fn is_consequence(words: &str) -> bool {
    ["Algorithms(", "cudnn", "CUDNN", "DNN", "dnn"]
        .iter()
        .any(|word| words.contains(word))
}

/// `5.1.10` of `5110`, as cuDNN numbers itself in its header up to version 8; `9.8.0` stays.
fn readable(version: &str) -> String {
    let version = version.trim_end_matches('.');
    let Ok(number) = version.parse::<u32>() else {
        return version.to_owned();
    };
    format!("{}.{}.{}", number / 1000, number / 100 % 10, number % 100)
}

fn major(version: &str) -> &str {
    version.split('.').next().unwrap_or(version)
}

fn major_and_minor(version: &str) -> String {
    version.split('.').take(2).collect::<Vec<_>>().join(".")
}

/// NVIDIA's packages: cuDNN 8 up to 8.8 went with CUDA 11, 8.9 and 9 with CUDA 12. Before, there were none.
fn install_command(built: &str) -> String {
    let mut numbers = built
        .split('.')
        .map(|part| part.parse::<u32>().unwrap_or_default());
    let (major, minor) = (
        numbers.next().unwrap_or_default(),
        numbers.next().unwrap_or_default(),
    );
    let range = format!(">={major}.{minor},<{}", major + 1);
    match (major, minor) {
        (8, ..9) => format!("pip install 'nvidia-cudnn-cu11{range}'"),
        (8.., _) => format!("pip install 'nvidia-cudnn-cu12{range}'"),
        _ => format!("conda install 'cudnn{range}'"),
    }
}
