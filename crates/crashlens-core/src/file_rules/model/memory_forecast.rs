//! Models that will not fit into memory while they are loaded.

use crate::cause::Cause;
use crate::files::{
    Action, EffectKind, FileFacts, FileFinding, FileRule, Format, Judge, Setting, forecast, weights,
};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "MDL040",
    name: "memory-forecast",
    asks: "models that need more memory to load than is left here",
    says: [
        "needs more memory to load than is left here",
        "need more memory to load than is left here",
    ],
    cause: Cause::OutOfMemory,
    since: "0.1.0",
    doc: include_str!("memory_forecast.md"),
    judge: Judge::File(judge),
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    let weights = weights(facts);
    let (Some(format), Some(left)) = (facts.format, setting.memory) else {
        return Vec::new();
    };
    let Some(load) = forecast(format, Action::Load, weights) else {
        return Vec::new();
    };
    if load.bytes <= left {
        return Vec::new();
    }
    let detail = format!(
        "its weights are {}; loading takes up to {} ({}), and {} are left",
        megabytes(weights),
        megabytes(load.bytes),
        load.seen,
        megabytes(left)
    );
    let remedy = match format {
        Format::Keras | Format::Hdf5 => Remedy::new(
            "Load it where there is more memory, and save it as a SavedModel or a checkpoint there: these load with \
             little more than the weights themselves.",
        ),
        _ => {
            Remedy::new("Load it where there is more memory, or raise the limit of the container.")
        }
    };
    let seen = "the kernel kills the process when a container's limit is reached; without a limit an allocation fails";
    vec![
        FileFinding::new(Severity::CanCrash, detail)
            .effect(EffectKind::Crashes, &[], seen)
            .remedy(remedy),
    ]
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes / 1_000_000)
}
