//! What failed checks and escaped exceptions mean in plain words: facts about the world, in `data/checks.toml` and
//! `data/exceptions.toml`.

use std::sync::LazyLock;

use regex::{Captures, RegexSet};
use serde::Deserialize;

use crate::embedded;
use crate::facts::Oddity;

/// How much of a message is looked at.
const LOOKED_AT: usize = 2048;
/// Meanings are parts of headlines.
const LONGEST: usize = 110;

/// What a message means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Meaning {
    /// Half a sentence.
    pub(super) means: String,
    /// What to do at the call.
    pub(super) advice: Option<String>,
    /// Which arguments were checked.
    pub(super) fits: Option<Fit>,
    /// Sizes in the shape that the message names which do not fit into 32 bits, or just fit.
    pub(super) huge: Vec<u64>,
    /// In what way the argument to blame stands out; `None` where it may be any.
    pub(super) odd: Option<Vec<Oddity>>,
    /// Whether what was found was damaged before, by whoever.
    pub(super) victim: bool,
}

/// What an argument was like that failed a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fit {
    /// It has so many elements.
    Count(u64),
    /// It has so many dimensions.
    Rank(usize),
    /// It has elements of this type, in TensorFlow's words.
    Dtype(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    check: Vec<Entry>,
    #[serde(default)]
    place: Vec<Place>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    pattern: String,
    means: String,
    advice: Option<String>,
    fits: Option<String>,
    odd: Option<Vec<Oddity>>,
    #[serde(default)]
    victim: bool,
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    source: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    seen: String,
}

/// A function that does nothing but check.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    function: String,
    means: String,
    advice: Option<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    source: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reads the file"))]
    seen: String,
}

/// A table of meanings, compiled when the first message asks for it.
pub(super) struct Table {
    entries: Vec<Entry>,
    places: Vec<Place>,
    any: RegexSet,
}

/// Of failed checks.
pub(super) static CHECKS: LazyLock<Table> =
    LazyLock::new(|| Table::read(include_str!("../../../../data/checks.toml")));
/// Of exceptions, written `TYPE: WHAT`.
pub(super) static EXCEPTIONS: LazyLock<Table> =
    LazyLock::new(|| Table::read(include_str!("../../../../data/exceptions.toml")));

impl Table {
    fn read(text: &str) -> Self {
        let file: File = embedded::table(text);
        let any = embedded::regex_set(file.check.iter().map(|entry| &entry.pattern));
        Self {
            entries: file.check,
            places: file.place,
            any,
        }
    }

    /// What `message` means; `None` where nothing is known of it.
    pub(super) fn meaning(&self, message: &str) -> Option<Meaning> {
        let message = message.get(..message.floor_char_boundary(LOOKED_AT))?;
        let entry = self.entries.get(self.any.matches(message).iter().next()?)?;
        let groups = embedded::regex(&entry.pattern).captures(message)?;
        Some(Meaning {
            means: shortened(fill(&entry.means, &groups).trim_end_matches('.')),
            advice: entry.advice.as_deref().map(|advice| fill(advice, &groups)),
            fits: entry.fits.as_deref().and_then(|kind| fit(kind, &groups)),
            huge: groups
                .name("shape")
                .map_or_else(Vec::new, |shape| huge(shape.as_str())),
            odd: entry.odd.clone(),
            victim: entry.victim,
        })
    }

    /// What it means that a function gave up.
    pub(super) fn of_function(&self, function: &str) -> Option<Meaning> {
        let place = self
            .places
            .iter()
            .find(|it| function.contains(&it.function))?;
        Some(Meaning {
            means: place.means.clone(),
            advice: place.advice.clone(),
            fits: None,
            huge: Vec::new(),
            odd: None,
            victim: false,
        })
    }
}

/// The sizes of a shape from which products overflow.
fn huge(shape: &str) -> Vec<u64> {
    const HUGE: u64 = i32::MAX as u64;
    let sizes = shape.split(',').filter_map(|size| size.trim().parse().ok());
    sizes.filter(|size| *size >= HUGE).collect()
}

/// Puts the groups into a template.
fn fill(template: &str, groups: &Captures<'_>) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            break;
        };
        let value = groups.name(name).map_or("", |group| group.as_str());
        filled.push_str(value.lines().next().unwrap_or_default().trim());
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

fn fit(kind: &str, groups: &Captures<'_>) -> Option<Fit> {
    let value = groups.name(kind)?.as_str();
    match kind {
        "count" => value.parse().ok().map(Fit::Count),
        "rank" => value.parse().ok().map(Fit::Rank),
        _ => Some(Fit::Dtype(value.to_owned())),
    }
}

/// Cuts what is too long for a headline.
pub(super) fn shortened(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let cut = text
        .get(..text.floor_char_boundary(LONGEST))
        .unwrap_or_default();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
#[path = "meanings_tests.rs"]
mod tests;
