//! Signatures that say something else than the graph.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, Format, Part, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "MDL007",
    name: "signature-contradiction",
    summary: "A signature of a SavedModel contradicts its graph.",
    causes: &[Cause::CorruptModelFile],
    since: "0.1.0",
    doc: include_str!("signature_contradiction.md"),
    judge: Judge::File {
        looks_at: Scope::ModelsOf(&[Format::SavedModel]),
        says: [
            "has a signature that its graph contradicts",
            "have signatures that their graphs contradict",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    let Some(model) = facts.model() else {
        return Vec::new();
    };
    let faulty = model.signatures.iter().filter_map(|signature| {
        let fault = signature.fault.as_ref()?;
        let severity = if signature.is_called_by_name {
            Severity::CanCrash
        } else {
            Severity::WorthKnowing
        };
        let finding = FileFinding::new(severity, fault.clone())
            .part(Part::Signature.number(&signature.name))
            .effect(
                EffectKind::Odd,
                &["2.12.1", "2.15.1", "2.21.0"],
                "tf.saved_model.load calls the function behind a signature and does not look at it; through the loader of \
                 TensorFlow 1 a wrong name or shape raises when the signature is used",
            );
        Some(finding.remedy(Remedy::new(
            "Save the model again from the program that made it; do not edit saved_model.pb by hand.",
        )))
    });
    faulty.collect()
}
