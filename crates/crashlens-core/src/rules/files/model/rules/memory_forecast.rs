//! Models that will not fit into memory while they are loaded or saved.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, Forecast, Format, Need, Setting, forecast};
use crate::hazard::Severity;
use crate::rule::Remedy;
use crate::text::bytes;

pub(super) static RULE: Rule = Rule {
    id: "MDL040",
    name: "memory-forecast",
    summary: "Loading or saving a model needs more memory than is available here.",
    causes: &[Cause::OutOfMemory],
    since: "0.1.0",
    doc: include_str!("memory_forecast.md"),
    judge: Judge::File {
        looks_at: Scope::ModelsInMemory,
        says: [
            "needs more memory than is left here",
            "need more memory than is left here",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    let Some(forecast) = forecast(facts, setting.memory) else {
        return Vec::new();
    };
    let (Some(left), Some(load)) = (setting.memory, forecast.load()) else {
        return Vec::new();
    };
    if load.bytes > left {
        return vec![too_large_to_load(&forecast, load, left)];
    }
    let too_much = |need: &&Need| forecast.with_model(need) > left;
    let saves: Vec<&Need> = forecast.saves().filter(too_much).collect();
    let same = saves.iter().any(|need| need.format == load.format);
    if same {
        vec![too_large_to_save(&forecast, &saves, left)]
    } else {
        Vec::new()
    }
}

fn too_large_to_load(forecast: &Forecast, load: &Need, left: u64) -> FileFinding {
    let detail = format!(
        "its weights are {}; loading takes up to {} (measured: {}), and {} are left",
        bytes(forecast.weights),
        bytes(load.bytes),
        load.seen,
        bytes(left)
    );
    let remedy = match load.format {
        Format::Keras | Format::Hdf5 => Remedy::new(
            "Load it where there is more memory, and save it as a SavedModel there: that loads with little more than \
             the weights themselves.",
        ),
        _ => {
            Remedy::new("Load it where there is more memory, or raise the limit of the container.")
        }
    };
    FileFinding::new(Severity::CanCrash, detail)
        .effect(EffectKind::Crashes, &[], KILLED)
        .remedy(remedy)
}

fn too_large_to_save(forecast: &Forecast, saves: &[&Need], left: u64) -> FileFinding {
    let needs: Vec<String> = saves
        .iter()
        .map(|need| {
            format!(
                "{} {}",
                bytes(forecast.with_model(need)),
                need.format.name()
            )
        })
        .collect();
    let detail = format!(
        "it can be loaded; the model and its saving take up to {} together, and {} are left",
        needs.join(", "),
        bytes(left)
    );
    FileFinding::new(Severity::WorthKnowing, detail).remedy(Remedy::new(
        "Save it under another name than the file it came from, as a SavedModel or a checkpoint: these take least.",
    ))
}

/// What happens where there is not enough.
const KILLED: &str = "the kernel kills the process when a container's limit is reached; without a limit an allocation fails";
