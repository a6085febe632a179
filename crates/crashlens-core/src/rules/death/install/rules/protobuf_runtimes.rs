//! Two runtimes of protocol buffers worked on the same objects.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, NativeSight};
use crate::remedy::ShellLine;
use crate::rule::{Remedy, Risk, Suspicion};
use crate::rules::death::install::protobuf_locks;
use crate::rules::death::install::protobuf_shutdown;
use crate::rules::death::install::short;

pub(super) static RULE: Rule = Rule {
    id: "INS004",
    name: "protobuf-runtimes",
    summary: "Two copies of the C++ protobuf runtime worked on the same objects in one process.",
    causes: &[Cause::ProtobufClash],
    since: "0.1.0",
    doc: include_str!("protobuf_runtimes.md"),
    judge: Judge::Death(judge),
};

/// Functions of the runtime that no header expands into its users: whoever has one has a copy of the runtime.
const OWN_COPY: [&str; 7] = [
    "google::protobuf::MessageLite::",
    "google::protobuf::Message::",
    "google::protobuf::DescriptorPool::",
    "google::protobuf::internal::ThreadSafeArena::",
    "google::protobuf::internal::RepeatedPtrFieldBase::InternalExtend",
    "google::protobuf::internal::RepeatedPtrFieldBase::AddString",
    "google::protobuf::Arena::AllocateAligned",
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    two_in_one_stack(facts)
        .or_else(|| protobuf_shutdown::shut_down_twice(facts))
        .or_else(|| protobuf_locks::suspect(facts))
        .map(|suspicion| {
            suspicion.remedy(
                Remedy::new("Use one build of protobuf for all: everything from pip, or everything from one conda channel, with the C++ libprotobuf neither preloaded nor on LD_LIBRARY_PATH.")
                    .risk(Risk::Environment),
            )
        })
}

/// A separate libprotobuf called from a library that has its own, or the other way round.
fn two_in_one_stack(facts: &Facts<'_>) -> Option<Suspicion> {
    let frames = facts.acting_frames();
    let of_runtime: Vec<&NativeSight<'_>> = frames
        .iter()
        .filter(|sight| OWN_COPY.iter().any(|name| sight.function().contains(name)))
        .collect();
    let separate = of_runtime
        .iter()
        .find(|sight| sight.library().starts_with("libprotobuf"))?;
    let bundled = of_runtime
        .iter()
        .find(|sight| !sight.library().is_empty() && !sight.library().starts_with("libprotobuf"))?;
    let headline = format!(
        "Two runtimes of protobuf worked on the same message: {} and the one inside {}",
        separate.library(),
        bundled.library()
    );
    let claim = |sight: &NativeSight<'_>| {
        format!("{} ran in {}.", short(sight.function()), sight.library())
    };
    let mut suspicion = Suspicion::new(Cause::ProtobufClash, headline)
        .supported(Weight::Decisive, separate.fact.clone(), claim(separate))
        .supported(Weight::Decisive, bundled.fact.clone(), claim(bundled));
    if let Some((fact, value)) = facts
        .preloaded()
        .filter(|(_, value)| value.contains("libprotobuf"))
    {
        suspicion = suspicion
            .supported(
                Weight::Strong,
                fact,
                format!("LD_PRELOAD put it in: {value}."),
            )
            .remedy(Remedy::new("Do not preload it.").command(ShellLine::unix("unset LD_PRELOAD")));
    }
    // Since 2.19 TensorFlow offers its symbols to everything that is loaded after it.
    Some(suspicion.remedy(Remedy::new(
        "Load the library that uses libprotobuf before TensorFlow: it then finds its own.",
    )))
}
