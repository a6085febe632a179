//! Files of another version that were left behind.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::compatibility::is_tensorflow;
use crate::hazard::{Hazard, Severity};
use crate::rules::environment::packages::altered_files::{self, is_python, told};
use crate::rules::environment::packages::commands::{named, reinstall};
use crate::rules::environment::packages::compared;
use crate::survey::{Distribution, FileList, Survey};

pub(super) static RULE: Rule = Rule {
    id: "PKG006",
    name: "mixed-versions",
    summary: "Files of a package differ from the version or content that its metadata records.",
    causes: &[Cause::AbiMismatch],
    since: "0.1.0",
    doc: include_str!("mixed_versions.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let mut look = compared::packages(survey);
    let of_tensorflow = another_tensorflow(survey);
    let is_told = |distribution: &Distribution| {
        let told = of_tensorflow.iter().flat_map(|hazard| &hazard.packages);
        told.into_iter()
            .any(|package| *package == distribution.package())
    };
    for distribution in survey.found_distributions() {
        if !survey.is_of_the_system(distribution) && !is_told(distribution) {
            let rewritten = rewritten(distribution);
            look = if rewritten.is_some() {
                look.found_all(rewritten)
            } else {
                look.found_all(altered_files::content(distribution))
                    .found_all(altered_files::cut_off(distribution))
            };
        }
    }
    look.found_all(of_tensorflow)
}

/// A good part of its Python files is not as listed.
fn rewritten(distribution: &Distribution) -> Option<Hazard> {
    let files: &FileList = distribution.compared()?;
    let python = files
        .changed
        .iter()
        .filter(|it| is_python(&it.path))
        .count();
    // Native files change when they are stripped, and people edit a module or two.
    let is_mostly_python = python.saturating_mul(5) >= files.changed.len().saturating_mul(4);
    let is_much =
        files.changed_count >= 20 && files.changed_count.saturating_mul(5) >= files.listed;
    let is_others = files.changed.iter().any(|it| it.written_by.is_some());
    if !is_mostly_python || !is_much || is_others {
        return None;
    }
    let headline = format!(
        "{} of the {} files of {} are not those that its list says",
        files.changed_count,
        files.listed,
        named(distribution)
    );
    let mut hazard = told(Severity::CanCrash, distribution, headline)
        .because(distribution.fact(), "So many at once are files of another version, copied over or left by an installation that stopped half-way.")
        .unless("The files were rewritten on purpose, by a formatter or a patch.");
    hazard
        .files
        .extend(files.changed.iter().take(5).map(|it| it.path.clone()));
    Some(hazard.remedy(reinstall(distribution)))
}

/// TensorFlow's own files tell another version than its metadata.
fn another_tensorflow(survey: &Survey) -> Option<Hazard> {
    let traits = survey.tensorflow.known()?;
    let own: pep440_rs::Version = traits.own_version.as_ref()?.parse().ok()?;
    let beside = survey.found_distributions().filter(|it| {
        is_tensorflow(&it.name) && traits.folder.starts_with(&format!("{}/", it.site()))
    });
    let beside: Vec<&Distribution> = beside.collect();
    let is_it = |it: &&Distribution| {
        let told = it.parsed_version();
        told.is_none_or(|told| {
            told.release()
                .iter()
                .take(3)
                .eq(own.release().iter().take(3))
        })
    };
    let first = beside.first().filter(|_| !beside.iter().any(is_it))?;
    let headline = format!("{} has files of TensorFlow {own}", named(first));
    let hazard = told(Severity::CanCrash, first, headline)
        .because(
            first.fact(),
            format!(
                "{} says {own}, the metadata says {}.",
                traits.folder, first.version
            ),
        )
        .unless("Every file there is of one version, and only the metadata is wrong.")
        .file(traits.folder.clone());
    Some(hazard.remedy(reinstall(first)))
}
