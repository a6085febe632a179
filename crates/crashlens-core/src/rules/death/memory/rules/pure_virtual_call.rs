//! A C++ object was used while or after it was destroyed.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::Facts;
use crate::rule::{Remedy, Suspicion};

pub(super) static RULE: Rule = Rule {
    id: "MEM007",
    name: "pure-virtual-call",
    summary: "A C++ method was called on an object that was being destroyed or was already gone.",
    causes: &[Cause::UseAfterFree],
    since: "0.1.0",
    doc: include_str!("pure_virtual_call.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let sight = facts.sign("pure-virtual-call")?;
    let claim = "The C++ runtime said `pure virtual method called`: the object's own class was gone already.";
    let action = "Stop what uses the object before it goes: close sessions, pipelines, executors and threads yourself.";
    Some(
        Suspicion::new(
            Cause::UseAfterFree,
            "A C++ object was used while or after it was destroyed",
        )
        .supported(Weight::Strong, sight.fact.clone(), claim)
        .remedy(Remedy::new(action)),
    )
}
