//! The machine itself is faulty.

use crate::book::{Judge, Rule};
use crate::capture::Signal;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, excerpt};
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::processes::devices;
use crate::rules::death::processes::kernel_lines;

pub(super) static RULE: Rule = Rule {
    id: "PRO005",
    name: "hardware",
    summary: "The hardware failed: memory, disk, GPU or processor reported an error.",
    causes: &[Cause::Hardware],
    since: "0.1.0",
    doc: include_str!("hardware.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let code = facts.capture().ending.code.as_deref().unwrap_or_default();
    if code.starts_with("BUS_MCEERR") {
        let claim = format!(
            "The kernel took the memory away because the hardware reported it broken ({code})."
        );
        let suspicion = broken_memory().supported(Weight::Decisive, FactRef::Ending, claim);
        return Some(test_memory(suspicion));
    }
    let is_taken = facts.is_text() || facts.died_of(Signal::BUS) || facts.died_of(Signal::KILL);
    if let Some(sight) = facts.sign("memory-reported-broken").filter(|_| is_taken) {
        let claim = format!("The kernel said so: \"{}\".", excerpt(sight.text));
        let suspicion = broken_memory().supported(Weight::Decisive, sight.fact.clone(), claim);
        return Some(test_memory(suspicion));
    }
    if let Some(suspicion) = machine_checks(facts) {
        return Some(test_memory(suspicion));
    }
    devices::lost(facts).or_else(|| devices::broken_disk(facts))
}

/// Errors that the machine reports; most of those that it puts right by itself harm nobody.
fn machine_checks(facts: &Facts<'_>) -> Option<Suspicion> {
    let id = "machine-reported-broken";
    let worst = facts.signs(id).find(|sight| {
        kernel_lines::is_uncorrected(sight.text) && !kernel_lines::is_long_past(facts, sight.text)
    });
    let weight = if worst.is_some() {
        Weight::Strong
    } else {
        Weight::Weak
    };
    let sight = worst.or_else(|| facts.sign(id))?;
    let claim = format!("The machine said: \"{}\".", excerpt(sight.text));
    let headline = "The machine reported errors of its hardware";
    let suspicion = Suspicion::new(Cause::Hardware, headline);
    Some(suspicion.supported(weight, sight.fact.clone(), claim))
}

fn broken_memory() -> Suspicion {
    Suspicion::new(Cause::Hardware, "A part of the machine's memory is broken")
}

fn test_memory(suspicion: Suspicion) -> Suspicion {
    suspicion
        .remedy(Remedy::new("Run the same program on another machine: if it lives there, it is the machine."))
        .remedy(Remedy::new("Read what the machine recorded.").command("sudo journalctl -k -g 'Hardware Error|mce|EDAC'"))
        .remedy(Remedy::new(
            "Test the memory with memtest86+ over a night, without overclocking (XMP and EXPO profiles off).",
        ))
}
