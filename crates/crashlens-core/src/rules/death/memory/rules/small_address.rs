//! Text that gives a small address: perhaps a null pointer.

use crate::book::{Judge, Rule};
use crate::capture::Signal;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::remedy::Again;
use crate::rule::{Remedy, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "MEM002",
    name: "small-address",
    summary: "A log gives an address close to zero for the fault, which can mean a null pointer.",
    causes: &[Cause::NullPointer],
    since: "0.1.0",
    doc: include_str!("small_address.md"),
    judge: Judge::Death(judge),
};

/// The first page, where a field of an object at address 0 is.
const FIRST_PAGE: u64 = 0x1000;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let ending = &facts.capture().ending;
    let is_fault = facts.died_of(Signal::SEGV) && facts.fault().is_none();
    // Behind SI_KERNEL stands an address that the kernel does not tell: its 0 is none.
    let is_told = !facts.signal_was_sent() && ending.code.as_deref() != Some("SI_KERNEL");
    let address = ending
        .address
        .filter(|it| it.0 < FIRST_PAGE && is_fault && is_told)?;
    let headline = format!(
        "{} may have used an object that is not there",
        facts.actor()
    );
    let claim = format!(
        "The fault was at address {address}: a null pointer, or garbage that is a small number."
    );
    Some(
        Suspicion::new(Cause::NullPointer, headline)
            .supported(Weight::Weak, FactRef::Ending, claim)
            .remedy(
                Remedy::new(
                    "Run it under crashlens, which reads the instruction and the arguments.",
                )
                .command(Again::under_crashlens()),
            ),
    )
}
