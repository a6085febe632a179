//! It died while it was leaving, after its work was done.

use crate::book::{Judge, Rule};
use crate::capture::Signal;
use crate::cause::Cause;
use crate::culprit::is_interpreter;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, excerpt};
use crate::rule::{Remedy, Risk, Suspicion};
use crate::rules::death::processes::leaving;

pub(super) static RULE: Rule = Rule {
    id: "PRO003",
    name: "teardown",
    summary: "The process crashed during shutdown, after the program had finished its work.",
    causes: &[Cause::Teardown],
    since: "0.1.0",
    doc: include_str!("teardown.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if facts
        .signal()
        .is_some_and(|signal| !signal.is_fault() && signal != Signal::ABRT)
    {
        return None;
    }
    if facts.sender().is_some() {
        return None;
    }
    let seen = leaving::seen(facts);
    let is_seen = seen.is_some();
    let (weight, fact, claim) = seen.or_else(|| leaving::said(facts))?;
    let heap = heap_damage(facts);
    let weight = if heap.is_some() {
        weight.min(Weight::Strong)
    } else {
        weight
    };
    let suspicion = Suspicion::new(Cause::Teardown, headline(facts));
    let mut suspicion = suspicion.supported(weight, fact, claim);
    if let Some((fact, claim)) = heap {
        // Where there is no stack: a program that had said good-bye noticed it in its clean-up, whoever did the damage.
        let said_done = facts.is_text() && facts.native_frames().next().is_none();
        let against = if said_done {
            Weight::Weak
        } else {
            Weight::Strong
        };
        suspicion = suspicion.opposed(against, fact, claim);
    }
    if facts.own_code_runs() && !facts.is_finalizing() {
        let line = facts
            .own_line()
            .unwrap_or_else(|| "the program's own code".to_owned());
        let claim = format!("{line} was running: the work was not done.");
        suspicion = suspicion.opposed(Weight::Strong, FactRef::Culprit, claim);
    }
    Some(with_remedies(suspicion, is_seen))
}

fn headline(facts: &Facts<'_>) -> String {
    if facts.ended_thread_frame().is_some() || facts.sign("exception-not-rethrown").is_some() {
        return "A thread still ran native code when the program left, and was torn out of it"
            .to_owned();
    }
    let culprit = facts.culprit();
    let is_named = facts.top().is_some_and(|top| !is_interpreter(top.frame));
    let library = culprit.library.as_ref().filter(|_| is_named);
    match (&culprit.function, library) {
        (Some(function), Some(library)) if function.contains('~') => {
            format!("{library} failed in its clean-up at exit, after the work was done")
        }
        (_, Some(library)) => {
            format!("{library} failed while the program was leaving, after its work")
        }
        _ => "It failed while it was leaving, after its work was done".to_owned(),
    }
}

/// Damage of the heap that shows at exit was done before.
fn heap_damage(facts: &Facts<'_>) -> Option<(FactRef, String)> {
    if let Some((fact, message)) = facts.heap_words() {
        let words = excerpt(&message.text);
        return Some((
            fact,
            format!("\"{words}\": the heap was damaged, perhaps long before."),
        ));
    }
    let sight = facts.in_allocator()?;
    let claim = format!(
        "It died in {}, the victim of damage that may be older.",
        sight.function()
    );
    Some((sight.fact, claim))
}

fn with_remedies(suspicion: Suspicion, is_seen: bool) -> Suspicion {
    let results = if is_seen {
        "Trust the results: files that were closed before the exit are whole. Only the exit code is wrong."
    } else {
        "If the results were saved before its last words, trust them: only the exit code is wrong then. Look at the files first."
    };
    suspicion
        .remedy(Remedy::new(results))
        .remedy(Remedy::new(
            "Stop and join threads, and close sessions, pools and datasets, before the program ends: no daemon thread \
             may be in native code then.",
        ))
        .remedy(
            Remedy::new(
                "Or leave without clean-up: `sys.stdout.flush(); os._exit(0)` as the last statement, after all is saved.",
            )
            .risk(Risk::Results),
        )
}
