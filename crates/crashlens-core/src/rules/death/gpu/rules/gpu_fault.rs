//! The device itself reported a fault.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::Facts;
use crate::remedy::Again;
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::gpu::weight_of;

pub(super) static RULE: Rule = Rule {
    id: "GPU005",
    name: "gpu-fault",
    summary: "Code running on the GPU accessed invalid memory, or the GPU itself failed.",
    causes: &[Cause::GpuFault],
    since: "0.1.0",
    doc: include_str!("gpu_fault.md"),
    judge: Judge::Death(judge),
};

/// What the device reports, how far it carries, and what it means.
const WORDS: [(&str, Weight, &str); 5] = [
    (
        "gpu-illegal-address",
        Weight::Decisive,
        "A program on the GPU accessed memory that is not its own (illegal address)",
    ),
    (
        "rocm-memory-fault",
        Weight::Decisive,
        "A program on the GPU accessed memory that is not its own (memory access fault)",
    ),
    (
        "gpu-launch-failed",
        Weight::Strong,
        "A program on the GPU failed while it ran",
    ),
    (
        "unexpected-event-status",
        Weight::Strong,
        "The GPU reported a failure of something that had been started before",
    ),
    (
        "nvidia-xid",
        Weight::Strong,
        "The GPU driver wrote a fault of the device into the kernel's log (Xid)",
    ),
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let mut seen = WORDS
        .iter()
        .filter_map(|(sign, weight, headline)| Some((facts.sign(sign)?, *weight, *headline)));
    let (sight, weight, headline) = seen.next()?;
    let mut suspicion = Suspicion::new(Cause::GpuFault, headline).supported(
        weight_of(facts, sight, weight),
        sight.fact.clone(),
        format!("It said: {}", sight.said()),
    );
    for (also, _, _) in seen.filter(|(also, ..)| also.fact != sight.fact) {
        let claim = format!("And: {}", also.said());
        let weight = weight_of(facts, also, Weight::Strong);
        suspicion = suspicion.supported(weight, also.fact.clone(), claim);
    }
    let is_rocm = facts.sign("rocm-memory-fault").is_some();
    let (one_at_a_time, checker) = if is_rocm {
        (
            Again::new().set("AMD_SERIALIZE_KERNEL", "3"),
            "rocgdb --args",
        )
    } else {
        (
            Again::new().set("CUDA_LAUNCH_BLOCKING", "1"),
            "compute-sanitizer --tool memcheck",
        )
    };
    Some(
        suspicion
            .remedy(
                Remedy::new("Run it again with one operation at a time: the Python line that fails is then the right one.")
                    .command(one_at_a_time),
            )
            .remedy(
                Remedy::new("Test it on the CPU: a bad index (a label or token id out of range) is an exception there.")
                    .command(Again::new().set("CUDA_VISIBLE_DEVICES", "-1")),
            )
            .remedy(
                Remedy::new("Look for faults of the device itself; Xid 48, 63, 64, 74, 79, 94 and 95 mean the hardware.")
                    .command("dmesg | grep -i xid"),
            )
            .remedy(Remedy::new("Find the access with NVIDIA's or AMD's checker; it is slow.").command(Again::new().after_words(checker))),
    )
}
