//! Releases whose ordinary use is known to crash.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::compatibility::is_name;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::known_versions::{Bad, Plain, bad};
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk};
use crate::rules::environment::packages::commands::named;
use crate::survey::{Distribution, Survey};

pub(super) static RULE: Rule = Rule {
    id: "PKG014",
    name: "bad-release",
    summary: "An installed release is known to crash in ordinary use.",
    causes: &[
        Cause::KnownBadVersion,
        Cause::IllegalInstruction,
        Cause::ProtobufClash,
    ],
    since: "0.1.0",
    doc: include_str!("bad_release.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let known: Vec<(&Bad, &Plain)> = bad()
        .iter()
        .filter_map(|bad| Some((bad, bad.plain.as_ref()?)))
        .collect();
    let mut look = Look::at(format!("{} releases that are known to crash", known.len()));
    for (bad, plain) in known {
        let is_it = |it: &&Distribution| {
            is_name(&bad.package, &it.name)
                && it
                    .parsed_version()
                    .is_some_and(|version| bad.versions.contains(&version))
        };
        let found = survey.found_distributions().find(is_it);
        if let Some(distribution) = found.filter(|_| is_exposed(survey, plain)) {
            look = look.found(crashes(distribution, bad, plain));
        }
    }
    look
}

/// Whether the machine and its packages are such as it crashes on. What is not known is no reason to warn.
fn is_exposed(survey: &Survey, plain: &Plain) -> bool {
    let lacks = plain.lacks.as_ref().is_none_or(|flag| {
        let flags = survey.machine.cpu_flags.known();
        flags.is_some_and(|flags| !flags.is_empty() && !flags.contains(flag))
    });
    let machine = plain
        .architecture
        .as_ref()
        .is_none_or(|wanted| survey.machine.architecture.known() == Some(wanted));
    let beside = plain.beside.is_empty()
        || plain
            .beside
            .iter()
            .any(|name| survey.distribution(name).is_some());
    lacks && machine && beside
}

fn crashes(distribution: &Distribution, bad: &Bad, plain: &Plain) -> Hazard {
    let headline = format!("{} is installed: {}", named(distribution), bad.what);
    let known = || FactRef::KnownIssue { id: bad.id.clone() };
    let mut hazard = Hazard::new(
        Severity::CanCrash,
        bad.cause.unwrap_or(Cause::KnownBadVersion),
        headline,
    )
    .because(
        distribution.fact(),
        format!("{} is what Python finds.", named(distribution)),
    )
    .because(known(), format!("The defect is known: {}.", bad.source))
    .unless(plain.unless.clone())
    .package(distribution.package());
    if let Some(flag) = &plain.lacks {
        let fact = FactRef::Host {
            field: "cpu_flags".to_owned(),
        };
        hazard = hazard.because(fact, format!("This processor has no {flag}."));
    }
    if plain.architecture.is_some() {
        let fact = FactRef::Host {
            field: "architecture".to_owned(),
        };
        hazard = hazard.because(fact, "This is such a machine.");
    }
    if let Some(test) = bad.test() {
        hazard = hazard.remedy(Remedy::new("Try without it").command(test));
    }
    let install = Pip::install(&[plain.install.replacen("{name}", &distribution.name, 1)]);
    let remedy = Remedy::new("Install a release without the defect");
    hazard.remedy(remedy.command_if(install).risk(Risk::Environment))
}
