//! An array of the program promises more elements than its memory holds.

use crate::book::{Judge, Rule};
use crate::capture::Signal;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::facts::arrays::written;
use crate::rule::{Remedy, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "MEM003",
    name: "array-bounds",
    summary: "An array declares more elements than its memory holds, and native code accessed one outside it.",
    causes: &[Cause::OutOfBounds],
    since: "0.1.0",
    doc: include_str!("array_bounds.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let access = facts.access().filter(|_| facts.died_of(Signal::SEGV))?;
    let stray = facts.stray_array(true)?;
    let (name, array) = (stray.name, stray.array);
    let shape = array.shape.as_deref().map(written).unwrap_or_default();
    let strides = array.strides.clone().unwrap_or_default();
    let (actor, done) = (facts.actor(), access.kind.done());
    let headline = format!(
        "{actor} {done} beyond the memory of array `{name}`, whose shape {shape} is too large for it"
    );
    let claim = format!(
        "`{name}` has the shape {shape} and strides {strides:?}: part of that is no memory."
    );
    let there = format!(
        "{} is among the elements of `{name}`, and nothing is mapped there.",
        access.address
    );
    let action = format!(
        "Make `{name}` no larger than its buffer: sliding_window_view checks what as_strided does not."
    );
    Some(
        Suspicion::new(Cause::OutOfBounds, headline)
            .supported(Weight::Decisive, stray.fact, claim)
            .supported(Weight::Strong, FactRef::Fault, there)
            .remedy(Remedy::new(action))
            .remedy(Remedy::new("Arrays made from an address (numpy.ctypeslib.as_array, numpy.frombuffer) need the true length.")),
    )
}
