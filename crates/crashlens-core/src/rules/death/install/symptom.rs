//! How a version is known to die, and whether that is seen.

use std::collections::BTreeSet;

use crate::capture::MessageKind;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, NativeSight};
use crate::known_versions::Bad;

/// Frames from the fault outwards in which a symptom is looked for.
const NEAR: usize = 8;

/// What is seen of the way in which the version dies.
pub(super) fn seen(facts: &Facts<'_>, bad: &Bad) -> Option<(Weight, FactRef, String)> {
    let frames = facts.acting_frames();
    let is_under = bad.under.is_empty()
        || frames
            .iter()
            .any(|sight| bad.under.iter().any(|word| sight.function().contains(word)));
    let frame = frames.iter().take(NEAR).find(|sight| {
        bad.frames
            .iter()
            .any(|word| sight.function().contains(word))
            || bad
                .libraries
                .iter()
                .any(|word| sight.library().contains(word))
    });
    if let Some(sight) = frame.filter(|_| is_under) {
        let place = if sight.function().is_empty() {
            sight.library()
        } else {
            sight.function()
        };
        // Whoever asks for memory is the victim of a damaged heap; whoever gives it back may have written behind it.
        let weight = if asks_for_memory(facts, sight) {
            Weight::Weak
        } else {
            Weight::Strong
        };
        let claim = format!("It died in {}.", super::short(place));
        return Some((weight, sight.fact.clone(), claim));
    }
    let has_other = bad
        .with
        .as_ref()
        .is_none_or(|sign| facts.sign(sign).is_some());
    let sight = bad
        .signs
        .iter()
        .find_map(|sign| facts.sign(sign))
        .filter(|_| has_other);
    if let Some(sight) = sight {
        let claim = format!("It said: {}", sight.said());
        return Some((Weight::Strong, sight.fact.clone(), claim));
    }
    let wanted = bad
        .heap_messages
        .filter(|_| facts.is_text() && frames.is_empty())?;
    let mut heap = facts.messages().iter().enumerate();
    let last = heap.rfind(|(_, message)| message.kind == MessageKind::CLibrary)?;
    let of_heap = facts
        .messages()
        .iter()
        .filter(|message| message.kind == MessageKind::CLibrary);
    let different: BTreeSet<&str> = of_heap.map(|message| message.text.as_str()).collect();
    let claim = "Its runs ended with different words about a damaged heap, as chance has it.";
    let fact = FactRef::Message { index: last.0 };
    (different.len() >= wanted).then(|| (Weight::Weak, fact, claim.to_owned()))
}

/// Functions that give out memory.
const GIVES_OUT: [&str; 5] = ["malloc", "calloc", "memalign", "operator new", "tc_new"];

/// Whether it died in the allocator, below `sight`, while memory was asked for.
fn asks_for_memory(facts: &Facts<'_>, sight: &NativeSight<'_>) -> bool {
    facts.in_allocator().is_some()
        && facts
            .frames_at_fault()
            .take_while(|it| it.index < sight.index)
            .any(|it| {
                let name = it.function().split('(').next().unwrap_or_default();
                let name = name.rsplit("::").next().unwrap_or_default();
                name != "malloc_printerr" && GIVES_OUT.iter().any(|word| name.contains(word))
            })
}

/// In text that tells nothing else, for versions that are known for nothing but their signal.
pub(super) fn nothing_else(
    facts: &Facts<'_>,
    bad: &Bad,
    is_bad: Option<bool>,
) -> Option<(Weight, FactRef, String)> {
    let is_alone =
        bad.alone && is_bad == Some(true) && facts.is_text() && facts.last_words().is_none();
    let mut frames = facts.native_frames();
    let is_told = frames.any(|sight| sight.is_foreign()) || facts.python_frames().next().is_some();
    let claim = "It died of a signal, and the text tells nothing else about it.";
    (is_alone && !is_told).then(|| (Weight::Weak, FactRef::Ending, claim.to_owned()))
}
