//! An environment whose packages are those of the Python that was below it before.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::rule::{Remedy, Risk};
use crate::shell;
use crate::survey::{Interpreter, Survey};

pub(super) static RULE: Rule = Rule {
    id: "PKG017",
    name: "replaced-python",
    summary: "The virtual environment was made for another Python version than the one that runs it.",
    causes: &[Cause::InterpreterMisuse],
    since: "0.1.0",
    doc: include_str!("replaced_python.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let look = Look::at("the folders of packages");
    let python = survey.python.known();
    look.found_all(python.and_then(stranded))
        .blind_to("Python", &survey.python, &survey.gaps)
}

fn stranded(python: &Interpreter) -> Option<Hazard> {
    let folder = python.stranded.first()?;
    let made_for = made_for(folder)?;
    let headline = format!(
        "The virtual environment {} was made for Python {made_for} and is run by Python {}, which sees none of its packages",
        python.prefix, python.version
    );
    let again = shell::word(&python.prefix).zip(shell::word(&python.path));
    let again = again.map(|(prefix, python)| format!("{python} -m venv --clear {prefix}"));
    Some(
        Hazard::new(Severity::WillFail, Cause::InterpreterMisuse, headline)
            .because(
                FactRef::Python,
                format!("Its packages are in {folder}; Python {} does not look there.", python.version),
            )
            .because(FactRef::Python, format!("{} is {}.", python.path, python.real_path))
            .unless("The environment is meant to be empty, and the folder was left behind.")
            .file(folder.clone())
            .remedy(Remedy::new(format!(
                "Install Python {made_for} again and let the environment lead to it, where its packages are still needed"
            )))
            .remedy(
                Remedy::new("Or make the environment anew, and install into it what the program needs")
                    .command_if(again)
                    .risk(Risk::Environment),
            ),
    )
}

/// `3.10` of `/venv/lib/python3.10/site-packages`.
fn made_for(folder: &str) -> Option<&str> {
    let library = folder.trim_end_matches('/').rsplit('/').nth(1)?;
    library.strip_prefix("python").filter(|it| !it.is_empty())
}
