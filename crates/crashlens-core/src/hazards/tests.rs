use super::*;
use crate::evidence::FactRef;
use crate::survey::Survey;
use crate::{fixtures, pages};

#[test]
fn every_page_has_its_sections_in_order() {
    for rule in all() {
        pages::assert_whole(rule.id, rule.name, rule.doc);
    }
}

/// What a rule finds in surveys.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Behaviour {
    /// Surveys that the rule finds its hazard in.
    fires: Vec<String>,
    /// Surveys that look like it and are sound.
    silent: Vec<String>,
}

#[test]
fn every_rule_finds_its_hazard_and_is_silent_on_near_misses() {
    let mut faults = Vec::new();
    for rule in all() {
        let file = fixtures::folder().join("hazards").join(rule.name);
        let text = std::fs::read_to_string(file.with_added_extension("toml")).unwrap_or_default();
        let behaviour: Behaviour =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", rule.name));
        if behaviour.fires.is_empty() || behaviour.silent.is_empty() {
            faults.push(format!("{}: a case and a near miss are needed", rule.name));
        }
        for id in &behaviour.fires {
            if (rule.judge)(&survey(id)).hazards.is_empty() {
                faults.push(format!("{} finds nothing in {id}", rule.name));
            }
        }
        for id in &behaviour.silent {
            if let Some(hazard) = (rule.judge)(&survey(id)).hazards.first() {
                faults.push(format!("{} on {id}: {}", rule.name, hazard.headline));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn healthy_environments_are_silent() {
    let mut faults = Vec::new();
    for id in fixtures::all_in("surveys/healthy") {
        let inspection = crate::inspection::inspect(&survey(&id));
        for hazard in inspection.findings {
            faults.push(format!("{id}: {} {}", hazard.name, hazard.headline));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_hazard_is_told_whole() {
    for folder in ["surveys", "surveys/healthy", "surveys/near"] {
        for id in fixtures::all_in(folder) {
            let survey = survey(&id);
            for hazard in crate::inspection::inspect(&survey).findings {
                let about = format!("{} on {id}", hazard.name);
                assert!(!hazard.grounds.is_empty(), "{about}: no ground");
                assert!(!hazard.refuted_by.is_empty(), "{about}: no refutation");
                assert!(!hazard.remedies.is_empty(), "{about}: no remedy");
                for ground in &hazard.grounds {
                    assert!(
                        is_surveyed(&ground.fact, &survey),
                        "{about}: {:?} is not in the survey",
                        ground.fact
                    );
                }
            }
        }
    }
}

fn survey(id: &str) -> Survey {
    serde_json::from_value(fixtures::load_value(id)).unwrap_or_else(|error| panic!("{id}: {error}"))
}

/// Whether the survey has the fact that is pointed to.
fn is_surveyed(fact: &FactRef, survey: &Survey) -> bool {
    match fact {
        FactRef::Module { path } => {
            survey.native_file(path).is_some()
                || survey.gpu.libraries.iter().any(|it| it.path == *path)
        }
        FactRef::Package { name } => survey.distribution(name).is_some(),
        FactRef::Variable { name } => survey.variable(name).is_some(),
        FactRef::Host { field } => {
            let value = serde_json::to_value(survey).unwrap();
            [&value["machine"][field], &value["gpu"][field]]
                .iter()
                .any(|it| it.get("known").is_some())
        }
        FactRef::Limit { name } => survey.limit(name).is_some(),
        FactRef::Python => survey.python.known().is_some(),
        FactRef::KnownIssue { id } => !id.is_empty(),
        _ => false,
    }
}
