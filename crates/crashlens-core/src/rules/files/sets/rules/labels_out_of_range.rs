//! Labels that no class has.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::files::{Census, Effect, EffectKind, RangeCensus, Setting};
use crate::hazard::{Hazard, Severity};
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "SET003",
    name: "labels-out-of-range",
    summary: "Labels are negative, or not below the number of classes.",
    causes: &[Cause::BadInputValue],
    since: "0.1.0",
    doc: include_str!("labels_out_of_range.md"),
    judge: Judge::Set(judge),
};

fn judge(census: &Census, setting: &Setting) -> Look {
    let Some(classes) = setting.classes else {
        return Look::nothing();
    };
    let names = setting.label_names();
    let ranges: Vec<_> = census
        .ranges()
        .filter(|(name, _)| names.iter().any(|label| label == name))
        .collect();
    if ranges.is_empty() {
        return Look::nothing();
    }
    let quoted: Vec<String> = ranges.iter().map(|(name, _)| format!("`{name}`")).collect();
    let hazards = ranges
        .iter()
        .filter_map(|(name, range)| hazard(name, range, classes));
    Look::at(format!("labels {}", quoted.join(", "))).found_all(hazards)
}

fn hazard(name: &str, census: &RangeCensus, classes: u64) -> Option<Hazard> {
    let range = census.range;
    let (is_below, is_above) = (range.least < 0.0, range.greatest >= classes as f64);
    if !is_below && !is_above {
        return None;
    }
    let headline = format!(
        "labels `{name}` go from {} to {}, and {classes} classes go from 0 to {}",
        range.least,
        range.greatest,
        classes.saturating_sub(1)
    );
    let mut hazard = Hazard::new(Severity::WillFail, Cause::BadInputValue, headline)
        .unless("Labels are changed before they reach the loss: masked, or counted from 1 and made to begin at 0.")
        .remedy(Remedy::new(
            "Compare the labels with the model's last layer: as many outputs as classes, labels from 0.",
        ));
    let ends = [
        (is_below, &census.least_in, range.least),
        (is_above, &census.greatest_in, range.greatest),
    ];
    for (_, path, value) in ends.into_iter().filter(|(is_out, ..)| *is_out) {
        let fact = FactRef::File { path: path.clone() };
        hazard = hazard.because(fact, format!("{path} has the label {value}"));
        if !hazard.files.contains(path) {
            hazard = hazard.file(path);
        }
    }
    let first = if is_above {
        range.greatest
    } else {
        range.least
    };
    hazard.effects = effects(first, classes);
    Some(hazard)
}

/// With the numbers of this set, as TensorFlow says them.
fn effects(label: f64, classes: u64) -> Vec<Effect> {
    let effect = |does, versions: &[&str], seen: String| Effect {
        does,
        versions: versions.iter().map(ToString::to_string).collect(),
        seen,
        formats: Vec::new(),
    };
    vec![
        effect(
            EffectKind::Raises,
            &["2.12.1", "2.15.1", "2.21.0"],
            format!(
                "on the CPU, InvalidArgumentError: Received a label value of {label} which is outside the valid range of \
                 [0, {classes})"
            ),
        ),
        effect(
            EffectKind::WrongValues,
            &["2.12.1", "2.15.1", "2.21.0"],
            "`tf.one_hot` makes rows of zeros of them".to_owned(),
        ),
    ]
}
