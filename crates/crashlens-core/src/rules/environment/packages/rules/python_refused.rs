//! Packages that do not want this version of Python.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::rule::{Remedy, Risk};
use crate::rules::environment::packages::commands::{choose_again, named};
use crate::survey::{Distribution, Interpreter, Survey};

pub(super) static RULE: Rule = Rule {
    id: "PKG008",
    name: "python-refused",
    summary: "A package's `Requires-Python` excludes the version of this interpreter.",
    causes: &[Cause::InterpreterMisuse],
    since: "0.1.0",
    doc: include_str!("python_refused.md"),
    judge: Judge::Environment(judge),
};

/// How many minor versions of Python ahead are tried, to tell "too old" from "too new".
const AHEAD: u32 = 12;

fn judge(survey: &Survey) -> Look {
    let Some(python) = survey.python.known() else {
        return Look::nothing().blind_to("Python", &survey.python, &survey.gaps);
    };
    let mut look = Look::at(format!("{} packages", survey.distributions.len()));
    for distribution in survey.found_distributions() {
        if !survey.is_of_the_system(distribution) {
            look = look.found_all(refused(python, distribution));
        }
    }
    look
}

fn refused(python: &Interpreter, distribution: &Distribution) -> Option<Hazard> {
    let requires = distribution.requires_python.as_ref()?;
    if !python.is_refused_by(requires) {
        return None;
    }
    let is_too_old = newer(python).any(|newer| !newer.is_refused_by(requires));
    let (severity, claim) = if is_too_old {
        (
            Severity::CanCrash,
            "Its code may use what this Python does not have yet.",
        )
    } else {
        (
            Severity::WorthKnowing,
            "Its makers have not tried it with so new a Python.",
        )
    };
    let headline = format!(
        "{} is not for Python {}: it asks for {requires}",
        named(distribution),
        python.version
    );
    let hazard = Hazard::new(severity, Cause::InterpreterMisuse, headline)
        .because(distribution.fact(), claim)
        .because(
            FactRef::Python,
            format!("The interpreter is Python {}.", python.version),
        )
        .unless("The package is imported and used here without an error.")
        .package(distribution.package());
    let remedy = Remedy::new("Let pip choose the newest version that is for this Python")
        .command_if(choose_again(distribution))
        .risk(Risk::Environment);
    Some(hazard.remedy(remedy))
}

fn newer(python: &Interpreter) -> impl Iterator<Item = Interpreter> {
    let mut parts = python
        .version
        .split('.')
        .map_while(|part| part.parse::<u32>().ok());
    let (major, minor) = (parts.next().unwrap_or(3), parts.next().unwrap_or(0));
    (1..=AHEAD).map(move |step| Interpreter {
        version: format!("{major}.{}.0", minor.saturating_add(step)),
        ..Interpreter::default()
    })
}
