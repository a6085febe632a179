//! Two libraries registered the same protocol buffer file.

use crate::book::{Judge, Rule};
use crate::capture::MessageKind;
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, Sighting};
use crate::remedy::Again;
use crate::rule::{Remedy, Risk, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "INS003",
    name: "protobuf-descriptor",
    summary: "Two libraries registered the same `.proto` file in one protobuf runtime, which then aborted.",
    causes: &[Cause::ProtobufClash],
    since: "0.1.0",
    doc: include_str!("protobuf_descriptor.md"),
    judge: Judge::Death(judge),
};

/// Beginnings of the files that some libraries bring, and who they are. The longest that fits tells most.
const OWNERS: [(&str, &str); 5] = [
    ("tensorflow/compiler/xla/", "TensorFlow and jaxlib"),
    ("xla/", "TensorFlow and jaxlib"),
    ("tensorflow/", "two copies of TensorFlow's libraries"),
    ("google/protobuf/", "two copies of protobuf's own runtime"),
    ("onnx/", "two packages that bring ONNX"),
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let twice = facts.sign("protobuf-file-twice");
    let invalid = facts.sign("protobuf-invalid-descriptor");
    let version = facts.sign("protobuf-library-version");
    if let Some(sight) = facts
        .sign("protobuf-generated-code")
        .filter(|_| facts.signal().is_none())
    {
        return Some(generated_code(sight));
    }
    let sight = twice.or(invalid).or(version)?;
    let file = twice.and_then(|sight| sight.group("file"));
    // The line is an error; what ends the process is the check that follows it.
    let is_end = facts.fatal_message(MessageKind::Protobuf).is_some()
        || facts
            .lines()
            .any(|(_, line)| line.contains("google::protobuf::FatalException"));
    let weight = if is_end || facts.is_text() {
        Weight::Decisive
    } else {
        Weight::Strong
    };
    let headline = match (file, version) {
        (Some(file), _) => {
            format!("Two libraries in the process both registered the protocol buffer file {file}")
        }
        (None, Some(_)) => {
            "A library was built for another version of protobuf than the one that is loaded"
                .to_owned()
        }
        (None, None) => {
            "Two copies of protobuf in the process registered descriptors that do not fit together"
                .to_owned()
        }
    };
    let mut suspicion = Suspicion::new(Cause::ProtobufClash, headline).supported(
        weight,
        sight.fact.clone(),
        format!("protobuf said: {}", sight.said()),
    );
    let owners = file.and_then(|file| OWNERS.iter().find(|(begin, _)| file.starts_with(begin)));
    suspicion = suspicion.remedy(match owners {
        Some((_, owners)) => Remedy::new(format!(
            "Find the two that bring the file (most often {owners}), and load only one of them in this process."
        )),
        None => Remedy::new("Find the two libraries that bring the file, and load only one of them in this process."),
    }
    .command(Again::new().flags("-X importtime").read_by("2>&1 | grep -iE 'tensorflow|jax|onnx|protobuf|ortools'")));
    Some(suspicion.remedy(
        Remedy::new("Install both from the same source (all from pip, or all from one conda channel), so that they share one protobuf or hide their own.")
            .risk(Risk::Environment),
    ))
}

/// Python's own protobuf refuses code that was generated for another version: an exception, not a crash.
fn generated_code(sight: &Sighting<'_>) -> Suspicion {
    let headline =
        "The Python package protobuf is of another version than the code that was generated for it";
    Suspicion::new(Cause::ProtobufClash, headline)
        .supported(
            Weight::Strong,
            sight.fact.clone(),
            format!("protobuf said: {}", sight.said()),
        )
        .remedy(
            Remedy::new("Install the protobuf that the package asks for; pip tells which.")
                .command("pip check; pip show tensorflow | grep -i requires")
                .risk(Risk::Environment),
        )
}
