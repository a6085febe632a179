//! A published version that is known to die so.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, Installed};
use crate::known_versions::{self, Bad};
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk, Suspicion};
use crate::rules::death::install::symptom;
use crate::shell;

pub(super) static RULE: Rule = Rule {
    id: "INS010",
    name: "known-bad-version",
    summary: "The crash matches a known defect of a published release.",
    causes: &[
        Cause::KnownBadVersion,
        Cause::ProtobufClash,
        Cause::IllegalInstruction,
    ],
    since: "0.1.0",
    doc: include_str!("known_bad_version.md"),
    judge: Judge::Death(judge),
};

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
    let (weight, fact, claim) =
        symptom::seen(facts, bad).or_else(|| symptom::nothing_else(facts, bad, is_bad))?;
    let mut suspicion = Suspicion::new(
        bad.cause.unwrap_or(Cause::KnownBadVersion),
        bad.what.as_str(),
    )
    .supported(weight, fact, claim);
    if let (Some(installed), Some(is_bad)) = (&installed, is_bad) {
        let claim = format!(
            "{} {} is in use",
            installed.package.name, installed.package.version
        );
        let fact = installed.fact.clone();
        suspicion = if is_bad {
            // A version alone is no evidence: it carries no further than what is seen of its defect.
            suspicion.supported(weight, fact, format!("{claim}."))
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
    let name = installed
        .as_ref()
        .map_or(bad.package.as_str(), |it| it.package.name.as_str());
    Some(with_remedies(suspicion, bad, name))
}

fn installed<'a>(facts: &Facts<'a>, bad: &Bad) -> Option<Installed<'a>> {
    if bad.package == "tensorflow" {
        return facts.tensorflow();
    }
    facts.package(&bad.package)
}

fn with_remedies(mut suspicion: Suspicion, bad: &Bad, name: &str) -> Suspicion {
    if let Some(test) = bad.test() {
        let action = "Test it: without the part that is at fault it must live.";
        suspicion = suspicion.remedy(Remedy::new(action).command(test));
    }
    if let Some(advice) = &bad.advice {
        suspicion = suspicion.remedy(Remedy::new(advice));
    }
    if let Some(fixed) = &bad.fixed {
        // Programs for TensorFlow 1 do not run on 2.
        let below = if bad.package == "tensorflow" && fixed.starts_with("1.") {
            ",<2"
        } else {
            ""
        };
        suspicion = suspicion.remedy(
            Remedy::new(format!(
                "Install {name} {fixed} or later, or a version before the defect."
            ))
            .command_if(
                shell::package(name)
                    .and_then(|name| Pip::install([format!("{name}>={fixed}{below}")])),
            )
            .risk(Risk::Environment),
        );
    }
    suspicion
}
