//! Labels that are not below the number of classes.

use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Suspicion};

/// Labels that are written out in the call, and scores with fewer classes.
pub(super) fn label_out_of_range(facts: &Facts<'_>) -> Option<Suspicion> {
    facts
        .culprit()
        .op
        .as_deref()
        .filter(|op| op.contains("SoftmaxCrossEntropy"))?;
    let named = |words: &'static [&str]| {
        facts
            .locals()
            .filter(move |it| words.iter().any(|word| it.variable.name.contains(word)))
    };
    let classes = named(&["logits", "features", "y_pred", "scores"]).find_map(|it| {
        it.variable
            .value
            .array
            .as_ref()?
            .shape
            .as_ref()?
            .last()
            .copied()?
    })?;
    let (label, fact) = named(&["label", "y_true", "target"]).find_map(|it| {
        let text = it.variable.value.text.as_deref()?;
        let numbers = text.split([',', '[', ']', '(', ')']).map(str::trim);
        let largest = numbers.filter_map(|it| it.parse::<u64>().ok()).max()?;
        (largest >= classes).then_some((largest, it.fact))
    })?;
    Some(in_label_range(label, classes, fact))
}

fn in_label_range(label: u64, classes: u64, fact: FactRef) -> Suspicion {
    let headline = format!("Labels reach {label}, and the layer has {classes} classes");
    Suspicion::new(Cause::BadInputValue, headline)
        .supported(Weight::Strong, fact, format!("A label is {label}."))
        .remedy(Remedy::new(format!(
            "Make the labels 0 to {}, or give the last layer {} units.",
            classes.saturating_sub(1),
            label.saturating_add(1)
        )))
}
