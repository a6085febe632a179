//! The findings of many files put together, within bounds.

use std::collections::BTreeMap;

use super::seen::Seen;
use super::{
    Census, Effect, Extent, FileFacts, FileFinding, Forecast, Format, Part, Setting,
    UncheckedLabels, forecast, labels,
};
use crate::book::{self, Judge, Kind, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Ground, Hazard, Severity};
use crate::inspection::{Amount, Counted, Inspection, InspectionKind, Lack};
use crate::rule::Remedy;

/// So many files of one finding are named; the rest is counted.
const FILES_NAMED: usize = 1000;
/// So many of them with what was seen in them.
const FILES_TOLD: usize = 20;
/// So many things to do about one finding.
const REMEDIES: usize = 5;
/// So many models are told with the memory they will take.
const FORECASTS: usize = 20;

/// What was found so far, in whatever order the files came.
#[derive(Debug, Default)]
pub struct Gathering {
    files: u64,
    bytes: u64,
    formats: BTreeMap<Format, u64>,
    unknown: u64,
    /// Files that were read as what was asked for.
    read: u64,
    /// What each rule looked at, by its place in the book.
    seen: BTreeMap<usize, Seen>,
    groups: Groups,
    census: Census,
    /// The largest models, the largest first.
    forecasts: Vec<Forecast>,
}

/// What was found in files, by rule and severity.
#[derive(Debug, Default)]
struct Groups(BTreeMap<(usize, Severity), Group>);

/// The files in which one rule found the same thing.
#[derive(Debug, Default)]
struct Group {
    count: u64,
    files: Vec<String>,
    /// What to do, which may not be the same for all files.
    remedies: Vec<Remedy>,
    grounds: Vec<Ground>,
    formats: BTreeMap<Format, u64>,
    effects: Vec<Effect>,
}

