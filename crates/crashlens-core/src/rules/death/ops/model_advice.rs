//! What is said and advised of a damaged model file.

use super::damage;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::remedy::Crashlens;
use crate::rule::{Remedy, Suspicion};

pub(super) fn suspect(facts: &Facts<'_>, kind: &str, seen: (Weight, FactRef, &str)) -> Suspicion {
    let path = facts.locals().find(|it| it.variable.name == "model_path");
    let named = path
        .as_ref()
        .and_then(|it| it.variable.value.text.as_deref());
    let named = named
        .map(|it| it.trim_matches(['\'', '"']))
        .filter(|it| !it.is_empty() && *it != "None");
    let headline = match named {
        Some(path) => format!("The {kind} {path} is damaged, and its loader died of it"),
        None => format!("The {kind} file is damaged, and its loader died of it"),
    };
    let (weight, fact, claim) = seen;
    let mut suspicion =
        Suspicion::new(Cause::CorruptModelFile, headline).supported(weight, fact, claim);
    if let Some((fact, claim)) = damage::memory_was_short(facts) {
        suspicion = suspicion.opposed(Weight::Strong, fact, claim);
    }
    let compare = "See where it is damaged, and compare its size and checksum with the original.";
    // What Python writes for other characters, and what was cut off, is not the name.
    let path = named.filter(|it| !it.contains(['…', '\\']));
    let compare = Remedy::new(compare).command_if(path.and_then(Crashlens::check_model));
    suspicion.remedy(compare).remedy(Remedy::new(format!(
        "Download the {kind} again, or write it again from its source; do not let git or a text editor change its bytes."
    )))
}
