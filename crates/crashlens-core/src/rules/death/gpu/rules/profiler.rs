//! The profiler brought the program down.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::Facts;
use crate::rule::{Remedy, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "GPU008",
    name: "profiler",
    summary: "TensorFlow's profiler, or NVIDIA's CUPTI library that it uses, crashed the process.",
    causes: &[Cause::Profiler],
    since: "0.1.0",
    doc: include_str!("profiler.md"),
    judge: Judge::Death(judge),
};

/// Parts of the paths of Python code that starts and stops the profiler.
const PYTHON: [&str; 3] = [
    // Not `trace.py` beside it, whose wrapper is around ordinary calls such as `tf.convert_to_tensor`.
    "/tensorflow/python/profiler/profiler",
    "/tensorflow/python/eager/profiler",
    "/torch/profiler/",
];

/// Functions of the profiler inside TensorFlow.
const NATIVE: [&str; 5] = [
    "CuptiTracer",
    "cupti",
    "Cupti",
    "ProfilerSession::",
    "profiler::GpuTracer",
];

/// Log lines behind the start of a session within which it is still the last news.
const SHORTLY: usize = 3;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let mut suspicion = Suspicion::new(
        Cause::Profiler,
        "It died while TensorFlow's profiler was recording, which TensorBoard's callback starts by itself",
    );
    let acting = facts.acting_frames();
    let native = acting.iter().take(4).find(|sight| {
        sight.library().starts_with("libcupti")
            || NATIVE.iter().any(|word| sight.function().contains(word))
    });
    if let Some(sight) = native {
        let claim = format!("It died in {} {}.", sight.function(), sight.library());
        suspicion = suspicion.supported(Weight::Strong, sight.fact.clone(), claim);
    }
    let mut python = facts.python_frames();
    let python = python.find(|(_, frame)| PYTHON.iter().any(|folder| frame.file.contains(folder)));
    if let Some((fact, frame)) = python {
        let claim = format!("Python was in {} of the profiler.", frame.function);
        suspicion = suspicion.supported(Weight::Strong, fact, claim);
    }
    if let Some(sight) = facts.sign("cupti-failed") {
        suspicion = suspicion.supported(
            Weight::Weak,
            sight.fact.clone(),
            format!("It said: {}", sight.said()),
        );
    }
    if let Some(sight) = facts
        .sign("profiler-started")
        .filter(|_| facts.sign("profiler-ended").is_none())
    {
        let behind = facts
            .lines()
            .rev()
            .take_while(|(fact, _)| *fact != sight.fact);
        let words = behind.filter(|(_, line)| !line.trim().is_empty()).count();
        // Words of its own at the end, of a damaged heap too, have their own reason.
        let is_silent = facts.last_words().is_none();
        let weight = if acting.is_empty() && is_silent && words <= SHORTLY {
            Weight::Strong
        } else {
            Weight::Weak
        };
        suspicion = suspicion.supported(
            weight,
            sight.fact.clone(),
            "A session of the profiler had started and not ended.",
        );
    }
    if suspicion.evidence.is_empty() {
        return None;
    }
    Some(
        suspicion
            .remedy(
                Remedy::new("Switch the profiler off: tf.keras.callbacks.TensorBoard(..., profile_batch=0). Everything else of TensorBoard stays."),
            )
            .remedy(Remedy::new(
                "Where the profiler is needed, use a newer TensorFlow and CUDA: the CUPTI of CUDA 11.1 and 11.2 died so.",
            ).risk(crate::rule::Risk::Environment)),
    )
}
