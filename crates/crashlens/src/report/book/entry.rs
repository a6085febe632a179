//! A rule of either kind, as the book shows it.

use crashlens_core::cause::Cause;
use crashlens_core::files::FileRule;
use crashlens_core::hazard::HazardRule;
use crashlens_core::rule::Rule;
use crashlens_core::{file_rules, hazards, rules};
use serde::Serialize;

/// What a rule judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// Why a process died.
    Death,
    /// What may go wrong in an environment.
    Hazard,
    /// What may be wrong with files.
    File,
}

/// One rule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    /// Title of its family.
    pub(crate) family: &'static str,
    pub(crate) causes: &'static [Cause],
    pub(crate) since: &'static str,
    /// Its page, in Markdown.
    pub(crate) doc: &'static str,
    /// What it looks for, where it says that itself.
    asks: Option<&'static str>,
}

/// A family of rules.
#[derive(Debug)]
pub(crate) struct Chapter {
    pub(crate) title: String,
    pub(crate) rules: Vec<Entry>,
}

/// The whole book; chapters without rules are left out.
pub(crate) fn chapters() -> impl Iterator<Item = Chapter> {
    let deaths = rules::FAMILIES.iter().map(|family| Chapter {
        title: family.title.to_owned(),
        rules: family
            .rules
            .iter()
            .map(|rule| death(rule, family.title))
            .collect(),
    });
    let hazards = hazards::FAMILIES.iter().map(|family| Chapter {
        title: format!("Before the crash: {}", family.title),
        rules: family
            .rules
            .iter()
            .map(|rule| hazard(rule, family.title))
            .collect(),
    });
    let files = file_rules::FAMILIES.iter().map(|family| Chapter {
        title: format!("Before the crash: {}", family.title),
        rules: family
            .rules
            .iter()
            .map(|rule| file(rule, family.title))
            .collect(),
    });
    deaths
        .chain(hazards)
        .chain(files)
        .filter(|chapter| !chapter.rules.is_empty())
}

/// Every rule, in the order of the book.
pub(crate) fn all() -> impl Iterator<Item = Entry> {
    chapters().flat_map(|chapter| chapter.rules)
}

/// The rule of an id or a name, in any case.
pub(crate) fn find(word: &str) -> Option<Entry> {
    all().find(|rule| rule.id.eq_ignore_ascii_case(word) || rule.name.eq_ignore_ascii_case(word))
}

fn death(rule: &Rule, family: &'static str) -> Entry {
    Entry {
        kind: Kind::Death,
        id: rule.id,
        name: rule.name,
        family,
        causes: rule.causes,
        since: rule.since,
        doc: rule.doc,
        asks: None,
    }
}

fn hazard(rule: &HazardRule, family: &'static str) -> Entry {
    Entry {
        kind: Kind::Hazard,
        id: rule.id,
        name: rule.name,
        family,
        causes: rule.causes,
        since: rule.since,
        doc: rule.doc,
        asks: Some(rule.asks),
    }
}

fn file(rule: &'static FileRule, family: &'static str) -> Entry {
    Entry {
        kind: Kind::File,
        id: rule.id,
        name: rule.name,
        family,
        causes: std::slice::from_ref(&rule.cause),
        since: rule.since,
        doc: rule.doc,
        asks: Some(rule.asks),
    }
}

impl Entry {
    /// One line: what it asks for; of a cause of death what that means where the rule is called after it, else the first
    /// sentence of what happened.
    pub(crate) fn summary(&self) -> String {
        let causes = self.causes;
        let namesake = causes.iter().find(|cause| cause.word() == self.name);
        let sentence = match (self.asks, namesake) {
            (Some(asks), _) => Some(asks.to_owned()),
            (None, Some(_)) => None,
            (None, None) => self.first_sentence(),
        };
        let meaning = namesake.or(causes.first()).map(|cause| cause.meaning());
        let text = sentence.unwrap_or_else(|| meaning.unwrap_or_default().to_owned());
        let mut letters = text.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).chain(['.']).collect()
    }

    fn first_sentence(&self) -> Option<String> {
        let section = self.doc.split("## What happened").nth(1)?;
        let section = section.split("\n## ").next()?;
        let paragraph = section.trim_start().split("\n\n").next()?;
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        let paragraph = words.join(" ");
        let sentence = match paragraph.find(". ") {
            Some(end) => paragraph.get(..end)?,
            None => &paragraph,
        };
        Some(sentence.trim_end_matches('.').to_owned()).filter(|sentence| !sentence.is_empty())
    }

    /// The page without its title.
    pub(crate) fn body(&self) -> &'static str {
        self.doc.split_once('\n').map_or("", |(_, body)| body)
    }
}
