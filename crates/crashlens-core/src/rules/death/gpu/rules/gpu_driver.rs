//! The GPU driver, or the tools that go with it, do not go with the program.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, NativeSight};
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::gpu::driver_frames::{self, renew, show};
use crate::rules::death::gpu::weight_of;

pub(super) static RULE: Rule = Rule {
    id: "GPU004",
    name: "gpu-driver",
    summary: "The GPU driver, its library or `ptxas` is incompatible with the program or with this GPU.",
    causes: &[Cause::GpuDriver],
    since: "0.1.0",
    doc: include_str!("gpu_driver.md"),
    judge: Judge::Death(judge),
};

/// What a driver says, how far it carries, and what it means.
#[rustfmt::skip]
const WORDS: [(&str, Weight, &str); 5] = [
    ("driver-insufficient", Weight::Decisive, "The GPU driver is too old for this build of CUDA"),
    ("driver-versions-differ", Weight::Strong, "The GPU driver in the kernel and its library are of different versions"),
    ("ptxas-failed", Weight::Strong, "ptxas, the GPU's assembler, could not translate what XLA gave it: it is of another CUDA than the framework"),
    ("no-kernel-for-this-gpu", Weight::Strong, "This build has no code for a GPU of this generation"),
    ("wsl-libcuda-no-link", Weight::Weak, "The driver's library of the Windows Subsystem for Linux is not linked as it should be"),
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    by_words(facts).or_else(|| driver_frames::suspect(facts))
}

fn by_words(facts: &Facts<'_>) -> Option<Suspicion> {
    let (sight, weight, headline) = WORDS
        .iter()
        .find_map(|(sign, weight, headline)| Some((facts.sign(sign)?, *weight, *headline)))?;
    // Guesses (`Possibly …`) and what is said of one device out of many are not the end yet.
    let is_end = ["Check failed", "Error", "error", "Status"]
        .iter()
        .any(|word| sight.text.contains(word));
    let weight = if is_end {
        weight
    } else {
        weight.min(Weight::Strong)
    };
    // Frameworks go on without a GPU that they cannot use: a death elsewhere has another reason.
    let frames = facts.acting_frames();
    let is_elsewhere = frames.first().is_some_and(|top| !is_of_gpu(top));
    let weight = if is_elsewhere { Weight::Weak } else { weight };
    let weight = weight_of(facts, sight, weight);
    let version = sight.group("version").map(|it| it.trim_end_matches('.'));
    let headline = match version {
        Some(version) => format!("{headline} (driver {version})"),
        None => headline.to_owned(),
    };
    let mut suspicion = Suspicion::new(Cause::GpuDriver, headline).supported(
        weight,
        sight.fact.clone(),
        format!("It said: {}", sight.said()),
    );
    if let Some(device) = facts.sign("libdevice-not-found") {
        let claim = format!("It said before: {}", device.said());
        suspicion = suspicion.supported(Weight::Weak, device.fact.clone(), claim);
    }
    if facts.sign("ptxas-failed").is_some() {
        return Some(suspicion.remedy(ptxas()).remedy(show()));
    }
    Some(suspicion.remedy(show()).remedy(renew()))
}

/// Whether it is code that works with the GPU.
fn is_of_gpu(sight: &NativeSight<'_>) -> bool {
    let words = ["libcu", "libnv"];
    words.iter().any(|word| sight.library().starts_with(word))
        || [
            "cuda",
            "Cuda",
            "CUDA",
            "gpu",
            "Gpu",
            "GPU",
            "stream_executor",
        ]
        .iter()
        .any(|word| sight.function().contains(word))
}

fn ptxas() -> Remedy {
    Remedy::new("Let XLA use the ptxas and libdevice of its own CUDA.").command(
        "which -a ptxas; ptxas --version; export XLA_FLAGS=--xla_gpu_cuda_data_dir=/usr/local/cuda",
    )
}
