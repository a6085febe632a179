//! The GPU's memory was full.

use crate::book::{Judge, Rule};
use crate::capture::MessageKind;
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, Sighting};
use crate::remedy::{Again, ShellLine};
use crate::rule::{Remedy, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "GPU007",
    name: "gpu-memory",
    summary: "The GPU ran out of memory shortly before the process ended.",
    causes: &[Cause::GpuMemory],
    since: "0.1.0",
    doc: include_str!("gpu_memory.md"),
    judge: Judge::Death(judge),
};

/// Lines after which a line about memory is old news: the program had gone on.
const FAR_BEHIND: usize = 40;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let sight = facts.sign("gpu-out-of-memory")?;
    // TensorFlow asks for less when it is refused, and says so each time: only the last lines are of the end.
    let is_old = facts
        .lines()
        .filter(|(fact, _)| is_behind(fact, sight))
        .count()
        > FAR_BEHIND;
    let harmless = [
        "not a failure",
        "could be performance gains",
        "retry",
        "recover",
    ];
    let is_warning = harmless.iter().any(|word| sight.text.contains(word));
    if is_old || is_warning {
        return None;
    }
    let wanted = sight.group("wanted");
    let headline = match wanted {
        Some(wanted) => format!("The GPU had no {wanted} of memory left"),
        None => "The GPU's memory was full".to_owned(),
    };
    let mut suspicion = Suspicion::new(Cause::GpuMemory, headline).supported(
        if facts.lived_on_after(sight).is_some() {
            Weight::Weak
        } else {
            Weight::Strong
        },
        sight.fact.clone(),
        format!("It said: {}", sight.said()),
    );
    if let Some((fact, message)) = unrelated_end(facts, sight) {
        let said = message.lines().next().unwrap_or_default();
        suspicion = suspicion.opposed(
            Weight::Strong,
            fact,
            format!("It ended with other words: {said}"),
        );
    }
    Some(
        suspicion
            .remedy(Remedy::new("See what else uses the GPU, and end it.").command(ShellLine::anywhere("nvidia-smi")))
            .remedy(Remedy::new("Make the batch smaller, by half until it fits; mixed precision halves activations too."))
            .remedy(
                Remedy::new("Let TensorFlow take memory as it needs it, so that two programs can share a GPU.")
                    .command(Again::new().set("TF_FORCE_GPU_ALLOW_GROWTH", "true")),
            ),
    )
}

/// A fatal message behind the sign that has nothing to do with a GPU.
fn unrelated_end(
    facts: &Facts<'_>,
    sight: &Sighting<'_>,
) -> Option<(crate::evidence::FactRef, String)> {
    let (fact, message) = facts.last_words()?;
    let line = message.line?;
    let is_behind = is_behind(&crate::evidence::FactRef::StderrLine { line }, sight);
    let is_related = message.kind == MessageKind::Cuda
        || [
            "cuda",
            "CUDA",
            "GPU",
            "gpu",
            "cudnn",
            "memory",
            "Memory",
            "OOM",
            "bad_alloc",
            "dnn",
            "Algorithms(",
        ]
        .iter()
        .any(|word| message.text.contains(word));
    (is_behind && !is_related).then(|| (fact, message.text.clone()))
}

fn is_behind(fact: &crate::evidence::FactRef, sight: &Sighting<'_>) -> bool {
    use crate::evidence::FactRef::StderrLine;
    matches!((fact, &sight.fact), (StderrLine { line }, StderrLine { line: of_sight }) if line > of_sight)
}
