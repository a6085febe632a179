//! A pointer that holds data instead of an address: something had written over it.

use crate::capture::{Place, Signal};
use crate::cause::Cause;
use crate::culprit::is_interpreter;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "MEM005",
    name: "overwritten-pointer",
    causes: &[Cause::HeapCorruption],
    since: "0.1.0",
    doc: include_str!("overwritten_pointer.md"),
    judge,
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if !facts.died_of(Signal::SEGV) || facts.in_allocator().is_some() {
        return None;
    }
    let access = facts.access()?;
    if !matches!(facts.place()?, Place::NonCanonical) || facts.bad_argument().is_some() {
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
    let looks = looks_like(base.value.0);
    let (weight, what) = match &looks {
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
            .remedy(
                Remedy::new("Run again with the allocator's checks on: it then stops nearer to the code that wrote there.")
                    .command("MALLOC_CHECK_=3 MALLOC_PERTURB_=165 GLIBC_TUNABLES=glibc.malloc.check=3 crashlens run -- python your_script.py"),
            )
            .remedy(Remedy::new("Suspect what wrote into buffers before: ctypes calls, custom ops, extensions of your own.")),
    )
}

/// What kind of data a word is, where its bytes tell.
fn looks_like(word: u64) -> Option<String> {
    let bytes = word.to_le_bytes();
    let first = bytes[0];
    if bytes.iter().all(|byte| *byte == first) {
        return Some(format!("all {first:#04x}, as a fill pattern"));
    }
    if bytes.iter().all(|byte| (0x20..0x7f).contains(byte)) {
        let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
        return Some(format!("the text `{text}`"));
    }
    let is_usual = |number: f64| number.is_normal() && (1e-6..1e9).contains(&number.abs());
    let halves = [word as u32, (word >> 32) as u32].map(|half| f64::from(f32::from_bits(half)));
    if halves.iter().all(|half| is_usual(*half)) {
        return Some(format!(
            "the numbers {} and {} (float32)",
            halves[0], halves[1]
        ));
    }
    let double = f64::from_bits(word);
    (is_usual(double) && word.trailing_zeros() >= 20)
        .then(|| format!("the number {double} (float64)"))
}

#[cfg(test)]
mod tests {
    use super::looks_like;

    #[test]
    fn words_of_data_are_told_from_words_that_may_be_anything() {
        assert_eq!(
            looks_like(0x3f80_0000_3f80_0000).unwrap(),
            "the numbers 1 and 1 (float32)"
        );
        assert!(
            looks_like(0x4141_4141_4141_4141)
                .unwrap()
                .contains("fill pattern")
        );
        assert_eq!(
            looks_like(u64::from_le_bytes(*b"hello wo")).unwrap(),
            "the text `hello wo`"
        );
        assert_eq!(
            looks_like(0x3ff0_0000_0000_0000).unwrap(),
            "the number 1 (float64)"
        );
        assert_eq!(looks_like(0x8000_55a7_cbd9_7c40), None);
    }
}
