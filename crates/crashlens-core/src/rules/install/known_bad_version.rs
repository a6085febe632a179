//! A published version that is known to die so.

use std::collections::BTreeSet;

use crate::capture::MessageKind;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, Installed};
use crate::known_versions::{self, Bad};
use crate::rule::{Remedy, Risk, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "INS010",
    name: "known-bad-version",
    causes: &[
        Cause::KnownBadVersion,
        Cause::ProtobufClash,
        Cause::IllegalInstruction,
    ],
    since: "0.1.0",
    doc: include_str!("known_bad_version.md"),
    judge,
};

/// Frames from the fault outwards in which a symptom is looked for.
const NEAR: usize = 8;

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let mut suspicions = known_versions::bad()
        .iter()
        .filter_map(|bad| suspect(facts, bad));
    let first = suspicions.next()?;
    // Where one is ruled out by its version, another one may not be.
    let is_open = |it: &Suspicion| crate::diagnosis::weigh(&it.evidence).is_some();
    if is_open(&first) {
        return Some(first);
    }
    Some(suspicions.find(is_open).unwrap_or(first))
}

fn suspect(facts: &Facts<'_>, bad: &Bad) -> Option<Suspicion> {
    let signal_fits =
        bad.signals.is_empty() || facts.signal().is_some_and(|it| bad.signals.contains(&it));
    let installed = installed(facts, bad);
    let version = installed.as_ref().and_then(Installed::version);
    let is_bad = version.as_ref().map(|version| {
        let line = known_versions::without_suffix(version);
        bad.versions.contains(version) || bad.versions.contains(&line)
    });
    if !signal_fits || (is_bad.is_none() && !bad.tells) {
        return None;
    }
    let (fact, claim) = symptom(facts, bad).or_else(|| nothing_else(facts, bad, is_bad))?;
    let mut suspicion = Suspicion::new(
        bad.cause.unwrap_or(Cause::KnownBadVersion),
        bad.what.as_str(),
    )
    .supported(Weight::Strong, fact, claim);
    if let (Some(installed), Some(is_bad)) = (&installed, is_bad) {
        let claim = format!(
            "{} {} is in use",
            installed.package.name, installed.package.version
        );
        let fact = installed.fact.clone();
        suspicion = if is_bad {
            suspicion.supported(Weight::Strong, fact, format!("{claim}."))
        } else {
            suspicion.opposed(
                Weight::Decisive,
                fact,
                format!("{claim}, which does not have this defect."),
            )
        };
    }
    let known = FactRef::KnownIssue { id: bad.id.clone() };
    let suspicion =
        suspicion.supported(Weight::Weak, known, format!("Reported in {}.", bad.source));
    Some(with_remedies(suspicion, bad))
}

fn installed<'a>(facts: &Facts<'a>, bad: &Bad) -> Option<Installed<'a>> {
    if bad.package == "tensorflow" {
        return facts.tensorflow();
    }
    facts.package(&bad.package)
}

/// What is seen of the way in which the version dies.
fn symptom(facts: &Facts<'_>, bad: &Bad) -> Option<(FactRef, String)> {
    let frames = facts.acting_frames();
    let is_under = bad.under.is_empty()
        || frames
            .iter()
            .any(|sight| bad.under.iter().any(|word| sight.function().contains(word)));
    let frame = frames.iter().take(NEAR).find(|sight| {
        bad.frames
            .iter()
            .any(|word| sight.function().contains(word))
            || bad
                .libraries
                .iter()
                .any(|word| sight.library().contains(word))
    });
    if let Some(sight) = frame.filter(|_| is_under) {
        let place = if sight.function().is_empty() {
            sight.library()
        } else {
            sight.function()
        };
        return Some((
            sight.fact.clone(),
            format!("It died in {}.", crate::rules::install::short(place)),
        ));
    }
    let has_other = bad
        .with
        .as_ref()
        .is_none_or(|sign| facts.sign(sign).is_some());
    let sight = bad
        .signs
        .iter()
        .find_map(|sign| facts.sign(sign))
        .filter(|_| has_other);
    if let Some(sight) = sight {
        return Some((sight.fact.clone(), format!("It said: {}", sight.said())));
    }
    let wanted = bad
        .heap_messages
        .filter(|_| facts.is_text() && frames.is_empty())?;
    let mut heap = facts.messages().iter().enumerate();
    let last = heap.rfind(|(_, message)| message.kind == MessageKind::CLibrary)?;
    let of_heap = facts
        .messages()
        .iter()
        .filter(|message| message.kind == MessageKind::CLibrary);
    let different: BTreeSet<&str> = of_heap.map(|message| message.text.as_str()).collect();
    let claim = "Its runs ended with different words about a damaged heap, as chance has it.";
    (different.len() >= wanted).then(|| (FactRef::Message { index: last.0 }, claim.to_owned()))
}

/// In text that tells nothing else, for versions that are known for nothing but their signal.
fn nothing_else(facts: &Facts<'_>, bad: &Bad, is_bad: Option<bool>) -> Option<(FactRef, String)> {
    let is_alone =
        bad.alone && is_bad == Some(true) && facts.is_text() && facts.last_words().is_none();
    let mut frames = facts.native_frames();
    let is_told = frames.any(|sight| sight.is_foreign()) || facts.python_frames().next().is_some();
    let claim = "It died of a signal, and the text tells nothing else about it.";
    (is_alone && !is_told).then(|| (FactRef::Ending, claim.to_owned()))
}

fn with_remedies(mut suspicion: Suspicion, bad: &Bad) -> Suspicion {
    if let Some(test) = &bad.test {
        suspicion = suspicion.remedy(
            Remedy::new("Test it: without the part that is at fault it must live.").command(test),
        );
    }
    if let Some(fixed) = &bad.fixed {
        let name = &bad.package;
        suspicion = suspicion.remedy(
            Remedy::new(format!(
                "Install {name} {fixed} or later, or a version before the defect."
            ))
            .command(format!("pip install '{name}>={fixed}'"))
            .risk(Risk::Environment),
        );
    }
    suspicion
}
