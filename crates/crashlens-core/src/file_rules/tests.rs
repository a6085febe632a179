use super::*;
use crate::files::{Census, FileFacts, Judge, Setting};
use crate::{fixtures, pages};

#[test]
fn ids_and_names_are_unique_in_the_whole_book() {
    let deaths = crate::rules::all().map(|rule| ("", rule.id, rule.name));
    let hazards = crate::hazards::FAMILIES.iter().flat_map(|family| {
        let rules = family.rules.iter();
        rules.map(|rule| (family.letters, rule.id, rule.name))
    });
    let files = FAMILIES.iter().flat_map(|family| {
        let rules = family.rules.iter();
        rules.map(|rule| (family.letters, rule.id, rule.name))
    });
    pages::assert_unique(deaths.chain(hazards).chain(files));
}

#[test]
fn every_page_has_its_sections_in_order() {
    for rule in all() {
        pages::assert_whole(rule.id, rule.name, rule.doc);
    }
}

/// What a rule finds in files.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Behaviour {
    /// Sets that the rule finds something in.
    fires: Vec<Case>,
    /// Sets that look like it and are sound.
    silent: Vec<Case>,
}

/// A set of files, and what they are checked against.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    about: String,
    #[serde(default)]
    classes: Option<u64>,
    #[serde(default)]
    labels: Option<String>,
    #[serde(default)]
    memory: Option<u64>,
    /// The fixture of an environment: `surveys/NAME`.
    #[serde(default)]
    environment: Option<String>,
    files: Vec<FileFacts>,
}

impl Case {
    fn setting(&self) -> Setting {
        let environment = self.environment.as_ref().map(|id| {
            let value = fixtures::load_value(id);
            serde_json::from_value(value).unwrap_or_else(|error| panic!("{id}: {error}"))
        });
        Setting {
            environment,
            memory: self.memory,
            classes: self.classes,
            labels: self.labels.clone(),
        }
    }

    /// What the rule says of it.
    fn findings(&self, rule: &FileRule) -> Vec<String> {
        let setting = self.setting();
        match rule.judge {
            Judge::File(judge) => {
                let files = self.files.iter();
                let findings = files.flat_map(|facts| judge(facts, &setting));
                findings.map(|finding| finding.detail).collect()
            }
            Judge::Set(judge) => {
                let mut census = Census::default();
                self.files.iter().for_each(|facts| census.add(facts));
                let hazards = judge(&census, &setting).into_iter();
                hazards.map(|hazard| hazard.headline).collect()
            }
        }
    }
}

#[test]
fn every_rule_finds_its_flaw_and_is_silent_on_near_misses() {
    let mut faults = Vec::new();
    for rule in all() {
        let file = fixtures::folder().join("file_rules").join(rule.name);
        let text = std::fs::read_to_string(file.with_added_extension("toml")).unwrap_or_default();
        let behaviour: Behaviour =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", rule.name));
        if behaviour.fires.is_empty() || behaviour.silent.is_empty() {
            faults.push(format!("{}: a case and a near miss are needed", rule.name));
        }
        for case in &behaviour.fires {
            if case.findings(rule).is_empty() {
                faults.push(format!("{} finds nothing in {}", rule.name, case.about));
            }
        }
        for case in &behaviour.silent {
            if let Some(finding) = case.findings(rule).first() {
                faults.push(format!("{} on {}: {finding}", rule.name, case.about));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
