//! The limit of processor time was reached.

use crate::book::{Judge, Rule};
use crate::capture::Signal;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, XCPU, excerpt};
use crate::remedy::ShellLine;
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::limits::sent;

pub(super) static RULE: Rule = Rule {
    id: "LIM008",
    name: "cpu-limit",
    summary: "The process used up its limit of CPU time (RLIMIT_CPU).",
    causes: &[Cause::CpuLimit],
    since: "0.1.0",
    doc: include_str!("cpu_limit.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let said = facts
        .sign("processor-time-used-up")
        .filter(|_| facts.is_text());
    if !facts.died_of(XCPU) && !facts.died_of(Signal::KILL) && said.is_none() {
        return None;
    }
    let entry = facts.processor_time_used_up();
    if !facts.died_of(XCPU) && entry.is_none() && said.is_none() {
        return None;
    }
    let limit = entry.and_then(|entry| entry.limit);
    let headline = limit.map_or_else(
        || "It used up the processor time that it may have".to_owned(),
        |limit| format!("It used up its limit of {limit} seconds of processor time"),
    );
    let mut suspicion = Suspicion::new(Cause::CpuLimit, headline);
    if let Some(entry) = entry {
        let used = entry.used.unwrap_or_default();
        let limit = entry.limit.unwrap_or_default();
        let claim = format!("{} is {limit} seconds, and {used} were used.", entry.set_by);
        let fact = FactRef::Resource {
            resource: entry.resource,
        };
        suspicion = suspicion.supported(Weight::Decisive, fact, claim);
    }
    if let Some(sight) = said {
        let claim = format!("The system said so: \"{}\".", excerpt(sight.text));
        suspicion = suspicion.supported(Weight::Decisive, sight.fact.clone(), claim);
    } else if facts.died_of(XCPU) {
        let claim = "It died of SIGXCPU, which the kernel sends when processor time is used up.";
        suspicion = suspicion.supported(Weight::Strong, FactRef::Ending, claim);
    }
    if let Some((weight, claim)) = sent::by_process(facts, entry.is_some()) {
        suspicion = suspicion.opposed(weight, FactRef::Ending, claim);
    }
    let present = limit.map_or(String::new(), |limit| format!(", which is {limit} seconds"));
    Some(
        suspicion
            .remedy(
                Remedy::new(format!("Raise the limit (RLIMIT_CPU){present}. All threads count."))
                    .command(ShellLine::unix("ulimit -t unlimited")),
            )
            .remedy(Remedy::new(
                "Or save checkpoints (`tf.keras.callbacks.BackupAndRestore`) and go on in another run.",
            )),
    )
}
