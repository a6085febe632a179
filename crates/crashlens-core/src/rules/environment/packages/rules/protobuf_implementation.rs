//! `PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION` that asks for what protobuf does not have.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::rule::Remedy;
use crate::rules::environment::packages::commands::named;
use crate::survey::{IMPLEMENTATION, Survey};

pub(super) static RULE: Rule = Rule {
    id: "PKG011",
    name: "protobuf-implementation",
    summary: "`PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION` asks for an implementation that is not installed.",
    causes: &[Cause::ProtobufClash],
    since: "0.1.0",
    doc: include_str!("protobuf_implementation.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let Some(value) = survey.variable(IMPLEMENTATION) else {
        return Look::nothing().blind_to("variables", &survey.variables, &survey.gaps);
    };
    let Some(protobuf) = survey.distribution("protobuf") else {
        return Look::nothing();
    };
    let look = Look::at(format!("{IMPLEMENTATION}={value}"));
    let module = match value {
        "cpp" => "/google/protobuf/pyext/_message.",
        "upb" => "/google/_upb/_message.",
        _ => return look,
    };
    let is_there = survey.native.iter().any(|file| {
        let extension = file.extension.as_ref();
        file.path.contains(module) && extension.is_none_or(|it| it.is_importable)
    });
    // Where no native file was looked at, nothing is known of this one either.
    if is_there || survey.native.is_empty() {
        return look;
    }
    let headline = format!(
        "{IMPLEMENTATION}={value} asks {} for an implementation that it does not have",
        named(protobuf)
    );
    let name = protobuf.name.clone();
    let hazard = Hazard::new(Severity::WillFail, Cause::ProtobufClash, headline)
        .because(
            FactRef::Variable {
                name: IMPLEMENTATION.to_owned(),
            },
            format!(
                "It is {value}, and whatever imports protobuf (TensorFlow too) gets an ImportError."
            ),
        )
        .because(
            FactRef::Package { name },
            format!("It brings no file like …{module}*.so."),
        )
        .unless("Programs are started without that variable.")
        .package(protobuf.package())
        .remedy(
            Remedy::new("Take the variable out and let protobuf choose")
                .command(format!("unset {IMPLEMENTATION}")),
        );
    look.found(hazard)
}
