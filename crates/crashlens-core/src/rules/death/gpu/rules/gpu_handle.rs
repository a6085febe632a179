//! A GPU library could not be started.

use crate::book::{Judge, Rule};
use crate::capture::MessageKind;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, Sighting};
use crate::remedy::{Again, ShellLine};
use crate::rule::{Remedy, Risk, Suspicion};
use crate::rules::death::gpu::weight_of;

pub(super) static RULE: Rule = Rule {
    id: "GPU006",
    name: "gpu-handle",
    summary: "cuDNN or cuBLAS could not be initialized on the GPU.",
    causes: &[Cause::GpuHandle],
    since: "0.1.0",
    doc: include_str!("gpu_handle.md"),
    judge: Judge::Death(judge),
};

/// Words that tell more exactly why a library would not start.
const BETTER: [&str; 3] = [
    "driver-insufficient",
    "cudnn-older-than-built",
    "driver-versions-differ",
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let sight = facts
        .sign("gpu-handle-failed")
        .or_else(|| facts.sign("gpu-library-not-initialised"))?;
    let library = match sight.group("library").or_else(|| sight.group("cublas")) {
        Some("cublas" | "cublasCreate") => "cuBLAS",
        Some("cusolver") => "cuSOLVER",
        _ => "cuDNN",
    };
    let status = sight.group("status").or_else(|| sight.group("torch"));
    let status = status.unwrap_or("its initialisation failed");
    // A library that is not allowed to start says so; what says only that it did not start may be a matter of the driver.
    let is_vague = status.ends_with("NOT_INITIALIZED");
    let given_up = given_up_for_it(facts, sight);
    let weight = if is_vague && given_up.is_none() {
        Weight::Weak
    } else {
        weight_of(facts, sight, Weight::Strong)
    };
    let mut suspicion = Suspicion::new(
        Cause::GpuHandle,
        format!("{library} could not be started on the GPU ({status})"),
    )
    .supported(
        weight,
        sight.fact.clone(),
        format!("It said: {}", sight.said()),
    );
    if let Some(fact) = given_up {
        let claim = "The framework then gave up on the operation that needed it.";
        suspicion = suspicion.supported(Weight::Strong, fact, claim);
    }
    for better in BETTER.iter().filter_map(|sign| facts.sign(sign)) {
        let claim = format!("Another line tells more exactly why: {}", better.said());
        suspicion = suspicion.opposed(Weight::Strong, better.fact.clone(), claim);
    }
    Some(
        suspicion
            .remedy(
                Remedy::new("See who else uses the GPU: the most frequent reason is that no memory is left for the library.")
                    .command(ShellLine::anywhere("nvidia-smi")),
            )
            .remedy(
                Remedy::new("Let TensorFlow take memory as it needs it, instead of all at once.")
                    .command(Again::new().set("TF_FORCE_GPU_ALLOW_GROWTH", "true")),
            )
            .remedy(
                Remedy::new("Clear the driver's cache of compiled code, which may be of another version; it is made anew.")
                    .command(ShellLine::unix("rm -r ~/.nv/ComputeCache"))
                    .risk(Risk::Environment),
            ),
    )
}

/// Words of checks that only fail for want of a library on the GPU.
const OF_THE_GPU: [&str; 11] = [
    "gpu",
    "cuda",
    "cudnn",
    "cublas",
    "stream->parent()",
    "stream_executor",
    "AsDnn",
    "AsBlas",
    "AsFft",
    "Algorithms(",
    "dnn::",
];

/// The check that failed after it, about an operation on the GPU.
fn given_up_for_it(facts: &Facts<'_>, sight: &Sighting<'_>) -> Option<FactRef> {
    let (fact, message) = facts.said_after(sight)?;
    let is_check = message.kind == MessageKind::CheckFailure;
    let is_of_gpu = OF_THE_GPU.iter().any(|word| message.text.contains(word));
    (is_check && is_of_gpu).then_some(fact)
}
