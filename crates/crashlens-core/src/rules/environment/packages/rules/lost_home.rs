//! `PYTHONHOME` that leads away from Python's own modules.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::rule::Remedy;
use crate::shell;
use crate::survey::{Interpreter, Survey};

pub(super) static RULE: Rule = Rule {
    id: "PKG018",
    name: "lost-home",
    summary: "`PYTHONHOME` names a directory that does not have Python's own modules.",
    causes: &[Cause::InterpreterMisuse],
    since: "0.1.0",
    doc: include_str!("lost_home.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let python = survey.python.known();
    Look::at("PYTHONHOME")
        .found_all(python.and_then(lost))
        .blind_to("Python", &survey.python, &survey.gaps)
}

fn lost(python: &Interpreter) -> Option<Hazard> {
    let home = python.lost_home.as_ref()?;
    let headline = format!(
        "PYTHONHOME is {home}, which has no standard library of Python {}: it does not start",
        python.version
    );
    let without = shell::word(&python.path).map(|path| format!("env -u PYTHONHOME {path} -V"));
    Some(
        Hazard::new(Severity::WillFail, Cause::InterpreterMisuse, headline)
            .because(
                FactRef::Python,
                "Where the variable is set Python looks for its own modules there and nowhere else. Expect \"Fatal Python error\" and words about an encoding.",
            )
            .unless("The program is started without the variable, or with -E or -I.")
            .file(home.clone())
            .remedy(Remedy::new("Take the variable away").command_if(without)),
    )
}
