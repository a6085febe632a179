//! Packages of another Python than the one that looks for them.

use std::collections::BTreeMap;

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::rules::environment::packages::commands::{named, reinstall};
use crate::survey::loading::count;
use crate::survey::{Distribution, Interpreter, NativeFile, Survey};

pub(super) static RULE: Rule = Rule {
    id: "PKG007",
    name: "wrong-python",
    summary: "The native modules of a package were built for another Python version.",
    causes: &[Cause::InterpreterMisuse],
    since: "0.1.0",
    doc: include_str!("wrong_python.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let Some(python) = survey.python.known() else {
        return Look::nothing().blind_to("Python", &survey.python, &survey.gaps);
    };
    let mut modules: BTreeMap<&str, Vec<&NativeFile>> = BTreeMap::new();
    for file in survey.native.iter().filter(|file| file.extension.is_some()) {
        if let Some(package) = &file.package {
            modules.entry(&package.name).or_default().push(file);
        }
    }
    let mut look = Look::at(format!("{} packages", survey.distributions.len()));
    for distribution in survey.found_distributions() {
        if survey.is_of_the_system(distribution) {
            continue;
        }
        let Some(own) = modules.get(distribution.name.as_str()) else {
            continue;
        };
        let own = survey.of_copy(distribution, own);
        // Files for another processor have another tag, too; that is another rule's finding.
        if own.iter().all(|file| python.is_for_another_processor(file)) {
            continue;
        }
        let foreign = for_another_python(python, distribution, &own);
        look = look.found_all(foreign);
    }
    look
}

fn for_another_python(
    python: &Interpreter,
    distribution: &Distribution,
    modules: &[&NativeFile],
) -> Option<Hazard> {
    let is_foreign = |file: &&NativeFile| {
        let extension = file.extension.as_ref();
        extension.is_some_and(|it| !it.is_importable && !it.tag.is_empty())
    };
    let first = modules.iter().copied().find(|file| is_foreign(file))?;
    // One that this Python takes is enough: the others are for other Pythons.
    if !modules.iter().all(is_foreign) {
        return None;
    }
    let tag = &first.extension.as_ref()?.tag;
    // A module or two may be there for speed, with a slower twin in Python.
    let is_core = modules.len() > 5 || modules.iter().any(|file| file.numpy.is_some());
    let severity = if is_core {
        Severity::WillFail
    } else {
        Severity::CanCrash
    };
    let headline = format!(
        "{} is built for another Python ({tag}), and Python {} does not see its {}",
        named(distribution),
        python.version,
        count(modules.len(), "native module", "native modules")
    );
    let hazard = Hazard::new(severity, Cause::InterpreterMisuse, headline)
        .because(
            FactRef::Module {
                path: first.path.clone(),
            },
            format!("Its name says {tag}; the import ends with \"No module named\"."),
        )
        .because(
            FactRef::Python,
            format!("The interpreter is Python {}.", python.version),
        )
        .unless("The package has a slower twin in Python for each of these modules.")
        .package(distribution.package())
        .file(first.path.clone());
    Some(hazard.remedy(reinstall(distribution)))
}
