//! What holds for every rule about environments.

use crate::evidence::FactRef;
use crate::fixtures;
use crate::inspection::inspect;
use crate::survey::Survey;

#[test]
fn healthy_environments_are_silent() {
    let mut faults = Vec::new();
    for id in fixtures::all_in("surveys/healthy") {
        let inspection = inspect(&fixtures::survey(&id));
        for hazard in inspection.findings {
            faults.push(format!("{id}: {} {}", hazard.name, hazard.headline));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_hazard_is_complete() {
    for folder in ["surveys", "surveys/healthy", "surveys/near"] {
        for id in fixtures::all_in(folder) {
            let survey = fixtures::survey(&id);
            for hazard in inspect(&survey).findings {
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
