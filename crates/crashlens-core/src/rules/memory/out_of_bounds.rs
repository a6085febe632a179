//! Code read or wrote outside of its buffer.

use crate::capture::{Access, AccessKind, Mapping, Place, Signal};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::facts::arrays::written;
use crate::facts::fault::REACH;
use crate::rule::{Remedy, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "MEM002",
    name: "out-of-bounds",
    causes: &[Cause::OutOfBounds],
    since: "0.1.0",
    doc: include_str!("out_of_bounds.md"),
    judge,
};

/// Addresses that do not fit into 32 bits: what does is rather a pointer that was cut.
const BEYOND_32_BITS: u64 = 1 << 32;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if let Some(sight) = facts.sign("address-sanitizer-overflow") {
        let headline = format!(
            "{} went outside of its buffer (AddressSanitizer)",
            facts.actor()
        );
        return Some(
            Suspicion::new(Cause::OutOfBounds, headline)
                .supported(Weight::Decisive, sight.fact.clone(), format!("AddressSanitizer says `{}`.", sight.text.trim()))
                .remedy(Remedy::new("Follow the two stacks that AddressSanitizer prints: the access, and where the buffer was made.")),
        );
    }
    if !facts.died_of(Signal::SEGV) || facts.signal_was_sent() || facts.in_allocator().is_some() {
        return None;
    }
    let access = facts
        .access()
        .filter(|access| access.kind != AccessKind::Execute)?;
    let (weight, claim) = beside_array(facts).or_else(|| at_place(facts, access))?;
    let verb = if access.kind == AccessKind::Write {
        "wrote"
    } else {
        "read"
    };
    let array = facts.stray_arrays().find(|array| array.begins_mapped);
    let headline = match &array {
        Some(array) => format!(
            "{} {verb} outside of array `{}`, whose shape and strides reach beyond its buffer",
            facts.actor(),
            array.name
        ),
        None => format!("{} {verb} outside of its buffer", facts.actor()),
    };
    let mut suspicion =
        Suspicion::new(Cause::OutOfBounds, headline).supported(weight, FactRef::Fault, claim);
    if let Some(array) = array {
        let shape = array
            .array
            .shape
            .as_deref()
            .map(written)
            .unwrap_or_default();
        let strides = array.array.strides.clone().unwrap_or_default();
        let claim = format!(
            "`{}` has the shape {shape} and the strides {strides:?}, and not all of that is memory.",
            array.name
        );
        suspicion = suspicion.supported(Weight::Decisive, array.fact, claim).remedy(Remedy::new(format!(
            "Compute the shape of `{}` from the size of its buffer: numpy.lib.stride_tricks.sliding_window_view checks what as_strided does not.", array.name
        )));
    }
    if let Some(array) = facts.stray_arrays().find(|array| !array.begins_mapped) {
        let claim = format!(
            "No memory is left at all where the elements of `{}` begin.",
            array.name
        );
        suspicion = suspicion.opposed(Weight::Strong, array.fact, claim);
    }
    Some(suspicion.remedy(remedy(facts)))
}

/// An array of the program that reaches beyond its memory.
fn beside_array(facts: &Facts<'_>) -> Option<(Weight, String)> {
    let array = facts.stray_arrays().find(|array| array.begins_mapped)?;
    let claim = format!(
        "The address is among the elements of `{}`, and no memory is there.",
        array.name
    );
    Some((Weight::Strong, claim))
}

fn at_place(facts: &Facts<'_>, access: &Access) -> Option<(Weight, String)> {
    let address = access.address;
    let index = access.index.as_ref().zip(access.base.as_ref());
    // The pointer is good, and what is added to it is not.
    if let Some((index, base)) = index.filter(|(_, base)| base.points_into.is_some()) {
        let claim = format!(
            "Register {} points into memory; the index in register {} ({}) leads out of it, to {address}.",
            base.name, index.name, index.value
        );
        let is_outside = !matches!(
            facts.place()?,
            Place::StackOverflow | Place::NullPage { .. } | Place::Released { .. }
        );
        return is_outside.then_some((Weight::Strong, claim));
    }
    match facts.place()? {
        Place::PastEnd {
            mapping,
            distance,
            pointed_into,
        } => {
            let weight = if *pointed_into && *distance < 4096 {
                Weight::Decisive
            } else {
                Weight::Strong
            };
            let name = named(mapping);
            Some((
                weight,
                format!("The address {address} is {distance} bytes behind the end of {name}."),
            ))
        }
        Place::NoAccess { mapping } if mapping.path.is_none() => Some((
            Weight::Strong,
            format!("The address {address} is in memory that is reserved and not in use yet."),
        )),
        Place::Unmapped { below, above } if address.0 >= BEYOND_32_BITS => {
            let near = [
                below.as_ref().map(|it| (it, address.0.abs_diff(it.end.0))),
                above
                    .as_ref()
                    .map(|it| (it, address.0.abs_diff(it.start.0))),
            ];
            let near = near
                .into_iter()
                .flatten()
                .filter(|(_, distance)| *distance < REACH);
            let (mapping, distance) = near.min_by_key(|(_, distance)| *distance)?;
            let weight = if facts.is_text() {
                Weight::Weak
            } else {
                Weight::Strong
            };
            Some((
                weight,
                format!(
                    "Nothing is mapped at {address}, {} MB from {}.",
                    distance >> 20,
                    named(mapping)
                ),
            ))
        }
        _ => None,
    }
}

fn named(mapping: &Mapping) -> String {
    match mapping.path.as_deref() {
        Some("[heap]") => "the heap".to_owned(),
        Some("[stack]") => "the stack".to_owned(),
        Some(path) => format!("`{path}`"),
        None => format!(
            "memory of {} bytes",
            mapping.end.0.saturating_sub(mapping.start.0)
        ),
    }
}

fn remedy(facts: &Facts<'_>) -> Remedy {
    let line = facts
        .user_line()
        .map_or_else(String::new, |line| format!(" of `{line}`"));
    Remedy::new(format!(
        "Check the indices, sizes and lengths{line} against the shapes that they are for."
    ))
}
