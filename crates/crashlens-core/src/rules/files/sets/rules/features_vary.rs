//! Features of examples that are not the same in all records.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::files::Setting;
use crate::files::{Census, Class, Effect, EffectKind, FeatureCensus, FeatureKind};
use crate::hazard::{Hazard, Severity};
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "SET002",
    name: "features-vary",
    summary: "Features of `tf.train.Example` records are missing, or differ in type or length, in some records.",
    causes: &[Cause::BadInputValue],
    since: "0.1.0",
    doc: include_str!("features_vary.md"),
    judge: Judge::Set(judge),
};

fn judge(census: &Census, _setting: &Setting) -> Look {
    let examples = census.examples();
    if examples == 0 {
        return Look::nothing();
    }
    let plural = if examples == 1 { "" } else { "s" };
    let features = census.features();
    let hazards = features.flat_map(|(name, feature)| {
        let found = [
            kinds(name, feature),
            lacking(name, feature, examples),
            lengths(name, feature),
        ];
        found.into_iter().flatten()
    });
    Look::at(format!("{examples} record{plural}")).found_all(hazards)
}

/// One kind here, another there: whatever is asked for, some records are refused.
fn kinds(name: &str, feature: &FeatureCensus) -> Option<Hazard> {
    let kinds = feature.kinds.iter();
    let mut kinds: Vec<_> = kinds
        .filter(|(kind, _)| **kind != FeatureKind::Unset)
        .collect();
    kinds.sort_by_key(|(_, class)| std::cmp::Reverse(class.count));
    let [(usual, most), (other, few), ..] = kinds.as_slice() else {
        return None;
    };
    let (most, usual, other) = (most.count, word(**usual), word(**other));
    let count = few.count;
    let headline = format!("feature `{name}` is {usual} in {most} records and {other} in {count}");
    let seen = "InvalidArgumentError: Data types don't match";
    let remedy = "Write the records that are named again, with the kind that the others have.";
    Some(hazard(Severity::WillFail, headline, few, seen, remedy))
}

fn lacking(name: &str, feature: &FeatureCensus, examples: u64) -> Option<Hazard> {
    let lack = examples.saturating_sub(feature.present);
    if lack == 0 || feature.present == 0 {
        return None;
    }
    // What many lack is left out on purpose.
    let severity = if lack.saturating_mul(20) <= examples {
        Severity::CanCrash
    } else {
        Severity::WorthKnowing
    };
    let headline = format!("feature `{name}` is missing in {lack} of {examples} records");
    let seen = "with FixedLenFeature and no default_value InvalidArgumentError: Feature is required but could not be \
                found; with a default_value or VarLenFeature the default, without a word";
    let remedy = "Give the feature a default_value, or read it as a VarLenFeature.";
    Some(hazard(severity, headline, &feature.lacking, seen, remedy))
}

/// A few lists of another length than nearly all have; lists of any length are there on purpose.
fn lengths(name: &str, feature: &FeatureCensus) -> Option<Hazard> {
    let total: u64 = feature.lengths.values().map(|class| class.count).sum();
    let mut lengths: Vec<_> = feature.lengths.iter().collect();
    lengths.sort_by_key(|(_, class)| std::cmp::Reverse(class.count));
    let [(usual, most), (other, class), ..] = lengths.as_slice() else {
        return None;
    };
    let few = total - most.count;
    if few.saturating_mul(20) > total {
        return None;
    }
    let of = if feature.sequence { "steps" } else { "records" };
    let headline =
        format!("feature `{name}` has {usual} values in most {of}, and {other} or so in {few}");
    let seen = "InvalidArgumentError: Can't parse serialized Example, where a fixed shape is asked for; in a batch: \
                Cannot batch tensors with different shapes in component 0";
    let remedy = "Read it as a VarLenFeature or RaggedFeature, or leave the records out.";
    Some(hazard(Severity::CanCrash, headline, class, seen, remedy))
}

fn hazard(severity: Severity, headline: String, class: &Class, seen: &str, remedy: &str) -> Hazard {
    let mut hazard = Hazard::new(severity, Cause::BadInputValue, headline)
        .unless("The feature is not read, or is read in a way that takes both.")
        .remedy(Remedy::new(remedy));
    for path in &class.files {
        let fact = FactRef::File { path: path.clone() };
        hazard = hazard.because(fact, format!("{path} has such records"));
    }
    hazard.files.clone_from(&class.files);
    hazard.effects = vec![Effect {
        does: EffectKind::Raises,
        versions: ["2.12.1", "2.15.1", "2.21.0"].map(str::to_owned).to_vec(),
        seen: seen.to_owned(),
        formats: Vec::new(),
    }];
    hazard
}

fn word(kind: FeatureKind) -> &'static str {
    match kind {
        FeatureKind::Bytes => "a list of bytes",
        FeatureKind::Float => "a list of floats",
        FeatureKind::Int64 => "a list of integers",
        FeatureKind::Unset => "nothing",
    }
}
