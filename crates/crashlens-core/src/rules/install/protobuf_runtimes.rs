//! Two runtimes of protocol buffers worked on the same objects.

use crate::capture::MessageKind;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, NativeSight};
use crate::rule::{Remedy, Risk, Rule, Suspicion};

mod locks;

pub(crate) static RULE: Rule = Rule {
    id: "INS004",
    name: "protobuf-runtimes",
    causes: &[Cause::ProtobufClash],
    since: "0.1.0",
    doc: include_str!("protobuf_runtimes.md"),
    judge,
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
        .or_else(|| shut_down_twice(facts))
        .or_else(|| locks::suspect(facts))
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
        format!(
            "{} ran in {}.",
            super::short(sight.function()),
            sight.library()
        )
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
            .remedy(Remedy::new("Do not preload it.").command("unset LD_PRELOAD"));
    }
    // Since 2.19 TensorFlow offers its symbols to everything that is loaded after it.
    Some(suspicion.remedy(Remedy::new(
        "Load the library that uses libprotobuf before TensorFlow: it then finds its own.",
    )))
}

/// What it frees at exit are its own tables, which a second copy may have freed before.
fn shut_down_twice(facts: &Facts<'_>) -> Option<Suspicion> {
    let frame =
        facts.frame_calling(&["ShutdownProtobufLibrary", "DestroyDefaultRepeatedFields"])?;
    let claim = format!(
        "It died in {} while libraries were being unloaded.",
        super::short(frame.function())
    );
    let headline = "protobuf was shut down twice when the process ended, because two libraries share one copy of it";
    let mut suspicion = Suspicion::new(Cause::ProtobufClash, headline);
    suspicion = suspicion.supported(Weight::Strong, frame.fact, claim);
    let said = facts.fatal_message(MessageKind::CLibrary);
    let said = said.map(|(fact, _)| fact);
    if is_for_another(facts) {
        let claim = "What was freed is one of protobuf's own tables, because another library that uses it was unloaded.";
        let fact = said.unwrap_or(FactRef::Ending);
        return Some(suspicion.supported(Weight::Strong, fact, claim));
    }
    let noticed = facts.in_allocator().map(|sight| sight.fact);
    if let Some(fact) = noticed.or(said) {
        let claim = "The allocator noticed it: a heap that anything had damaged before is noticed at such a place too.";
        suspicion = suspicion.opposed(Weight::Strong, fact, claim);
    }
    Some(suspicion)
}

/// Whether what was being freed is one of protobuf's own tables and nothing else, because another library that uses
/// it was unloaded: that is the second time, or another copy's table.
fn is_for_another(facts: &Facts<'_>) -> bool {
    let frames = facts.acting_frames();
    let Some(top) = frames.first() else {
        return false;
    };
    let caller = frames
        .iter()
        .find(|sight| !sight.function().contains("google::protobuf::"));
    top.function().contains("DestroyDefaultRepeatedFields")
        && caller.is_some_and(|caller| caller.is_foreign() && caller.library() != top.library())
}
