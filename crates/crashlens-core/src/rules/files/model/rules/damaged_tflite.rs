//! TensorFlow Lite models that the interpreter dies on.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, FlawKind, Format, Setting};
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "MDL020",
    name: "damaged-tflite",
    summary: "A TensorFlow Lite model is corrupted in a way that its interpreter crashes on or rejects.",
    causes: &[Cause::CorruptModelFile],
    since: "0.1.0",
    doc: include_str!("damaged_tflite.md"),
    judge: Judge::File {
        looks_at: Scope::ModelsOf(&[Format::Tflite]),
        says: [
            "is a damaged model of TensorFlow Lite",
            "are damaged models of TensorFlow Lite",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    if facts.format != Some(Format::Tflite) {
        return Vec::new();
    }
    facts
        .flaws_of(FlawKind::Malformed)
        .map(|flaw| {
            let finding = FileFinding::of_flaw(facts, flaw, setting);
            let mut effects = finding.effects.iter();
            let again = "Copy or download it again and compare sizes and hashes.";
            let first = if effects.any(|it| it.does == EffectKind::Crashes) {
                format!("Do not load it, not even to try: whether it dies depends on the memory behind it. {again}")
            } else {
                again.to_owned()
            };
            finding
                .remedy(Remedy::new(first))
                .remedy(Remedy::new(
                    "Convert it anew from the model it was made of.",
                ))
        })
        .collect()
}
