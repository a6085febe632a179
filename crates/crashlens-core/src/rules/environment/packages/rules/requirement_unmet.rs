//! What packages require and do not find, as `pip check` asks.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::compatibility::{is_compared_at_once, is_imported_at_once, is_known_pair};
use crate::hazard::{Hazard, Severity};
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk};
use crate::rules::environment::packages::commands::named;
use crate::rules::environment::packages::requirement_words::{had, shadowed, stops, wanted};
use crate::survey::{Distribution, Survey, Unmet};

pub(super) static RULE: Rule = Rule {
    id: "PKG013",
    name: "requirement-unmet",
    summary: "A requirement of an installed package is missing or has a version outside its limits.",
    causes: &[Cause::AbiMismatch],
    since: "0.1.0",
    doc: include_str!("requirement_unmet.md"),
    judge: Judge::Environment(judge),
};

/// A command of more words is not one that a person reads before it is run.
const MOST_NAMED: usize = 12;

fn judge(survey: &Survey) -> Look {
    let mut look = Look::at(format!("{} packages", survey.distributions.len()));
    let shelf = survey.shelf();
    for distribution in survey.found_distributions() {
        let unmet: Vec<Unmet<'_>> = shelf
            .unmet(distribution)
            .into_iter()
            .filter(|it| !is_told_elsewhere(survey, distribution, it))
            .collect();
        if !unmet.is_empty() {
            look = look.found(incomplete(survey, distribution, &unmet));
        }
    }
    look.blind_to("Python", &survey.python, &survey.gaps)
}

/// Whether another rule knows more of it, or the system's package manager has its own mind about it.
fn is_told_elsewhere(survey: &Survey, distribution: &Distribution, unmet: &Unmet<'_>) -> bool {
    if survey.is_of_the_system(distribution) {
        // What it leaves out is left out on purpose; what a person put over it is not.
        return unmet.installed.is_none_or(|it| survey.is_of_the_system(it));
    }
    if unmet.name == "protobuf" && survey.gencode_fault(distribution).is_some() {
        return true;
    }
    unmet
        .installed
        .is_some_and(|installed| is_known_pair(&distribution.package(), &installed.package()))
}

fn incomplete(survey: &Survey, distribution: &Distribution, unmet: &[Unmet<'_>]) -> Hazard {
    let version = distribution.parsed_version();
    let is_fatal = |it: &&Unmet<'_>| {
        let is_so = match it.installed {
            Some(_) => is_compared_at_once,
            None => is_imported_at_once,
        };
        version
            .as_ref()
            .is_some_and(|version| is_so(&distribution.name, version, &it.name))
    };
    let fatal = unmet.iter().find(is_fatal);
    let (severity, first) = match fatal {
        Some(unmet) => (Severity::WillFail, unmet),
        None => (Severity::WorthKnowing, &unmet[0]),
    };
    let more = match unmet.len() {
        1 => String::new(),
        count => format!(", and {} more like it", count - 1),
    };
    let headline = format!(
        "{} asks for {}, and {}{more}",
        named(distribution),
        wanted(first),
        had(first)
    );
    let mut hazard = Hazard::new(severity, Cause::AbiMismatch, headline)
        .unless("Programs that use it run here: what a package asks for is often narrower than what it works with.")
        .package(distribution.package());
    for it in unmet.iter().take(8) {
        hazard = hazard.because(
            distribution.fact(),
            format!("It asks for {}; {}.", wanted(it), had(it)),
        );
        hazard
            .packages
            .extend(it.installed.map(Distribution::package));
        hazard = shadowed(hazard, survey, it);
    }
    if let Some(fatal) = fatal {
        hazard = hazard.because(distribution.fact(), stops(fatal));
    }
    hazard.remedy(
        Remedy::new("Install what it asks for")
            .command_if(Pip::install(asked_for(distribution, unmet)))
            .risk(Risk::Environment),
    )
}

/// What to give to pip. Of many it is the package itself, after whose requirements pip looks even where it is installed.
fn asked_for(distribution: &Distribution, unmet: &[Unmet<'_>]) -> Vec<String> {
    if unmet.len() > MOST_NAMED {
        return vec![format!("{}=={}", distribution.name, distribution.version)];
    }
    let all = unmet.iter().map(|it| {
        // TensorFlow under the name it has here: under another it would be installed over itself.
        let name = it.installed.map_or(&it.name, |installed| &installed.name);
        format!("{name}{}", it.versions).replace(' ', "")
    });
    all.collect()
}
