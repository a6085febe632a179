//! Modules made with a pybind11 that does not know NumPy 2, under NumPy 2.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::rules::environment::linking::numpy_outcomes::{self, Outcome};
use crate::survey::loading::{by_owner, count, involving};
use crate::survey::{Distribution, NativeFile, Survey};

pub(super) static RULE: Rule = Rule {
    id: "LNK006",
    name: "old-pybind11",
    summary: "A native module was built with pybind11 older than 2.12, but NumPy 2 is installed.",
    causes: &[Cause::NumpyAbi],
    since: "0.1.0",
    doc: include_str!("old_pybind11.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let Some(numpy) = survey.distribution("numpy") else {
        return Look::nothing();
    };
    let version = numpy.parsed_version();
    let is_two = version.is_some_and(|it| it.release().first().is_some_and(|major| *major >= 2));
    if !is_two {
        return Look::nothing();
    }
    let modules: Vec<_> = survey.native.iter().filter(|file| is_old(file)).collect();
    let scope = count(modules.len(), "module", "modules");
    let hazards = by_owner(modules)
        .into_values()
        .filter_map(|files| hazard(survey, numpy, &files));
    Look::at(format!("{scope} made with pybind11 before 2.12")).found_all(hazards)
}

/// It goes through pybind11 alone. What asks NumPy 1 for its table itself is refused, and another rule's matter.
fn is_old(file: &NativeFile) -> bool {
    let numpy = file.numpy.unwrap_or_default();
    file.is_module() && numpy.old_pybind11 && !numpy.old && !numpy.new
}

fn hazard(survey: &Survey, numpy: &Distribution, files: &[&NativeFile]) -> Option<Hazard> {
    let file = files.first()?;
    let tried = numpy_outcomes::of(file);
    if tried.is_some_and(|tried| tried.outcome == Outcome::Works) {
        return None;
    }
    let owner = file.owner_with_version();
    let headline = format!(
        "{owner} was made with a pybind11 from before NumPy 2 and may give wrong arrays under NumPy {}",
        numpy.version
    );
    let claim = format!(
        "{} goes through pybind11 of before 2.12, which takes the size of an element from where NumPy 1 has it.",
        file.name()
    );
    let fact = FactRef::Package {
        name: numpy.name.clone(),
    };
    let hazard = Hazard::new(Severity::WorthKnowing, Cause::NumpyAbi, headline)
        .because(file.fact(), claim)
        .because(fact, format!("NumPy {} is installed.", numpy.version))
        .unless("Its functions give the same arrays under NumPy 1 and NumPy 2; many such modules do, because they never ask for that size");
    let mut hazard = involving(hazard, files);
    hazard.packages.push(numpy.package());
    let build = format!("Build {} anew with pybind11 2.12 or later.", file.name());
    hazard
        .remedies
        .extend(numpy_outcomes::remedies(survey, file, build));
    Some(hazard)
}
