//! Modules that need a newer C or C++ library than the loader takes.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::remedy::Again;
use crate::rule::Remedy;
use crate::rules::environment::linking::libraries;
use crate::rules::environment::linking::old_library_remedies;
use crate::survey::loading::{by_owner, count, involving};
use crate::survey::{MissingVersion, NativeFile, Survey};

pub(super) static RULE: Rule = Rule {
    id: "LNK003",
    name: "library-too-old",
    summary: "A native module needs a newer version of the C, C++ or another library than the system has.",
    causes: &[Cause::GlibcOrTls],
    since: "0.1.0",
    doc: include_str!("library_too_old.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let asked = libraries::opened(survey);
    if asked.is_empty() {
        return Look::nothing();
    }
    let scope = count(asked.len(), "module or plugin", "modules and plugins");
    let lacking = asked.into_iter().filter(|file| newest_need(file).is_some());
    let hazards = by_owner(lacking)
        .into_values()
        .filter_map(|files| hazard(survey, &files));
    Look::at(scope).found_all(hazards)
}

/// The newest of the versions that are not there: whoever has it has the others.
fn newest_need(file: &NativeFile) -> Option<&MissingVersion> {
    let missing = file.link.known()?.missing_versions.iter();
    missing.max_by_key(|missing| numbers(&missing.version))
}

/// `[3, 4, 32]` of `GLIBCXX_3.4.32`.
fn numbers(version: &str) -> Vec<u64> {
    let (_, digits) = version.rsplit_once('_').unwrap_or(("", version));
    digits
        .split('.')
        .filter_map(|part| part.parse().ok())
        .collect()
}

fn hazard(survey: &Survey, files: &[&NativeFile]) -> Option<Hazard> {
    let file = files.first()?;
    let need = newest_need(file)?;
    let owner = file.owner_with_version();
    let newest = need.newest.as_deref().unwrap_or("an older version");
    let headline = format!(
        "{owner} cannot be loaded: it needs {}, and {} is too old",
        need.version, need.library
    );
    let claim = format!(
        "{} asks {} for {}; the loader takes {}, which ends at {newest}.",
        file.name(),
        need.library,
        need.version,
        need.found
    );
    let mut hazard = Hazard::new(Severity::WillFail, Cause::GlibcOrTls, headline)
        .because(file.fact(), claim)
        .unless("The import succeeds, because a newer library of that name is loaded before (by the interpreter itself, or by LD_PRELOAD)");
    hazard = involving(hazard, files);
    if let Some(variable) = by_variable(survey, need) {
        let name = variable.to_owned();
        let fact = FactRef::Variable { name };
        hazard = hazard.because(fact, format!("{variable} makes the loader take that file."));
        let action = format!(
            "Run it without {variable}, so that the system's {} is taken.",
            need.library
        );
        hazard = hazard.remedy(Remedy::new(action).command(Again::new().unset(variable)));
    }
    hazard.remedies.extend(old_library_remedies::of(file, need));
    Some(hazard)
}

/// The variable that names the folder of the library that is too old.
fn by_variable(survey: &Survey, need: &MissingVersion) -> Option<&'static str> {
    let (folder, _) = need.found.rsplit_once('/')?;
    ["LD_LIBRARY_PATH", "LD_PRELOAD"].into_iter().find(|name| {
        let value = survey.variable(name).unwrap_or_default();
        let mut parts = value.split([':', ' ']);
        parts.any(|part| part.trim_end_matches('/') == folder || part == need.found)
    })
}
