//! Modules that this user may not read.

use super::commands::named;
use crate::cause::Cause;
use crate::hazard::{Hazard, Severity};
use crate::rule::{Remedy, Risk};
use crate::shell;
use crate::survey::{Distribution, FileList};

pub(super) fn unreadable(distribution: &Distribution, files: &FileList) -> Option<Hazard> {
    let first = files.unreadable.first()?;
    let count = files.unreadable_count;
    let name = first.rsplit('/').next().unwrap_or(first);
    let headline = match count {
        1 => format!("This user may not read {name} of {}", named(distribution)),
        _ => format!(
            "This user may not read {count} modules of {}, {name} among them",
            named(distribution)
        ),
    };
    let mut hazard = Hazard::new(Severity::WillFail, Cause::InterpreterMisuse, headline)
        .package(distribution.package())
        .because(
            distribution.fact(),
            "The files are there, and the system says \"permission denied\": importing them fails.",
        )
        .unless("The program runs as another user, who may read them.");
    hazard
        .files
        .extend(files.unreadable.iter().take(5).cloned());
    let command = top(distribution, first)
        .and_then(shell::word)
        .map(|folder| format!("sudo chmod -R a+rX {folder}"));
    Some(
        hazard
            .remedy(Remedy::new(
                "Run the program as the user who installed the package",
            ))
            .remedy(
                Remedy::new("Or let everybody read it; its owner or root has to do that")
                    .command_if(command)
                    .risk(Risk::Environment),
            ),
    )
}

/// The entry of the folder of packages that a file is below.
fn top<'a>(distribution: &Distribution, path: &'a str) -> Option<&'a str> {
    let site = distribution.site();
    let inside = path.strip_prefix(site)?.strip_prefix('/')?;
    let end = inside.find('/').unwrap_or(inside.len());
    path.get(..site.len() + 1 + end)
}
