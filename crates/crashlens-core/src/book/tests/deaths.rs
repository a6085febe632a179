//! What holds for every rule about deaths.

use crate::book::{self, Kind};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::facts::Facts;
use crate::fixtures;
use crate::known_issues::KnownIssues;
use crate::report::Death;

#[test]
fn every_cause_has_a_rule() {
    let missing: Vec<_> = Cause::ALL
        .iter()
        .filter(|cause| !book::of(Kind::Death).any(|rule| rule.causes.contains(cause)))
        .collect();
    assert!(missing.is_empty(), "no rule names {missing:?}");
}

#[test]
fn every_claim_points_to_a_recorded_fact() {
    for folder in ["captures", "logs", "near"] {
        for id in fixtures::all_in(folder) {
            let capture = fixtures::load(&id);
            let report = serde_json::to_value(Death::new(&capture)).unwrap();
            let facts = Facts::new(&capture, KnownIssues::built_in());
            for rule in book::all() {
                let suspicion = rule.suspect(&facts);
                let evidence = suspicion.into_iter().flat_map(|it| it.evidence);
                for evidence in evidence {
                    assert!(
                        is_recorded(&evidence.fact, &report),
                        "{} on {id}: {:?} is not in the report",
                        rule.name,
                        evidence.fact
                    );
                }
            }
        }
    }
}

/// Whether the report of a death has the fact that is pointed to.
fn is_recorded(fact: &FactRef, report: &serde_json::Value) -> bool {
    let thread_has = |thread: u32, index: usize| {
        let threads = report["threads"].as_array();
        threads.into_iter().flatten().any(|it| {
            let is_it = it["id"] == thread
                || it["also"]
                    .as_array()
                    .is_some_and(|also| also.iter().any(|id| *id == thread));
            is_it && it["frames"].get(index).is_some()
        })
    };
    let names = |list: &serde_json::Value, field: &str, value: &str| {
        let list = list.as_array();
        list.is_some_and(|list| list.iter().any(|it| it[field] == value))
    };
    match fact {
        FactRef::Ending | FactRef::Culprit => true,
        FactRef::Fault => !report["fault"].is_null(),
        FactRef::Exception => !report["exception"].is_null(),
        FactRef::ForeignCall => !report["foreign_call"].is_null(),
        FactRef::RunningOp => !report["running_op"].is_null(),
        FactRef::Phase => !report["phase"].is_null(),
        FactRef::Lineage => !report["lineage"].is_null(),
        FactRef::Message { index } => report["messages"].get(index).is_some(),
        FactRef::StderrLine { line } => report["output"]["stderr"]["lines"].get(line).is_some(),
        FactRef::KernelLog { line } => report["kernel_log"].get(line).is_some(),
        FactRef::Frame { thread, index } | FactRef::Local { thread, index, .. } => {
            thread_has(*thread, *index)
        }
        FactRef::Thread { thread } => thread_has(*thread, 0),
        FactRef::Module { path } => names(&report["modules"], "path", path),
        FactRef::Package { name } => {
            let modules = report["modules"].as_array();
            let loaded = modules.into_iter().flatten();
            names(&report["environment"]["packages"], "name", name)
                || loaded.into_iter().any(|it| it["package"]["name"] == **name)
        }
        FactRef::Variable { name } => !report["environment"]["variables"][name].is_null(),
        FactRef::Resource { resource } => {
            let word = serde_json::to_value(resource).unwrap();
            names(
                &report["resources"],
                "resource",
                word.as_str().unwrap_or_default(),
            )
        }
        FactRef::Oom => !report["memory"]["oom"].is_null(),
        FactRef::Timeline => !report["memory"]["timeline"].is_null(),
        FactRef::Host { field } => !report["host"][field].is_null(),
        FactRef::Python => !report["environment"]["python"].is_null(),
        FactRef::KnownIssue { id } => !id.is_empty(),
        // Of an environment that is checked, not of a death.
        FactRef::Limit { .. } | FactRef::Hazard { .. } | FactRef::File { .. } => false,
    }
}
