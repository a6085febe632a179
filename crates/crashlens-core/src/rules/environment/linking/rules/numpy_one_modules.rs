//! Modules that were built for NumPy 1, under NumPy 2.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::Hazard;
use crate::rules::environment::linking::libraries;
use crate::rules::environment::linking::numpy_outcomes::{self, Outcome};
use crate::survey::loading::{by_owner, count, involving};
use crate::survey::{Distribution, NativeFile, Survey};

pub(super) static RULE: Rule = Rule {
    id: "LNK005",
    name: "numpy-one-modules",
    summary: "A native module was compiled for NumPy 1, but NumPy 2 is installed.",
    causes: &[Cause::NumpyAbi],
    since: "0.1.0",
    doc: include_str!("numpy_one_modules.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let Some(numpy) = survey.distribution("numpy") else {
        return Look::nothing();
    };
    let using: Vec<_> = survey
        .native
        .iter()
        .filter(|it| it.numpy.is_some())
        .collect();
    let look = Look::at(format!(
        "{} that use NumPy's C interface, NumPy {}",
        count(using.len(), "native file", "native files"),
        numpy.version
    ));
    let major = numpy.parsed_version();
    let is_two = major.is_some_and(|version| version.release().first().is_some_and(|it| *it >= 2));
    if !is_two {
        return look;
    }
    let old = using.into_iter().filter(|file| is_old(survey, file));
    let hazards = by_owner(old)
        .into_values()
        .filter_map(|files| hazard(survey, numpy, &files));
    look.found_all(hazards)
}

/// It asks for NumPy 1's interface alone.
fn is_old(survey: &Survey, file: &NativeFile) -> bool {
    // Left by another version of NumPy itself, they belong to no package.
    let is_own = file.owner() == "numpy" || file.path.contains("-packages/numpy/");
    // A library that nothing needs is loaded by nobody: libboost_numpy311.so in bpy 4.2.0, which works under NumPy 2.
    let is_loaded = survey.is_reached(file) || libraries::is_opened_by_import(file);
    let is_tagged_for_it = file.extension.is_none() || file.is_module();
    let numpy = file.numpy.unwrap_or_default();
    numpy.old && !numpy.new && !is_own && is_loaded && is_tagged_for_it
}

fn hazard(survey: &Survey, numpy: &Distribution, files: &[&NativeFile]) -> Option<Hazard> {
    let file = files.first()?;
    let tried = numpy_outcomes::of(file);
    if tried.is_some_and(|tried| tried.outcome == Outcome::Works) {
        return None;
    }
    let owner = file.owner_with_version();
    let (severity, end) = numpy_outcomes::verdict(tried);
    let headline = format!(
        "{owner} was built for NumPy 1: under NumPy {} {end}",
        numpy.version
    );
    let claim = format!(
        "{} asks for numpy.core, where NumPy 1 has its table of functions, and does not know numpy._core, where NumPy 2 has it.",
        file.name()
    );
    let fact = FactRef::Package {
        name: numpy.name.clone(),
    };
    let mut hazard = Hazard::new(severity, Cause::NumpyAbi, headline)
        .because(file.fact(), claim)
        .because(fact, format!("NumPy {} is installed.", numpy.version))
        .unless("The package is imported and handles an array without an error, or the program never imports it");
    if let Some(tried) = tried {
        let claim = format!(
            "Seen with {} {}: {}.",
            file.owner(),
            tried.tried,
            tried.words
        );
        hazard = hazard.because(file.fact(), claim);
    }
    hazard = involving(hazard, files);
    hazard.packages.push(numpy.package());
    let build = format!(
        "Build {} anew with NumPy 2 installed; the result runs with NumPy 1 too.",
        file.name()
    );
    hazard
        .remedies
        .extend(numpy_outcomes::remedies(survey, file, build));
    Some(hazard)
}
