//! HDF5 models of Keras 2 with layers that Keras 3 cannot make from what Keras 2 wrote of them.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, Format, ModelFacts, Part, Setting};
use crate::hazard::Severity;
use crate::remedy::Pip;
use crate::rule::Remedy;
use crate::rules::files::model::keras::{major, reader};

pub(super) static RULE: Rule = Rule {
    id: "MDL027",
    name: "old-keras-layers",
    summary: "An HDF5 model of Keras 2 has layers or losses that Keras 3 cannot load.",
    causes: &[Cause::BadInputValue],
    since: "0.1.0",
    doc: include_str!("old_keras_layers.md"),
    judge: Judge::File {
        looks_at: Scope::ModelsOf(&[Format::Hdf5]),
        says: [
            "was written by Keras 2 and has layers that Keras 3 cannot load",
            "were written by Keras 2 and have layers that Keras 3 cannot load",
        ],
        judge,
    },
};

/// Each was saved by Keras 2.15.0 in a model of its own and refused by Keras 3.15.1; 60 others were read.
const REFUSED: [&str; 25] = [
    "Attention",
    "Conv1DTranspose",
    "Conv2DTranspose",
    "Conv3DTranspose",
    "ConvLSTM1D",
    "ConvLSTM2D",
    "ConvLSTM3D",
    "DepthwiseConv1D",
    "DepthwiseConv2D",
    "Discretization",
    "GRU",
    "LSTM",
    "LocallyConnected1D",
    "LocallyConnected2D",
    "MultiHeadAttention",
    "RNN",
    "SeparableConv1D",
    "SeparableConv2D",
    "SimpleRNN",
    "SlicingOpLambda",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "SpatialDropout3D",
    "TFOpLambda",
    "ThresholdedReLU",
];

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    let model = facts.model().filter(|_| facts.format == Some(Format::Hdf5));
    let Some(model) = model else {
        return Vec::new();
    };
    let written = model.producer_version.as_deref().unwrap_or_default();
    let writer = written.parse().ok().and_then(|version| major(&version));
    let severity = match reader(setting) {
        Some(3..) => Severity::WillFail,
        Some(_) => return Vec::new(),
        None => Severity::WorthKnowing,
    };
    let refused = refused(model);
    if writer != Some(2) || refused.is_empty() {
        return Vec::new();
    }
    let detail = format!("Keras {written} wrote it, with {}", refused.join(", "));
    vec![
        FileFinding::new(severity, detail)
            .part(Part::Attribute.named("model_config"))
            .effect(
                EffectKind::Raises,
                &["2.21.0"],
                "ValueError: Unrecognized keyword arguments passed to LSTM: {'time_major': False}, Unknown layer, or \
                 TypeError: Error when deserializing class",
            )
            .effect(EffectKind::Odd, &["2.15.1"], "Keras 2 reads it")
            .remedy(Remedy::new(
                "Install tf-keras and set TF_USE_LEGACY_KERAS=1 before Python starts: that is Keras 2 beside the new one.",
            ).command_if(Pip::install(["tf-keras"])))
            .remedy(Remedy::new(
                "Or load it with the TensorFlow that wrote it, save the weights as .weights.h5, and build the model anew.",
            )),
    ]
}

/// What it has that Keras 3 refuses, as words.
fn refused(model: &ModelFacts) -> Vec<String> {
    let layers = || model.operations.iter().map(|layer| layer.name.as_str());
    let mut refused: Vec<String> = layers()
        .filter(|name| REFUSED.contains(name))
        .map(|name| format!("`{name}`"))
        .collect();
    // The settings of such an object are others now; its name alone would be understood.
    let is_object = |loss: &&String| loss.starts_with(|first: char| first.is_ascii_uppercase());
    if let Some(loss) = model.losses.iter().find(is_object) {
        refused.push(format!("the loss `{loss}` (not with compile=False)"));
    }
    // Either way round the shapes of the inner model are misread.
    if ["Functional", "Sequential"]
        .iter()
        .all(|kind| layers().any(|name| name == *kind))
    {
        refused.push("a sequential and a functional model in each other".to_owned());
    }
    refused.truncate(5);
    refused
}
