//! A runtime that is shut down twice.

use crate::capture::MessageKind;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::Suspicion;

/// What it frees at exit are its own tables, which a second copy may have freed before.
pub(super) fn shut_down_twice(facts: &Facts<'_>) -> Option<Suspicion> {
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
pub(super) fn is_for_another(facts: &Facts<'_>) -> bool {
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
