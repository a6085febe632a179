//! Single files that are not what was installed.

use crate::cause::Cause;
use crate::hazard::{Hazard, Severity};
use crate::rules::environment::packages::commands::{named, reinstall};
use crate::survey::{ChangedFile, Distribution, FileList};

/// People edit a module or two.
const SEVERAL: usize = 3;

/// Code whose size is as listed and whose content is not, where content was compared.
pub(super) fn content(distribution: &Distribution) -> Option<Hazard> {
    let files: &FileList = distribution.compared()?;
    let is_altered = |it: &&ChangedFile| {
        let is_code = is_native(&it.path) || is_python(&it.path);
        it.listed_size == Some(it.size) && it.written_by.is_none() && is_code
    };
    let altered: Vec<&ChangedFile> = files.changed.iter().filter(is_altered).collect();
    let native = altered.iter().find(|it| is_native(&it.path));
    let first = native.or(altered.first())?;
    let severity = if native.is_some() || altered.len() >= SEVERAL {
        Severity::CanCrash
    } else {
        Severity::WorthKnowing
    };
    let headline = match altered.len() {
        1 => format!(
            "{} of {} has other content than was installed",
            short(first),
            named(distribution)
        ),
        count => format!(
            "{count} files of {} have other content than was installed, {} among them",
            named(distribution),
            short(first)
        ),
    };
    let mut hazard = told(severity, distribution, headline)
        .because(
            distribution.fact(),
            "The size is the one that its list of files gives, and the SHA-256 is not: the bytes were changed afterwards, by hand or by \
             a damaged disk.",
        )
        .unless("The change was made on purpose.");
    let paths = altered.iter().take(5).map(|it| it.path.clone());
    hazard.files.extend(paths);
    Some(hazard.remedy(reinstall(distribution)))
}

/// A module or two that stop before their end.
pub(super) fn cut_off(distribution: &Distribution) -> Option<Hazard> {
    let files: &FileList = distribution.compared()?;
    let python = files.changed.iter().filter(|it| is_python(&it.path));
    // Whoever makes many of them shorter means to: to save space, or to hide what they say.
    if python.clone().count() > SEVERAL {
        return None;
    }
    let is_top = |it: &ChangedFile| {
        let mut tops = files.top.iter();
        tops.any(|top| it.path == format!("{}/{top}/__init__.py", distribution.site()))
    };
    let is_cut = |it: &&ChangedFile| {
        let listed = it.listed_size.unwrap_or_default();
        let is_half = it.size.saturating_mul(2) < listed && is_top(it);
        let is_shorter = it.size > 0 && it.size < listed;
        is_shorter && it.written_by.is_none() && (it.ends_within_line || is_half)
    };
    let cut: Vec<&ChangedFile> = python.filter(is_cut).collect();
    let first = cut.iter().find(|it| is_top(it)).or(cut.first())?;
    let severity = if is_top(first) {
        Severity::WillFail
    } else {
        Severity::CanCrash
    };
    let headline = format!(
        "{} of {} has {} of its {} bytes",
        short(first),
        named(distribution),
        first.size,
        first.listed_size?
    );
    let end = if first.ends_within_line {
        "It ends in the middle of a line: the rest was never written, or it was cut off."
    } else {
        "More than half of it is gone."
    };
    let mut hazard = told(severity, distribution, headline)
        .because(distribution.fact(), end)
        .unless("Somebody made the file shorter on purpose.");
    hazard.files.extend(cut.iter().map(|it| it.path.clone()));
    Some(hazard.remedy(reinstall(distribution)))
}

/// Its name and the folder that it is in.
fn short(file: &ChangedFile) -> &str {
    let mut slashes = file.path.rmatch_indices('/').map(|(at, _)| at + 1);
    slashes.nth(1).map_or(&file.path, |at| &file.path[at..])
}

fn is_native(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').skip(1).any(|part| part == "so")
}

pub(super) fn told(severity: Severity, distribution: &Distribution, headline: String) -> Hazard {
    Hazard::new(severity, Cause::AbiMismatch, headline).package(distribution.package())
}

pub(super) fn is_python(path: &str) -> bool {
    std::path::Path::new(path)
        .extension()
        .is_some_and(|it| it == "py")
}
