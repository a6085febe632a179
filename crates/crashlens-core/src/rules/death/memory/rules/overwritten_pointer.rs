//! A pointer that holds data instead of an address: something had written over it.

use crate::book::{Judge, Rule};
use crate::capture::{Place, Signal};
use crate::cause::Cause;
use crate::culprit::is_interpreter;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::memory::allocator_checks;

pub(super) static RULE: Rule = Rule {
    id: "MEM009",
    name: "overwritten-pointer",
    summary: "A pointer had been overwritten with other data, such as text or floating-point numbers.",
    causes: &[Cause::HeapCorruption],
    since: "0.1.0",
    doc: include_str!("overwritten_pointer.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    // What an allocator fills memory with is nothing that was written over it.
    if !facts.died_of(Signal::SEGV) || facts.in_allocator().is_some() || facts.fill().is_some() {
        return None;
    }
    let access = facts.access()?;
    if !matches!(facts.place()?, Place::NonCanonical) || facts.foreign_call().is_some() {
        return None;
    }
    // A good pointer with a wild index is another case, and an object of Python's too.
    let base = access
        .base
        .as_ref()
        .filter(|base| base.points_into.is_none())?;
    let top = facts.frames_at_fault().next()?;
    if is_interpreter(top.frame) {
        return None;
    }
    let (weight, what) = match looks_like(base.value.0) {
        Some(what) => (Weight::Strong, format!("its bytes are {what}")),
        None => (Weight::Weak, "no address has that form".to_owned()),
    };
    let headline = format!(
        "{} used a pointer that something had written over",
        facts.actor()
    );
    let claim = format!("Register {} held {}: {what}.", base.name, base.value);
    Some(
        Suspicion::new(Cause::HeapCorruption, headline)
            .supported(weight, FactRef::Fault, claim)
            .remedy(allocator_checks(facts))
            .remedy(Remedy::new(
                "Suspect what wrote into buffers before: ctypes, custom ops, own extensions.",
            )),
    )
}

/// What kind of data a word is, where its bytes tell.
fn looks_like(word: u64) -> Option<String> {
    let bytes = word.to_le_bytes();
    let [first, ..] = bytes;
    if bytes.iter().all(|byte| *byte == first) {
        return Some(format!("all {first:#04x}, a fill pattern"));
    }
    if bytes.iter().all(|byte| (0x20..0x7f).contains(byte)) {
        let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
        return Some(format!("the text `{text}`"));
    }
    let is_usual = |number: f64| number.is_normal() && (1e-6..1e9).contains(&number.abs());
    let [low, high] =
        [word as u32, (word >> 32) as u32].map(|half| f64::from(f32::from_bits(half)));
    if is_usual(low) && is_usual(high) {
        return Some(format!("the numbers {low} and {high} (float32)"));
    }
    let double = f64::from_bits(word);
    let is_round = word.trailing_zeros() >= 20;
    (is_usual(double) && is_round).then(|| format!("the number {double} (float64)"))
}

#[cfg(test)]
mod tests {
    use super::looks_like;

    #[test]
    fn words_of_data_are_told_from_words_that_may_be_anything() {
        for (word, what) in [
            (0x3f80_0000_3f80_0000, Some("the numbers 1 and 1 (float32)")),
            (0x4141_4141_4141_4141, Some("all 0x41, a fill pattern")),
            (
                u64::from_le_bytes(*b"hello wo"),
                Some("the text `hello wo`"),
            ),
            (0x3ff0_0000_0000_0000, Some("the number 1 (float64)")),
            (0x8000_55a7_cbd9_7c40, None),
        ] {
            assert_eq!(looks_like(word).as_deref(), what);
        }
    }
}
