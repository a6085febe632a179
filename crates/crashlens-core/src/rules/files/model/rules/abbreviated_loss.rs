//! HDF5 models whose loss has a short name, which Keras 3 writes and does not read.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, Format, Part, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "MDL026",
    name: "abbreviated-loss",
    summary: "An HDF5 model was compiled with an abbreviated loss name that Keras 3 cannot load.",
    causes: &[Cause::BadInputValue],
    since: "0.1.0",
    doc: include_str!("abbreviated_loss.md"),
    judge: Judge::File {
        looks_at: Scope::ModelsOf(&[Format::Hdf5]),
        says: [
            "was compiled with a short name, which Keras 3 cannot load",
            "were compiled with a short name, which Keras 3 cannot load",
        ],
        judge,
    },
};

/// Each was tried, in small and in capital letters where it has both.
const SHORT: [&str; 8] = [
    "mse",
    "mae",
    "mape",
    "msle",
    "bce",
    "kld",
    "logcosh",
    "kullback_leibler_divergence",
];

fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    let Some(model) = facts.model().filter(|_| facts.format == Some(Format::Hdf5)) else {
        return Vec::new();
    };
    let is_short = |loss: &&String| SHORT.contains(&loss.to_ascii_lowercase().as_str());
    let Some(loss) = model.losses.iter().find(is_short) else {
        return Vec::new();
    };
    let environment = setting.environment.as_ref();
    let installed = environment.and_then(|survey| survey.version_of("keras"));
    let written = model.producer_version.as_deref().unwrap_or_default();
    // Who wrote it with Keras 3 reads it with Keras 3, unless an environment says otherwise.
    let reader = installed.or_else(|| written.parse().ok());
    let severity = match reader.and_then(|version| version.release().first().copied()) {
        Some(3..) => Severity::WillFail,
        Some(_) | None if environment.is_some() => return Vec::new(),
        Some(_) | None => Severity::WorthKnowing,
    };
    let detail = format!("it was compiled with the loss `{loss}`");
    vec![
        FileFinding::new(severity, detail)
            .part(Part::Attribute.named("training_config"))
            .effect(
                EffectKind::Raises,
                &["2.18.1", "2.21.0"],
                "ValueError: Could not deserialize 'keras.metrics.mse' because it is not a KerasSaveable subclass",
            )
            .effect(EffectKind::Odd, &["2.15.1"], "Keras 2 reads it")
            .remedy(Remedy::new(
                "Load it with load_model(path, compile=False), compile it with the long name (`mean_squared_error`) \
                 and save it again; or save it as .keras.",
            )),
    ]
}
