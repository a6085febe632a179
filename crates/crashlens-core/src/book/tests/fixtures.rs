//! Every rule fires on its cases and is silent on near misses: `fixtures/rules/NAME.toml`.

use serde::Deserialize;

use crate::book::{self, Judge, Rule};
use crate::cause::Depth;
use crate::diagnosis::{diagnose, weigh};
use crate::facts::Facts;
use crate::files::{Census, FileFacts, Setting};
use crate::fixtures;
use crate::known_issues::KnownIssues;

/// What a rule says of cases.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Behaviour {
    /// Cases that the rule has a finding for.
    fires: Vec<Case>,
    /// Cases that look like its own and are not.
    silent: Vec<Case>,
}

/// Something to judge.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Case {
    /// The fixture of a death or of an environment: `captures/NAME`, `surveys/NAME`.
    Recorded(String),
    /// A set of files.
    FileSet(FileSet),
}

/// A set of files, and what they are checked against.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSet {
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

impl Behaviour {
    fn of(rule: &Rule) -> Self {
        let file = fixtures::folder().join("rules").join(rule.name);
        let file = file.with_added_extension("toml");
        let text = std::fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", rule.name))
    }
}

impl Case {
    fn name(&self) -> &str {
        match self {
            Self::Recorded(id) => id,
            Self::FileSet(files) => &files.about,
        }
    }

    /// What the rule says of it.
    fn findings(&self, rule: &Rule) -> Vec<String> {
        match (rule.judge, self) {
            (Judge::Death(_), Self::Recorded(id)) => suspected(rule, id).into_iter().collect(),
            (Judge::Environment(judge), Self::Recorded(id)) => {
                let look = judge(&fixtures::survey(id));
                look.findings.into_iter().map(|it| it.headline).collect()
            }
            (Judge::File { judge, .. }, Self::FileSet(case)) => {
                let setting = case.setting();
                let files = case.files.iter();
                let findings = files.flat_map(|facts| judge(facts, &setting));
                findings.map(|it| it.detail).collect()
            }
            (Judge::Set(judge), Self::FileSet(case)) => {
                let mut census = Census::default();
                case.files.iter().for_each(|facts| census.add(facts));
                let look = judge(&census, &case.setting());
                look.findings.into_iter().map(|it| it.headline).collect()
            }
            _ => panic!("{}: {} is not a case for it", rule.name, self.name()),
        }
    }
}

impl FileSet {
    fn setting(&self) -> Setting {
        Setting {
            environment: self.environment.as_deref().map(fixtures::survey),
            memory: self.memory,
            classes: self.classes,
            labels: self.labels.clone(),
            manifest: false,
        }
    }
}

/// What a rule about deaths says by itself, and how sure that is.
fn suspected(rule: &Rule, id: &str) -> Option<String> {
    let capture = fixtures::load(id);
    let facts = Facts::new(&capture, KnownIssues::built_in());
    let suspicion = rule.suspect(&facts)?;
    let confidence = if suspicion.cause.depth() == Depth::Nothing {
        // Such a rule always has an answer; the question is whether it is given.
        let mut findings = diagnose(&facts).findings.into_iter();
        findings.find(|it| it.rule == rule.id)?.confidence
    } else {
        weigh(&suspicion.evidence)?
    };
    Some(format!("{confidence:?}: {}", suspicion.headline))
}

#[test]
fn every_rule_fires_on_its_cases_and_is_silent_on_near_misses() {
    let mut faults = Vec::new();
    for rule in book::all() {
        let behaviour = Behaviour::of(rule);
        if behaviour.fires.is_empty() || behaviour.silent.is_empty() {
            faults.push(format!(
                "fixtures/rules/{}.toml needs at least one entry in `fires` and one in `silent`",
                rule.name
            ));
        }
        for case in &behaviour.fires {
            if case.findings(rule).is_empty() {
                faults.push(format!("{} finds nothing in {}", rule.name, case.name()));
            }
        }
        for case in &behaviour.silent {
            if let Some(finding) = case.findings(rule).first() {
                faults.push(format!("{} on {}: {finding}", rule.name, case.name()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
