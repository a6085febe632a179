//! Commands for pip as an environment takes them: not every one has pip, and some do not let it change anything.
//!
//! Rules write `python -m pip`; here it becomes what works. What to install is theirs.

use crate::hazard::Hazard;
use crate::rule::{Remedy, Risk};
use crate::survey::{PackageTool, Survey};

/// Rewrites the commands of a hazard, and puts before the first of them what has to be done for it.
pub(super) fn fit(hazard: &mut Hazard, survey: &Survey) {
    let pip = survey.pip();
    let Some(python) = pip.strip_suffix(" -m pip") else {
        return;
    };
    let calls_pip = |remedy: &Remedy| {
        let command = remedy.command.as_ref();
        command.is_some_and(|command| command.contains(&pip))
    };
    let Some(first) = hazard.remedies.iter().position(calls_pip) else {
        return;
    };
    match survey.python.known().map(|python| python.tool) {
        Some(PackageTool::Uv) => {
            rewrite(hazard, &pip, |verb| {
                format!("uv pip {verb} --python {python}")
            });
        }
        Some(PackageTool::Missing) => {
            let prepare = Remedy::new("Give the environment pip first: it has none")
                .command(format!("{python} -m ensurepip"))
                .risk(Risk::Environment);
            hazard.remedies.insert(first, prepare);
        }
        Some(PackageTool::Refused) => {
            rewrite(hazard, &pip, |verb| {
                format!("{pip} {verb} --break-system-packages")
            });
            let prepare = Remedy::new(
                "Better make a virtual environment and install there what the program needs: this Python belongs to the \
                 system, and pip changes it only when it is forced to",
            )
            .command(format!("{python} -m venv .venv"));
            hazard.remedies.insert(first, prepare);
        }
        Some(PackageTool::Pip) | None => {}
    }
}

fn rewrite(hazard: &mut Hazard, pip: &str, instead: impl Fn(&str) -> String) {
    for remedy in &mut hazard.remedies {
        let Some(command) = &mut remedy.command else {
            continue;
        };
        for verb in ["install", "uninstall"] {
            *command = command.replace(&format!("{pip} {verb} "), &format!("{} ", instead(verb)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Observed;
    use crate::cause::Cause;
    use crate::hazard::Severity;
    use crate::survey::Interpreter;

    /// What is to be done in an environment with this tool, after something that is not about packages.
    fn commands(tool: PackageTool) -> Vec<String> {
        let survey = Survey {
            python: Observed::Known(Interpreter {
                path: "/my env/bin/python".to_owned(),
                tool,
                ..Interpreter::default()
            }),
            ..Survey::default()
        };
        let pip = survey.pip();
        let mut hazard = Hazard::new(Severity::WillFail, Cause::AbiMismatch, "x")
            .remedy(Remedy::new("Look").command("df -h"))
            .remedy(Remedy::new("Install").command(format!("{pip} install 'a<2'")))
            .remedy(Remedy::new("Remove").command(format!("{pip} uninstall b")));
        fit(&mut hazard, &survey);
        hazard
            .remedies
            .into_iter()
            .filter_map(|it| it.command)
            .collect()
    }

    #[test]
    fn a_command_is_one_that_works_in_the_environment() {
        assert_eq!(
            commands(PackageTool::Pip),
            [
                "df -h",
                "'/my env/bin/python' -m pip install 'a<2'",
                "'/my env/bin/python' -m pip uninstall b"
            ]
        );
        assert_eq!(
            commands(PackageTool::Uv),
            [
                "df -h",
                "uv pip install --python '/my env/bin/python' 'a<2'",
                "uv pip uninstall --python '/my env/bin/python' b"
            ]
        );
        assert_eq!(
            commands(PackageTool::Missing)[1..3],
            [
                "'/my env/bin/python' -m ensurepip",
                "'/my env/bin/python' -m pip install 'a<2'"
            ]
        );
        assert_eq!(
            commands(PackageTool::Refused)[1..3],
            [
                "'/my env/bin/python' -m venv .venv",
                "'/my env/bin/python' -m pip install --break-system-packages 'a<2'"
            ]
        );
    }
}
