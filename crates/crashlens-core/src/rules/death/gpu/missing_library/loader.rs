//! Libraries that the loader was asked for and did not find.

use super::{install, suspicion};
use crate::evidence::Weight;
use crate::facts::Facts;
use crate::rule::Suspicion;

/// Only where it was not merely tried: TensorFlow looks for all of them and goes on without.
pub(crate) fn suspect(facts: &Facts<'_>) -> Option<Suspicion> {
    if let Some(sight) = facts.sign("cuda-dll-missing") {
        let library = sight.group("library")?;
        let headline = format!("{library} is not to be found");
        return Some(
            suspicion(
                sight,
                super::super::weight_of(facts, sight, Weight::Decisive),
                headline,
            )
            .remedy(install()),
        );
    }
    let sight = facts
        .signs("cuda-library-not-opened")
        .filter(|it| !it.text.contains("Could not load dynamic library"))
        .last()?;
    let library = sight.group("library")?;
    let is_exception = ["ImportError", "OSError"]
        .iter()
        .any(|word| sight.text.contains(word));
    let is_end = facts.signal().is_none() && facts.lived_on_after(sight).is_none();
    let weight = if is_exception && is_end {
        Weight::Strong
    } else {
        Weight::Weak
    };
    Some(suspicion(sight, weight, format!("{library} is not to be found")).remedy(install()))
}
