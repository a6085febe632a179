//! What distributions require of each other and of Python, and whether it is there.

use std::collections::HashMap;
use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifiers};

use self::marker::{Environment, Marker};
use self::requirement::{LONGEST, Requirement};
use super::{Distribution, Interpreter, Survey};
use crate::compatibility;
use crate::facts::packages::normal;

mod marker;
pub(super) mod requirement;

/// A requirement that is not met.
#[derive(Debug, Clone)]
pub struct Unmet<'a> {
    /// What is required, in the form in which Python's package index compares names.
    pub name: String,
    /// The versions that would do; empty where any would.
    pub versions: VersionSpecifiers,
    /// What is installed of it; `None` where nothing is.
    pub installed: Option<&'a Distribution>,
}

/// What is installed, by name: for whoever asks often.
pub(crate) struct Shelf<'a> {
    survey: &'a Survey,
    here: Option<Environment>,
    patch_is_known: bool,
    by_name: HashMap<String, Vec<&'a Distribution>>,
}

impl<'a> Shelf<'a> {
    /// What a distribution requires here and does not find. Extras are not required by anybody.
    pub(crate) fn unmet(&self, distribution: &Distribution) -> Vec<Unmet<'a>> {
        let Some(here) = &self.here else {
            return Vec::new();
        };
        distribution
            .requires
            .iter()
            .filter(|line| self.patch_is_known || !line.contains("full_version"))
            .filter_map(|line| Requirement::parse(line))
            .filter(|it| it.marker.as_ref().is_none_or(|marker| marker.holds(here)))
            .filter_map(|requirement| self.missed(&requirement))
            .collect()
    }

    fn missed(&self, requirement: &Requirement) -> Option<Unmet<'a>> {
        let name = normal(&requirement.name);
        let versions = &requirement.versions;
        let installed = self.providers(&name);
        let is_enough = |it: &&Distribution| match it.parsed_version() {
            Some(version) => versions.contains(&version),
            None => true,
        };
        if installed.iter().any(is_enough) || (installed.is_empty() && self.is_loose(&name)) {
            return None;
        }
        Some(Unmet {
            name,
            versions: versions.clone(),
            installed: installed.first().copied(),
        })
    }

    /// What is installed under a name, or under another name of the same software.
    fn providers(&self, name: &str) -> Vec<&'a Distribution> {
        let copies = |name: &str| self.by_name.get(&normal(name)).into_iter().flatten();
        let own: Vec<_> = copies(name).copied().collect();
        if !own.is_empty() {
            return own;
        }
        let others = compatibility::other_names(name);
        others.flat_map(copies).copied().collect()
    }

    /// Whether it can be imported although nothing says that it is installed. Its version is anybody's guess.
    fn is_loose(&self, name: &str) -> bool {
        let name = normal(name);
        let mut modules = self.survey.loose_modules.iter();
        modules.any(|module| normal(module) == name || compatibility::is_module_of(module, &name))
    }
}

impl Survey {
    /// What is installed, by name.
    pub(crate) fn shelf(&self) -> Shelf<'_> {
        let python = self.python.known();
        let mut by_name: HashMap<String, Vec<&Distribution>> = HashMap::new();
        for distribution in self.found_distributions() {
            let copies = by_name.entry(normal(&distribution.name));
            copies.or_default().push(distribution);
        }
        Shelf {
            survey: self,
            here: python.and_then(|python| self.markers(python)),
            patch_is_known: python.is_some_and(|python| python.version.split('.').count() > 2),
            by_name,
        }
    }

    /// What a distribution requires here and does not find.
    pub fn unmet<'a>(&'a self, distribution: &Distribution) -> Vec<Unmet<'a>> {
        self.shelf().unmet(distribution)
    }

    fn markers(&self, python: &Interpreter) -> Option<Environment> {
        let machine = match python
            .architecture
            .known()
            .or(self.machine.architecture.known())
        {
            Some(name) if name == "x86-64" => "x86_64",
            Some(name) => name.as_str(),
            None => "x86_64",
        };
        Environment::new(&python.version, machine)
    }
}

impl Distribution {
    /// The limits that a distribution sets to TensorFlow only for whoever asks for an extra, which pip does not see
    /// afterwards; none where it sets one to everybody.
    pub(crate) fn optional_limits(&self) -> Option<VersionSpecifiers> {
        let lines = self.requires.iter();
        let lines = lines.filter_map(|line| Requirement::parse(line));
        let mut of_extras = None;
        for requirement in lines.filter(|it| compatibility::is_tensorflow(&it.name)) {
            let marker = requirement.marker.as_ref();
            if marker.is_none_or(Marker::may_hold_without_extras) {
                return None;
            }
            // The first is `tensorflow` itself; some packages have forgotten to bring the others up to date.
            of_extras = of_extras.or(Some(requirement.versions));
        }
        of_extras.filter(|limits| !limits.is_empty())
    }
}

impl Interpreter {
    /// Whether `Requires-Python` shuts it out for sure; where its last number is not known, whatever that is.
    pub fn is_refused_by(&self, requires: &str) -> bool {
        let text = requires.trim();
        if text.len() > LONGEST {
            return false;
        }
        let Ok(limits) = VersionSpecifiers::from_str(text) else {
            return false;
        };
        let patches = if self.version.split('.').count() > 2 {
            vec![self.version.clone()]
        } else {
            vec![
                format!("{}.0", self.version),
                format!("{}.999", self.version),
            ]
        };
        let mut versions = patches.iter().map(|text| Version::from_str(text));
        versions.all(|version| version.is_ok_and(|version| !limits.contains(&version)))
    }
}

/// The name that a requirement begins with.
pub(super) fn named_in(line: &str) -> &str {
    let end = line.find(|it: char| !it.is_ascii_alphanumeric() && !"-_.".contains(it));
    end.map_or(line, |end| &line[..end])
}

#[cfg(test)]
#[path = "requirements/tests.rs"]
mod tests;
