//! The interpreter was given something that it cannot run, or was called in a way it does not allow.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, excerpt};
use crate::remedy::Again;
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::processes::interpreter_lock;
use crate::rules::death::processes::{bytecode, leaving};

pub(super) static RULE: Rule = Rule {
    id: "PRO004",
    name: "interpreter-misuse",
    summary: "The interpreter was used in a way it does not allow: invalid bytecode, no GIL, or wrong reference counts.",
    causes: &[Cause::InterpreterMisuse],
    since: "0.1.0",
    doc: include_str!("interpreter_misuse.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if facts.capture().testimony.foreign_call.known().is_some() {
        return None;
    }
    let suspicion = said(facts)
        .or_else(|| interpreter_lock::without_lock(facts))
        .or_else(|| bytecode::suspicion(facts))?;
    if !facts.is_finalizing() && facts.sign("said-finalizing").is_none() {
        let is_late = facts.sign("no-thread-state").is_some();
        return Some(match leaving::said(facts).filter(|_| is_late) {
            Some((_, fact, claim)) => suspicion.opposed(Weight::Strong, fact, claim),
            None => suspicion,
        });
    }
    let claim = "The interpreter was leaving, when such calls come too late.";
    let fact = facts
        .sign("said-finalizing")
        .map_or(FactRef::Python, |sight| sight.fact.clone());
    Some(suspicion.opposed(Weight::Strong, fact, claim))
}

/// The interpreter's own words before it gave up.
fn said(facts: &Facts<'_>) -> Option<Suspicion> {
    if !facts.may_have_said_it() {
        return None;
    }
    let new = |headline: &str| Suspicion::new(Cause::InterpreterMisuse, headline.to_owned());
    if let Some(sight) = facts.sign("gil-not-held") {
        let claim = format!("The interpreter said so: \"{}\".", excerpt(sight.text));
        let suspicion = new("Native code called Python without holding its lock (the GIL)");
        let suspicion = suspicion.supported(Weight::Decisive, sight.fact.clone(), claim);
        return Some(interpreter_lock::name_extension(facts, suspicion));
    }
    if let Some(sight) = facts.sign("no-thread-state") {
        return Some(interpreter_lock::without_thread_state(facts, sight));
    }
    if let Some(sight) = facts.sign("references-miscounted") {
        let claim = format!("The interpreter said so: \"{}\".", excerpt(sight.text));
        let suspicion =
            new("Native code miscounted references, and Python freed what was still in use");
        let suspicion = suspicion.supported(Weight::Strong, sight.fact.clone(), claim);
        return Some(interpreter_lock::name_extension(facts, suspicion));
    }
    if let Some(sight) = facts.sign("interpreter-did-not-start") {
        let claim = format!("The interpreter said so: \"{}\".", excerpt(sight.text));
        let suspicion = new("Python could not start: it looked for its own files in a wrong place");
        let suspicion = suspicion.supported(Weight::Strong, sight.fact.clone(), claim);
        return Some(
            suspicion.remedy(
                Remedy::new("Start it without variables that lead it elsewhere.")
                    .command(Again::new().unset("PYTHONHOME").unset("PYTHONPATH")),
            ),
        );
    }
    None
}
