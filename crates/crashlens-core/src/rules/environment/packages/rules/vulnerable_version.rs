//! A TensorFlow for which a later release of its own line mends defects that crash.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::known_issues::KnownIssues;
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk};
use crate::rules::environment::packages::commands::named;
use crate::survey::{Distribution, Survey};

pub(super) static RULE: Rule = Rule {
    id: "PKG015",
    name: "vulnerable-version",
    summary: "The installed TensorFlow has published crash defects that a later release of its series fixes.",
    causes: &[Cause::KnownBadVersion],
    since: "0.1.0",
    doc: include_str!("vulnerable_version.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let known = KnownIssues::built_in();
    let Some(tensorflow) = survey.tensorflow() else {
        return Look::nothing();
    };
    let look = Look::at(format!("{} advisories", known.len()));
    look.found_all(mended(tensorflow, known))
}

fn mended(tensorflow: &Distribution, known: &KnownIssues) -> Option<Hazard> {
    let version = tensorflow.parsed_version()?;
    let mended = known.mended_in_line("tensorflow", &version);
    let last = mended.iter().map(|(_, fix)| *fix).max()?;
    let (first, _) = mended.first()?;
    let headline = format!(
        "{} has {} published defects that crash a process, which {last} of the same line mends",
        named(tensorflow),
        mended.len()
    );
    let hazard = Hazard::new(Severity::WorthKnowing, Cause::KnownBadVersion, headline)
        .because(
            tensorflow.fact(),
            format!("{} is installed.", named(tensorflow)),
        )
        .because(
            FactRef::KnownIssue {
                id: (*first).to_owned(),
            },
            format!("{first} is one of them: an op dies of a value that it does not check."),
        )
        .unless("All values that reach its ops are known to be sound.")
        .package(tensorflow.package());
    let wanted = format!("{}=={last}", tensorflow.name);
    let remedy = Remedy::new("Install the last release of the line, which changes nothing else");
    Some(
        hazard.remedy(
            remedy
                .command_if(Pip::install(&[wanted]))
                .risk(Risk::Environment),
        ),
    )
}
