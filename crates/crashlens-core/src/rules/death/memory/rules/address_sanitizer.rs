//! The program was built with `AddressSanitizer`, which says what was done to which memory.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, excerpt};
use crate::rule::{Remedy, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "MEM010",
    name: "address-sanitizer",
    summary: "AddressSanitizer stopped the program and named the memory error.",
    causes: &[
        Cause::OutOfBounds,
        Cause::UseAfterFree,
        Cause::HeapCorruption,
        Cause::StackOverflow,
        Cause::NullPointer,
    ],
    since: "0.1.0",
    doc: include_str!("address_sanitizer.md"),
    judge: Judge::Death(judge),
};

/// The first page, where a field of an object at address 0 is.
const FIRST_PAGE: u64 = 0x1000;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let sight = facts
        .sign("address-sanitizer")
        .filter(|_| facts.may_have_said_it())?;
    let what = sight.group("what").unwrap_or_default();
    let (cause, told) = meaning(what, sight.text)?;
    // For an address without a right form the kernel names 0, and the sanitizer repeats it.
    if what == "SEGV" && facts.sign("address-sanitizer-no-address").is_some() {
        return None;
    }
    let weight = match cause {
        Cause::NullPointer => Weight::Strong,
        _ => Weight::Decisive,
    };
    let claim = format!("AddressSanitizer said `{}`.", excerpt(sight.text));
    let action = "Follow the stacks that AddressSanitizer prints: the access first, then where the memory was made and freed.";
    Some(
        Suspicion::new(cause, format!("{} {told}", facts.actor()))
            .supported(weight, sight.fact.clone(), claim)
            .remedy(Remedy::new(action)),
    )
}

fn meaning(what: &str, line: &str) -> Option<(Cause, &'static str)> {
    let is_null = unknown_address(line).is_some_and(|address| address < FIRST_PAGE);
    Some(match what {
        "stack-overflow" => (Cause::StackOverflow, "filled the stack"),
        "SEGV" if is_null => (
            Cause::NullPointer,
            "used an object or buffer that is not there",
        ),
        "attempting" | "alloc-dealloc-mismatch" => (
            Cause::HeapCorruption,
            "gave memory back that was not its own, or twice",
        ),
        what if what.contains("use-after") => {
            (Cause::UseAfterFree, "used memory that had been given back")
        }
        what if what.ends_with("flow") || what == "negative-size-param" => {
            (Cause::OutOfBounds, "went outside of its buffer")
        }
        _ => return None,
    })
}

/// The address of a line such as `SEGV on unknown address 0x000000000010 (pc ...`.
fn unknown_address(line: &str) -> Option<u64> {
    let (_, rest) = line.split_once("unknown address 0x")?;
    let digits = rest
        .split(|c: char| !c.is_ascii_hexdigit())
        .next()
        .unwrap_or_default();
    u64::from_str_radix(digits, 16).ok()
}
