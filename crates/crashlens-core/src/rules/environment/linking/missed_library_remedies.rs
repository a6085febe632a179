//! Where to get a library that is missing.

use super::libraries;
use super::missed_library::is_of_wheel;
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk};
use crate::survey::{MissingLibrary, NativeFile, Survey};

/// Another package, the system's package, or the same package once more.
pub(super) fn of(survey: &Survey, file: &NativeFile, library: &MissingLibrary) -> Vec<Remedy> {
    let mut remedies = Vec::new();
    let package = file.package.as_ref();
    let instead = package.and_then(|it| Some((it, libraries::instead(&it.name, &library.name)?)));
    if let Some((package, instead)) = instead {
        let with = &instead.with;
        let action = format!(
            "Install {with}, which is the same without windows and needs no {}.",
            library.name
        );
        let command = Pip::uninstall([&package.name])
            .zip(Pip::install([with]))
            .map(|(away, instead)| away.with("-y").then(instead));
        remedies.push(
            Remedy::new(action)
                .command_if(command)
                .risk(Risk::Environment),
        );
    }
    if let Some(debian) = libraries::provider(&library.name) {
        let action = format!(
            "Install the package of the system that has {} (its name on Debian and Ubuntu).",
            library.name
        );
        let command = format!("apt-get install {debian}");
        remedies.push(Remedy::new(action).command(command).risk(Risk::Environment));
    } else if let Some(package) = package.filter(|_| is_of_wheel(survey, library)) {
        let action = format!(
            "Install {} anew: {} was a part of it.",
            package.name, library.name
        );
        let command = Survey::reinstall(package);
        remedies.push(
            Remedy::new(action)
                .command_if(command)
                .risk(Risk::Environment),
        );
    } else if let Some(package) = package.filter(|_| libraries::is_optional(&library.name)) {
        let action = format!(
            "Install a build of {} that does without {}, or is for the version that is here; its release notes say which.",
            package.name, library.name
        );
        remedies.push(Remedy::new(action).risk(Risk::Environment));
    } else {
        let action = format!("Install what provides {}.", library.name);
        remedies.push(Remedy::new(action).risk(Risk::Environment));
    }
    remedies
}
