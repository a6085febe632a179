//! TensorFlow Lite models that the interpreter dies on.

use crate::cause::Cause;
use crate::files::{
    EffectKind, FileFacts, FileFinding, FileRule, FlawKind, Format, Judge, Setting,
};
use crate::rule::Remedy;

pub(super) static RULE: FileRule = FileRule {
    id: "MDL020",
    name: "damaged-tflite",
    asks: "TensorFlow Lite models that take the interpreter out of the file",
    says: [
        "takes the interpreter of TensorFlow Lite where there is nothing to read",
        "take the interpreter of TensorFlow Lite where there is nothing to read",
    ],
    cause: Cause::CorruptModelFile,
    since: "0.1.0",
    doc: include_str!("damaged_tflite.md"),
    judge: Judge::File(judge),
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    if facts.format != Some(Format::Tflite) {
        return Vec::new();
    }
    let deadly = |kind| matches!(kind, FlawKind::Malformed | FlawKind::BreaksReader);
    let flaw = facts.flaws.iter().find(|flaw| deadly(flaw.kind));
    flaw.map(|flaw| {
        let finding = FileFinding::of_flaw(facts, flaw, setting);
        let kills = finding
            .effects
            .iter()
            .any(|it| it.does == EffectKind::Crashes);
        let again = "Copy or download it again and compare sizes and hashes.";
        let first = if kills {
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
    .into_iter()
    .collect()
}