/// Judges one file by every rule.
pub fn judge(facts: &FileFacts, setting: &Setting) -> Vec<FileFinding> {
    let mut findings = Vec::new();
    for rule in book::of(Kind::File) {
        let Judge::File { judge, .. } = rule.judge else {
            continue;
        };
        findings.extend(judge(facts, setting).into_iter().map(|finding| {
            let mut finding = FileFinding {
                rule: rule.id.to_owned(),
                name: rule.name.to_owned(),
                cause: cause_of(rule),
                ..finding
            };
            finding.remedies.sort_by_key(|remedy| remedy.risk);
            finding
        }));
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

/// What was found in one file, as it is told of a set.
pub fn hazards_of(facts: &FileFacts, findings: &[FileFinding]) -> Vec<Hazard> {
    let mut groups = Groups::default();
    groups.add(facts, findings);
    let rules = book::of(Kind::File).enumerate();
    rules
        .flat_map(|(order, rule)| groups.hazards(order, rule).collect::<Vec<_>>())
        .collect()
}

/// Whether a finding is about the whole set rather than about files of it.
pub fn is_about_set(hazard: &Hazard) -> bool {
    let mut rules = book::of(Kind::File);
    rules.any(|rule| rule.id == hazard.rule && matches!(rule.judge, Judge::Set(_)))
}

impl Gathering {
    /// Takes in one file and what was found in it.
    pub fn add(&mut self, facts: &FileFacts, findings: &[FileFinding], setting: &Setting) {
        self.files += 1;
        self.read += u64::from(facts.extent != Extent::Nothing);
        self.look(facts, setting);
        self.bytes = self.bytes.saturating_add(facts.size);
        match facts.format {
            Some(format) => *self.formats.entry(format).or_default() += 1,
            None => self.unknown += 1,
        }
        self.census.add(facts);
        self.foresee(facts);
        self.add_late(facts, findings);
    }

    /// Counts the file for each rule that looks at it.
    fn look(&mut self, facts: &FileFacts, setting: &Setting) {
        for (order, rule) in book::of(Kind::File).enumerate() {
            let Judge::File { looks_at, .. } = rule.judge else {
                continue;
            };
            let seen = self.seen.entry(order).or_default();
            seen.add(facts.format, looks_at.sight(facts, setting));
        }
    }

    fn foresee(&mut self, facts: &FileFacts) {
        let Some(forecast) = forecast(facts, None) else {
            return;
        };
        let place = self
            .forecasts
            .partition_point(|it| it.weights >= forecast.weights);
        self.forecasts.insert(place, forecast);
        self.forecasts.truncate(FORECASTS);
    }

    /// Takes in what was found in a file later than the file itself.
    pub fn add_late(&mut self, facts: &FileFacts, findings: &[FileFinding]) {
        self.groups.add(facts, findings);
    }

    /// What it comes to.
    pub fn conclude(&self, kind: InspectionKind, subject: &str, setting: &Setting) -> Inspection {
        let mut findings = Vec::new();
        let mut checks = Vec::new();
        for (order, rule) in book::of(Kind::File).enumerate() {
            let mut look = match rule.judge {
                Judge::Set(judge) => judge(&self.census, setting),
                _ => self.look_of(order, rule),
            };
            checks.push(look.as_check(rule));
            for hazard in &mut look.findings {
                rule.id.clone_into(&mut hazard.rule);
                rule.name.clone_into(&mut hazard.name);
                hazard.cause = cause_of(rule);
            }
            findings.append(&mut look.findings);
        }
        let gaps = match self.files {
            0 => Vec::new(),
            _ => labels::gaps(&labels::unchecked(&self.census, setting)),
        };
        let were_seen = labels::were_seen(&self.census, setting);
        labels::confess(&mut checks, &gaps, were_seen);
        findings.sort_by_key(|hazard| {
            let worst = hazard.effects.first().map(|effect| effect.does);
            std::cmp::Reverse((hazard.severity, worst))
        });
        Inspection {
            kind,
            subject: subject.to_owned(),
            overview: Vec::new(),
            looked_at: self.looked_at(),
            forecasts: self.forecasts(kind, setting),
            lacks: self.lacks(),
            findings,
            checks,
            gaps,
            place: None,
        }
    }

    /// What there should have been to check, and was not.
    pub fn lacks(&self) -> Option<Lack> {
        match (self.files, self.read) {
            (0, _) => Some(Lack::Files),
            (_, 0) if self.groups.0.is_empty() => Some(Lack::Readable),
            _ => None,
        }
    }

    /// What a rule about single files looked at, and what it found.
    fn look_of(&self, order: usize, rule: &Rule) -> Look {
        let look = self.seen.get(&order).map(Seen::look);
        let look = look.unwrap_or_default();
        look.found_all(self.groups.hazards(order, rule))
    }

    /// Why no label was checked although labels were asked for; empty where some were.
    pub fn unchecked_labels(&self, setting: &Setting) -> Vec<UncheckedLabels> {
        if labels::were_seen(&self.census, setting) {
            return Vec::new();
        }
        labels::unchecked(&self.census, setting)
    }

    fn forecasts(&self, kind: InspectionKind, setting: &Setting) -> Vec<Forecast> {
        if kind != InspectionKind::Model {
            return Vec::new();
        }
        let forecasts = self.forecasts.iter().cloned();
        let left = setting.memory;
        forecasts.map(|it| Forecast { left, ..it }).collect()
    }

    fn looked_at(&self) -> Vec<Amount> {
        let amount = |what, count: u64| Amount { what, count };
        let of = |format: &str, count| amount(Counted::Of(format.to_owned()), count);
        let mut amounts = vec![
            amount(Counted::Files, self.files),
            amount(Counted::Bytes, self.bytes),
        ];
        amounts.extend(
            self.formats
                .iter()
                .map(|(format, count)| of(format.name(), *count)),
        );
        if self.unknown > 0 {
            amounts.push(of("of unknown format", self.unknown));
        }
        amounts
    }
}

impl Groups {
    /// Takes in what was found in one file.
    fn add(&mut self, facts: &FileFacts, findings: &[FileFinding]) {
        let mut told = Vec::new();
        for finding in findings {
            let Some(order) = position(&finding.rule) else {
                continue;
            };
            let key = (order, finding.severity);
            let is_new = !told.contains(&key);
            told.push(key);
            let group = self.0.entry(key).or_default();
            group.add(facts, finding, is_new);
        }
    }

    /// What a rule found, once for each severity.
    fn hazards(&self, order: usize, rule: &Rule) -> impl Iterator<Item = Hazard> {
        let groups = self.0.range((order, Severity::WorthKnowing)..);
        let groups = groups.take_while(move |((other, _), _)| *other == order);
        groups.filter_map(|((_, severity), group)| group.told(rule, *severity))
    }
}

impl Group {
    fn add(&mut self, facts: &FileFacts, finding: &FileFinding, is_new_file: bool) {
        for remedy in &finding.remedies {
            if self.remedies.len() < REMEDIES && !self.remedies.contains(remedy) {
                self.remedies.push(remedy.clone());
            }
        }
        for effect in &finding.effects {
            self.add_effect(effect, facts.format);
        }
        if !is_new_file {
            return;
        }
        self.count += 1;
        if let Some(format) = facts.format {
            *self.formats.entry(format).or_default() += 1;
        }
        if self.files.len() < FILES_NAMED {
            self.files.push(facts.path.clone());
        }
        if self.grounds.len() < FILES_TOLD {
            self.grounds.push(Ground {
                claim: told(&facts.path, finding),
                fact: FactRef::File {
                    path: facts.path.clone(),
                },
            });
        }
    }

    fn add_effect(&mut self, effect: &Effect, format: Option<Format>) {
        let is_same = |it: &&mut Effect| {
            (it.does, &it.versions, &it.seen) == (effect.does, &effect.versions, &effect.seen)
        };
        let known = self.effects.iter_mut().find(is_same);
        match (known, format) {
            (Some(known), Some(format)) if !known.formats.contains(&format) => {
                known.formats.push(format);
            }
            (Some(_), _) => {}
            (None, format) => self.effects.push(Effect {
                formats: format.into_iter().collect(),
                ..effect.clone()
            }),
        }
    }

    /// The worst first; with their formats only where they are not the same for all files.
    fn effects(&self) -> Vec<Effect> {
        let mut effects = self.effects.clone();
        effects.sort_by_key(|effect| std::cmp::Reverse(effect.does));
        let is_of_all = |effect: &Effect| effect.formats.len() == self.formats.len();
        if effects.iter().all(is_of_all) {
            for effect in &mut effects {
                effect.formats.clear();
            }
        }
        effects
    }

    /// As one finding.
    fn told(&self, rule: &Rule, severity: Severity) -> Option<Hazard> {
        let Judge::File {
            says: [one, many], ..
        } = rule.judge
        else {
            return None;
        };
        let headline = match (self.count, self.files.first()) {
            (1, Some(only)) => format!("{only} {one}"),
            (count, _) => format!("{count} files {many}{}", self.by_format()),
        };
        Some(Hazard {
            rule: rule.id.to_owned(),
            name: rule.name.to_owned(),
            grounds: self.grounds.clone(),
            files: self.files.clone(),
            more_files: self.count - self.files.len() as u64,
            effects: self.effects(),
            remedies: self.remedies.clone(),
            ..Hazard::new(severity, cause_of(rule), headline)
        })
    }

    /// ` (12 JPEG, 2 PNG)`, where there are several.
    fn by_format(&self) -> String {
        let mut formats: Vec<_> = self.formats.iter().collect();
        formats.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let words: Vec<String> = formats
            .iter()
            .map(|(format, count)| format!("{count} {}", format.name()))
            .collect();
        match words.as_slice() {
            [] => String::new(),
            words => format!(" ({})", words.join(", ")),
        }
    }
}

/// The cause that findings of a rule name; each names one, whether or not the rule leads to any.
fn cause_of(rule: &Rule) -> Cause {
    let first = rule.causes.first();
    first.copied().unwrap_or(Cause::CorruptDataFile)
}

/// Where among the rules about files that of an id stands.
fn position(id: &str) -> Option<usize> {
    book::of(Kind::File).position(|rule| rule.id == id)
}

/// What was seen in one file, as a sentence.
fn told(path: &str, finding: &FileFinding) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let part = match finding.part.id {
        Part::Unnamed | Part::File | Part::Path | Part::Link | Part::SpecialFile => String::new(),
        _ => format!("{}: ", finding.part),
    };
    let at = finding
        .at
        .map_or_else(String::new, |at| format!(" (byte {at})"));
    format!("{name}: {part}{}{at}", finding.detail)
}

#[cfg(test)]
#[path = "gathering_tests.rs"]
mod tests;
