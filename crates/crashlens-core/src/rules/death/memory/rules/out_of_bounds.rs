//! Code read or wrote outside of its buffer.

use crate::book::{Judge, Rule};
use crate::capture::{Access, AccessKind, Mapping, Place, Signal};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "MEM004",
    name: "out-of-bounds",
    summary: "Native code read or wrote outside a buffer and reached memory that is not mapped.",
    causes: &[Cause::OutOfBounds],
    since: "0.1.0",
    doc: include_str!("out_of_bounds.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if !facts.died_of(Signal::SEGV) || facts.in_allocator().is_some() {
        return None;
    }
    if facts.bad_argument().is_some() || facts.foreign_access().is_some() {
        return None;
    }
    let access = facts
        .access()
        .filter(|access| access.kind != AccessKind::Execute)?;
    let (weight, claim) = by_index(facts, access).or_else(|| by_place(facts, access))?;
    let headline = format!(
        "{} {} outside of its buffer",
        facts.actor(),
        access.kind.done()
    );
    let mut suspicion =
        Suspicion::new(Cause::OutOfBounds, headline).supported(weight, FactRef::Fault, claim);
    if let Some(array) = facts.stray_array(false) {
        let name = array.name;
        let claim = format!("No memory is left at all where the elements of `{name}` begin.");
        suspicion = suspicion.opposed(Weight::Strong, array.fact, claim);
    }
    let line = facts.in_user_line();
    let action =
        format!("Check indices, sizes and lengths{line} against the shapes that they are for.");
    Some(suspicion.remedy(Remedy::new(action)))
}

/// The pointer is good, and what is added to it is not.
fn by_index(facts: &Facts<'_>, access: &Access) -> Option<(Weight, String)> {
    let (index, base) = access.index.as_ref().zip(access.base.as_ref())?;
    base.points_into.as_ref()?;
    let is_outside = !matches!(
        facts.place()?,
        Place::StackOverflow | Place::NullPage { .. } | Place::Released { .. }
    );
    let claim = format!(
        "Register {} points into memory; with the index in {} ({}) the address is {}, outside of it.",
        base.name, index.name, index.value, access.address
    );
    let is_right_behind = matches!(facts.place()?, Place::PastEnd { .. });
    let weight = if is_right_behind {
        Weight::Decisive
    } else {
        Weight::Strong
    };
    is_outside.then_some((weight, claim))
}

fn by_place(facts: &Facts<'_>, access: &Access) -> Option<(Weight, String)> {
    let address = access.address;
    match facts.place()? {
        Place::PastEnd {
            mapping,
            distance,
            pointed_into,
        } => {
            // One step beyond, with a pointer into the memory at hand: a loop that ran out of it.
            let is_step = *pointed_into && *distance < 256;
            let weight = if is_step {
                Weight::Decisive
            } else {
                Weight::Strong
            };
            Some((
                weight,
                format!(
                    "{address} is {distance} bytes behind the end of {}.",
                    named(mapping)
                ),
            ))
        }
        Place::NoAccess { mapping } if mapping.path.is_none() => Some((
            Weight::Strong,
            format!("{address} is in memory that is reserved and not in use."),
        )),
        // What fits into 32 bits is rather a pointer that was cut than one that ran away.
        Place::Unmapped { .. } if address.0 >> 32 != 0 => {
            let (distance, mapping) = facts.nearest_mapping()?;
            let (distance, name) = (distance >> 10, named(mapping));
            let claim = format!("Nothing is mapped at {address}, {distance} KB away from {name}.");
            Some((Weight::Strong, claim))
        }
        _ => None,
    }
}

fn named(mapping: &Mapping) -> String {
    match mapping.path.as_deref() {
        Some("[heap]") => "the heap".to_owned(),
        Some("[stack]") => "the stack".to_owned(),
        Some(path) => format!("`{path}`"),
        None => "a block of memory".to_owned(),
    }
}
