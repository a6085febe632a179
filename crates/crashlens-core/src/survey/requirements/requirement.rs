//! A line of `Requires-Dist`, as the specification of dependency specifiers (PEP 508) has it.
//!
//! Not by the crate `pep508_rs`: it brings 35 crates for resolving URLs and for an algebra of markers, of which nothing is
//! used here, and it panics on a name that ends in a hyphen. Versions are read by `pep440_rs`.

use std::str::FromStr;

use pep440_rs::VersionSpecifiers;

use super::marker::Marker;

/// Maximum length of a line: no requirement that a person wrote is longer.
pub(super) const LONGEST: usize = 1000;

/// What is required, and where.
#[derive(Debug, Clone)]
pub(crate) struct Requirement {
    /// Name of the distribution, as it is written.
    pub(crate) name: String,
    /// The versions that are accepted; empty where any is, and where a URL is given instead.
    pub(crate) versions: VersionSpecifiers,
    /// Where it is required; `None` for everywhere.
    pub(crate) marker: Option<Marker>,
}

impl Requirement {
    /// Reads a line; `None` where it is not a requirement, or one with a marker that compares nothing sensible.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        if line.len() > LONGEST {
            return None;
        }
        let (name, rest) = identifier(line.trim())?;
        let rest = after_extras(rest.trim_start())?;
        let (versions, rest) = versions(rest.trim_start())?;
        let marker = match rest.trim_start().strip_prefix(';') {
            Some(text) => Some(Marker::parse(text)?),
            None if rest.trim().is_empty() => None,
            None => return None,
        };
        Some(Self {
            name: name.to_owned(),
            versions,
            marker,
        })
    }
}

/// The name that a line begins with, and what follows it.
pub(super) fn identifier(text: &str) -> Option<(&str, &str)> {
    let is_part = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
    let end = text.find(|it| !is_part(it)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let is_edge = |it: char| it.is_ascii_alphanumeric();
    (name.starts_with(is_edge) && name.ends_with(is_edge)).then_some((name, rest))
}

/// What follows the extras in brackets, if there are any.
fn after_extras(text: &str) -> Option<&str> {
    let Some(inside) = text.strip_prefix('[') else {
        return Some(text);
    };
    let (extras, rest) = inside.split_once(']')?;
    let is_name = |extra: &str| identifier(extra.trim()).is_some_and(|(_, rest)| rest.is_empty());
    (extras.trim().is_empty() || extras.split(',').all(is_name)).then_some(rest)
}

/// The versions that are accepted, and what follows them.
fn versions(text: &str) -> Option<(VersionSpecifiers, &str)> {
    let (limits, rest) = match text.chars().next() {
        None | Some(';') => ("", text),
        Some('@') => ("", after_url(text[1..].trim_start())?),
        Some('(') => text[1..].split_once(')')?,
        Some('<' | '>' | '=' | '!' | '~') => text.split_at(text.find(';').unwrap_or(text.len())),
        Some(_) => return None,
    };
    // A comma at the end is allowed.
    let limits = limits.trim();
    let limits = limits.strip_suffix(',').unwrap_or(limits);
    Some((VersionSpecifiers::from_str(limits).ok()?, rest))
}

/// What follows a URL, which ends at a space: a semicolon may be part of it.
fn after_url(text: &str) -> Option<&str> {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (end > 0).then(|| &text[end..])
}

#[cfg(test)]
#[path = "requirement/tests.rs"]
mod tests;
