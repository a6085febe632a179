//! Keras files that another version of Keras cannot read.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, Format, ModelFacts, Part, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;
use crate::rules::files::model::keras::{major, reader};

pub(super) static RULE: Rule = Rule {
    id: "MDL024",
    name: "keras-version-trap",
    summary: "A Keras file can be read only by some versions of Keras.",
    causes: &[Cause::BadInputValue],
    since: "0.1.0",
    doc: include_str!("keras_version_trap.md"),
    judge: Judge::File {
        looks_at: Scope::ModelsOf(&[Format::Keras, Format::Hdf5]),
        says: [
            "can be read by some versions of Keras only",
            "can be read by some versions of Keras only",
        ],
        judge,
    },
};

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    let Some(model) = facts.model() else {
        return Vec::new();
    };
    let is_archive = facts.extension().as_deref() == Some("keras");
    let reader = reader(setting);
    let written = model.producer_version.as_deref().unwrap_or_default();
    let writer = written.parse().ok().and_then(|version| major(&version));
    let finding = match (facts.format, writer) {
        // The layers of a model are in its configuration; without one there are weights alone.
        (Some(Format::Hdf5), _) if is_archive && model.operations.is_empty() => weights_alone(),
        (Some(Format::Hdf5), _) if is_archive => inner_hdf5(written, reader),
        (Some(Format::Keras), Some(2)) if is_functional(model) => old_archive(written, reader),
        (Some(Format::Keras | Format::Hdf5), Some(3)) if reader == Some(2) => new_archive(written),
        _ => return Vec::new(),
    };
    vec![finding.part(Part::File)]
}

/// A module that functional models name moved; sequential ones of built-in layers load.
fn is_functional(model: &ModelFacts) -> bool {
    let mut layers = model.operations.iter();
    layers.any(|layer| layer.name == "Functional")
}

fn severity(reader: Option<u64>) -> Severity {
    match reader {
        Some(3..) => Severity::WillFail,
        _ => Severity::WorthKnowing,
    }
}

/// TensorFlow 2.12 wrote HDF5 under the name of the archive.
fn inner_hdf5(written: &str, reader: Option<u64>) -> FileFinding {
    let detail = format!("its name says Keras archive, and it is HDF5, written by Keras {written}");
    FileFinding::new(severity(reader), detail)
        .effect(
            EffectKind::Raises,
            &["2.21.0"],
            "ValueError: File not found … Please ensure the file is an accessible `.keras` zip file",
        )
        .effect(EffectKind::Odd, &["2.12.1", "2.15.1"], "Keras 2 reads it")
        .remedy(Remedy::new(
            "Rename it to end in .h5; Keras 2 and 3 read HDF5 under that name.",
        ))
}

fn weights_alone() -> FileFinding {
    let detail = "its name says Keras archive, and it is HDF5 with weights and without a model";
    FileFinding::new(Severity::WillFail, detail)
        .effect(
            EffectKind::Raises,
            &["2.12.1", "2.15.1", "2.21.0"],
            "load_model: ValueError: No model config found, or File not found",
        )
        .remedy(Remedy::new(
            "Rename it to end in .weights.h5, build the model, and read it with model.load_weights().",
        ))
}

fn old_archive(written: &str, reader: Option<u64>) -> FileFinding {
    let detail =
        format!("it was written by Keras {written}, whose functional models Keras 3 cannot read");
    FileFinding::new(severity(reader), detail)
        .effect(
            EffectKind::Raises,
            &["2.21.0"],
            "TypeError: its parent module keras.src.engine.functional cannot be imported",
        )
        .remedy(Remedy::new(
            "Load it with the TensorFlow that wrote it, save the weights as .weights.h5, and build the model anew.",
        ))
}

fn new_archive(written: &str) -> FileFinding {
    let detail = format!("it was written by Keras {written}, and Keras 2 is to read it");
    FileFinding::new(Severity::WillFail, detail)
        .effect(
            EffectKind::Raises,
            &["2.12.1", "2.15.1"],
            "TypeError: Error when deserializing class 'InputLayer' using config={'batch_shape': …",
        )
        .remedy(Remedy::new("Load it with TensorFlow 2.16 or later."))
}
