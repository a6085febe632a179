//! Keras models with code of their own in them.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, Format, Part, Setting};
use crate::hazard::Severity;
use crate::rule::{Remedy, Risk};

pub(super) static RULE: Rule = Rule {
    id: "MDL022",
    name: "lambda-layer",
    summary: "A Keras model contains Python bytecode in a Lambda layer.",
    causes: &[Cause::InterpreterMisuse],
    since: "0.1.0",
    doc: include_str!("lambda_layer.md"),
    judge: Judge::File {
        looks_at: Scope::ModelsOf(&[Format::Keras, Format::Hdf5]),
        says: [
            "carries Python code in a Lambda layer",
            "carry Python code in Lambda layers",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    if !matches!(facts.format, Some(Format::Keras | Format::Hdf5)) {
        return Vec::new();
    }
    let layers = facts.model().map_or(&[][..], |model| &model.operations);
    let lambda = layers.iter().find(|layer| layer.name == "Lambda");
    let Some(lambda) = lambda else {
        return Vec::new();
    };
    let detail = match lambda.count {
        1 => "a Lambda layer holds bytecode of Python, which runs when the model does".to_owned(),
        count => {
            format!("{count} Lambda layers hold bytecode of Python, which runs when the model does")
        }
    };
    vec![
        FileFinding::new(Severity::CanCrash, detail)
            .part(Part::Layer.named(&lambda.first))
            .effect(
                EffectKind::Raises,
                &["2.15.1", "2.21.0"],
                "an archive is refused: \"Requested the deserialization of a Lambda layer\"",
            )
            .effect(
                EffectKind::Odd,
                &["2.12.1", "2.15.1"],
                "HDF5 is read, and the code in it runs",
            )
            .remedy(Remedy::new(
                "Put the function into a layer class of your own, registered by name, and save anew.",
            ))
            .remedy(
                Remedy::new("Load it with safe_mode=False, if you trust whoever made it.")
                    .risk(Risk::Results),
            ),
    ]
}
