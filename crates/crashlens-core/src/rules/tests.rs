use super::*;
use crate::cause::Depth;
use crate::diagnosis::{Confidence, diagnose, weigh};
use crate::evidence::FactRef;
use crate::facts::Facts;
use crate::fixtures;
use crate::known_issues::KnownIssues;
use crate::report::Death;

/// What every page has, in this order.
const SECTIONS: [&str; 5] = [
    "## What happened",
    "## Evidence for",
    "## Evidence against",
    "## Fix",
    "## References",
];

#[test]
fn ids_and_names_are_unique_and_of_their_family() {
    let mut seen = Vec::new();
    for family in FAMILIES {
        for rule in family.rules {
            assert!(rule.id.starts_with(family.letters), "{}", rule.id);
            for word in [rule.id, rule.name] {
                assert!(!seen.contains(&word), "{word} stands twice");
                seen.push(word);
            }
            assert!(!rule.causes.is_empty(), "{} names no cause", rule.id);
        }
    }
}

#[test]
fn every_page_has_its_sections_in_order() {
    for rule in all() {
        let title = format!("# {}\n", rule.name);
        assert!(rule.doc.starts_with(&title), "{}: the title", rule.id);
        let mut rest = rule.doc;
        for section in SECTIONS {
            let at = rest.find(section);
            let at = at.unwrap_or_else(|| panic!("{}: {section} is missing", rule.id));
            rest = &rest[at..];
        }
    }
}

#[test]
fn every_cause_has_a_rule() {
    let missing: Vec<_> = crate::cause::Cause::ALL
        .iter()
        .filter(|cause| !all().any(|rule| rule.causes.contains(cause)))
        .collect();
    assert!(missing.is_empty(), "no rule names {missing:?}");
}

/// What a rule says on recorded captures and pasted logs.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Behaviour {
    /// Fixtures that the rule has a finding for.
    fires: Vec<String>,
    /// Fixtures that look like its case and are not.
    silent: Vec<String>,
}

impl Behaviour {
    fn of(rule: &Rule) -> Self {
        let file = fixtures::folder().join("rules").join(rule.name);
        let file = file.with_added_extension("toml");
        let text = std::fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", rule.name))
    }
}

/// The confidence that a rule alone reaches on a fixture.
fn confidence(rule: &Rule, id: &str) -> Option<Confidence> {
    let capture = fixtures::load(id);
    let facts = Facts::new(&capture, KnownIssues::built_in());
    let suspicion = (rule.judge)(&facts)?;
    // Such a rule always has an answer; the question is whether it is given.
    if suspicion.cause.depth() == Depth::Nothing {
        let findings = diagnose(&facts).findings;
        let given = findings.into_iter().find(|it| it.rule == rule.id);
        return given.map(|it| it.confidence);
    }
    weigh(&suspicion.evidence)
}

#[test]
fn every_rule_fires_on_its_cases_and_is_silent_on_near_misses() {
    let mut faults = Vec::new();
    for rule in all() {
        let behaviour = Behaviour::of(rule);
        if behaviour.fires.is_empty() || behaviour.silent.is_empty() {
            faults.push(format!("{}: a case and a near miss are needed", rule.name));
        }
        for id in &behaviour.fires {
            if confidence(rule, id).is_none() {
                faults.push(format!("{} does not fire on {id}", rule.name));
            }
        }
        for id in &behaviour.silent {
            if let Some(confidence) = confidence(rule, id) {
                faults.push(format!("{} is {confidence:?} on {id}", rule.name));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_claim_points_to_a_recorded_fact() {
    for folder in ["captures", "logs", "near"] {
        for id in fixtures::all_in(folder) {
            let capture = fixtures::load(&id);
            let report = serde_json::to_value(Death::new(&capture)).unwrap();
            let facts = Facts::new(&capture, KnownIssues::built_in());
            for rule in all() {
                let suspicion = (rule.judge)(&facts);
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
