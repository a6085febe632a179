//! Commands that put packages right. Names and versions come from files that anybody may have written.

use crate::rule::{Remedy, Risk};
use crate::shell;
use crate::survey::{Distribution, Survey};

/// Installs what is given, as requirements: `keras>=3.5`.
pub(super) fn install(survey: &Survey, requirements: &[String]) -> Option<String> {
    let quoted: Option<Vec<String>> = requirements.iter().map(|it| shell::word(it)).collect();
    let quoted = quoted.filter(|words| !words.is_empty())?;
    Some(format!("{} install {}", survey.pip(), quoted.join(" ")))
}

/// Removes distributions.
pub(super) fn uninstall(survey: &Survey, names: &[&str]) -> Option<String> {
    let names: Option<Vec<&str>> = names.iter().map(|name| shell::package(name)).collect();
    Some(format!("{} uninstall {}", survey.pip(), names?.join(" ")))
}

/// Lets pip choose a version of a distribution anew.
pub(super) fn choose_again(survey: &Survey, distribution: &Distribution) -> Option<String> {
    let name = shell::package(&distribution.name)?;
    Some(format!("{} install --force-reinstall {name}", survey.pip()))
}

/// Installs a distribution again as it was meant to be.
pub(super) fn reinstall(survey: &Survey, distribution: &Distribution) -> Remedy {
    let name = shell::package(&distribution.name);
    let version = distribution.parsed_version();
    let action = format!("Install {} again", named(distribution));
    let is_condas = distribution.installer.as_deref() == Some("conda");
    let command = name.and_then(|name| {
        if is_condas {
            return Some(format!("conda install --force-reinstall {name}"));
        }
        let version = version?;
        let pip = survey.pip();
        Some(format!(
            "{pip} install --force-reinstall --no-deps '{name}=={version}'"
        ))
    });
    Remedy::new(action)
        .command_if(command)
        .risk(Risk::Environment)
}

/// `tensorflow-cpu 2.15.1`.
pub(super) fn named(distribution: &Distribution) -> String {
    format!("{} {}", distribution.name, distribution.version)
}
