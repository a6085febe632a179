//! The program was built with `AddressSanitizer`, which says what was done to which memory.

use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, excerpt};
use crate::rule::{Remedy, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "MEM010",
    name: "address-sanitizer",
    causes: &[
        Cause::OutOfBounds,
        Cause::UseAfterFree,
        Cause::HeapCorruption,
        Cause::StackOverflow,
        Cause::NullPointer,
    ],
    since: "0.1.0",
    doc: include_str!("address_sanitizer.md"),
    judge,
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let sight = facts.sign("address-sanitizer")?;
    let what = sight.group("what").unwrap_or_default();
    let (cause, told) = meaning(what, sight.text)?;
    let claim = format!("AddressSanitizer said `{}`.", excerpt(sight.text));
    let action = "Follow the stacks that AddressSanitizer prints: the access first, then where the memory was made and freed.";
    Some(
        Suspicion::new(cause, format!("{} {told}", facts.actor()))
            .supported(Weight::Decisive, sight.fact.clone(), claim)
            .remedy(Remedy::new(action)),
    )
}

fn meaning(what: &str, line: &str) -> Option<(Cause, &'static str)> {
    let is_null = line.contains("unknown address 0x00000000") || line.contains("zero page");
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
