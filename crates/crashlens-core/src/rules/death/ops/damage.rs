//! Words and facts about damaged files.

use crate::capture::{Resource, ResourceUse};
use crate::culprit::is_machinery_frame;
use crate::evidence::FactRef;
use crate::facts::{Facts, NativeSight};

/// Whether a message speaks of damaged records.
pub(super) fn is_lost_data(message: &str) -> bool {
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    says(&[
        "corrupted record at",
        "truncated record at",
        "Data loss:",
        "DATA_LOSS:",
    ]) && !is_lost_checkpoint(message)
}

/// Whether a message speaks of a damaged checkpoint.
pub(super) fn is_lost_checkpoint(message: &str) -> bool {
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    let of_checkpoint = says(&[
        "sstable",
        "checkpoint",
        "Unable to open table file",
        "block checksum mismatch",
    ]);
    of_checkpoint
        && says(&[
            "Data loss",
            "DATA_LOSS",
            "corrupt",
            "not an sstable",
            "Unable to open table file",
        ])
}

/// Frames further out than this have other things between them and the fault.
const NEAR: usize = 8;

/// The reader of a file that was at work itself when it died: its own library is on top, but for what only moves
/// bytes, and the allocator did not find damage that somebody else had done.
pub(super) fn reader_at_fault<'a>(facts: &Facts<'a>, readers: &[&str]) -> Option<NativeSight<'a>> {
    let is_victim = facts.in_allocator().is_some() || facts.heap_words().is_some();
    let reader = facts
        .frame_calling(readers)
        .filter(|it| !is_victim && it.index < NEAR)?;
    let actor = facts
        .frames_at_fault()
        .find(|sight| !is_machinery_frame(sight.frame))?;
    (actor.library() == reader.library() && actor.index <= reader.index).then_some(reader)
}

/// A limit of memory that was met, or nearly: the readers do not test whether they got memory.
pub(super) fn memory_was_short(facts: &Facts<'_>) -> Option<(FactRef, String)> {
    let resources = facts.capture().circumstances.resources.known()?;
    let is_memory = |it: &&ResourceUse| {
        matches!(
            it.resource,
            Resource::AddressSpace | Resource::Data | Resource::Memory
        )
    };
    let short = resources.iter().filter(is_memory).find(|it| {
        let used = it.used.max(it.peak);
        let nearly = it
            .limit
            .zip(used)
            .is_some_and(|(limit, used)| used >= limit / 10 * 9);
        nearly || it.met.is_some_and(|met| met > 0)
    })?;
    let claim = format!(
        "Memory was short: the limit {} was nearly met.",
        short.set_by
    );
    Some((
        FactRef::Resource {
            resource: short.resource,
        },
        claim,
    ))
}
