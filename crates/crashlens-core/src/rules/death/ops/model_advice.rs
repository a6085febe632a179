//! What is said and advised of a damaged model file.

use super::damage;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Suspicion};
use crate::shell;

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
    let mut compare = Remedy::new("Compare the file's size and checksum with the original.");
    // What Python writes for other characters, and what was cut off, is not the name.
    let path = named.filter(|it| !it.contains(['…', '\\']));
    if let Some(path) = path.and_then(shell::word) {
        compare = compare.command(format!("sha256sum {path}"));
    }
    suspicion.remedy(compare).remedy(Remedy::new(format!(
        "Download the {kind} again, or write it again from its source; do not let git or a text editor change its bytes."
    )))
}
