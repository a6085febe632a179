//! The rule book: what a rule is, and the registry of all rules.
//!
//! A rule names what it judges by its [`Judge`]. A further kind of rule is a further variant of it, and its families
//! below `rules/`.

mod look;
mod scope;

use serde::Serialize;

use crate::cause::Cause;
use crate::facts::Facts;
use crate::files::{Census, FileFacts, FileFinding, Setting};
use crate::rule::Suspicion;
use crate::rules;
use crate::survey::Survey;

pub use look::Look;
pub use scope::Scope;
pub(crate) use scope::{Sight, Unseen};

/// One rule. Rules do not see each other; only the judges compare what they found.
#[derive(Debug)]
pub struct Rule {
    /// Never reused: `MEM001`.
    pub id: &'static str,
    /// After the cause or the hazard, not the symptom: `null-pointer`.
    pub name: &'static str,
    /// What it finds, in one sentence.
    pub summary: &'static str,
    /// The causes of death that it may name, or that what it finds may lead to.
    pub causes: &'static [Cause],
    /// Version of crashlens that had it first.
    pub since: &'static str,
    /// Its page, in Markdown.
    pub doc: &'static str,
    /// What it judges, and how.
    pub judge: Judge,
}

/// What a rule judges, and the pure function that does it.
#[derive(Debug, Clone, Copy)]
pub enum Judge {
    /// The facts of a death; `None` where nothing of its case is seen.
    Death(fn(&Facts<'_>) -> Option<Suspicion>),
    /// An environment.
    Environment(fn(&Survey) -> Look),
    /// Each file alone.
    File {
        /// Which files it looks at.
        looks_at: Scope,
        /// What is said of one file that has the flaw, and of several: `["is cut short", "are cut short"]`.
        says: [&'static str; 2],
        /// What it finds in one file.
        judge: fn(&FileFacts, &Setting) -> Vec<FileFinding>,
    },
    /// A whole set of files, when all of them were read.
    Set(fn(&Census, &Setting) -> Look),
}

/// What kind of thing a rule judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Why a process died.
    Death,
    /// What may go wrong in an environment.
    Hazard,
    /// What may be wrong with files.
    File,
}

/// A chapter of the book.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// Its title.
    pub title: &'static str,
    /// The letters that the ids of its rules begin with.
    pub letters: &'static str,
    /// Its rules, all of one kind.
    pub rules: &'static [&'static Rule],
}

impl Rule {
    /// What kind of thing it judges.
    pub fn kind(&self) -> Kind {
        match self.judge {
            Judge::Death(_) => Kind::Death,
            Judge::Environment(_) => Kind::Hazard,
            Judge::File { .. } | Judge::Set(_) => Kind::File,
        }
    }

    /// What a rule about deaths makes of the facts of one.
    pub fn suspect(&self, facts: &Facts<'_>) -> Option<Suspicion> {
        match self.judge {
            Judge::Death(judge) => judge(facts),
            _ => None,
        }
    }

    /// The family it belongs to.
    pub fn family(&self) -> Option<&'static Family> {
        families().find(|family| family.rules.iter().any(|rule| rule.id == self.id))
    }
}

/// Every family, in the order of the book.
pub fn families() -> impl Iterator<Item = &'static Family> {
    rules::FAMILIES.iter().copied().flatten()
}

/// Every rule, in the order of the book.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    families().flat_map(|family| family.rules).copied()
}

/// Every rule of a kind, in the order of the book.
pub fn of(kind: Kind) -> impl Iterator<Item = &'static Rule> {
    all().filter(move |rule| rule.kind() == kind)
}

/// The rule of an id or a name, in any case.
pub fn find(word: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id.eq_ignore_ascii_case(word) || rule.name.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests;
