//! Commands that put packages right. Names and versions come from files that anybody may have written.

use crate::remedy::{Command, Pip};
use crate::rule::{Remedy, Risk};
use crate::shell;
use crate::survey::Distribution;

/// Lets pip choose a version of a distribution anew.
pub(super) fn choose_again(distribution: &Distribution) -> Option<Pip> {
    let name = shell::package(&distribution.name)?;
    Some(Pip::install([name])?.with("--force-reinstall"))
}

/// Installs a distribution again as it was meant to be.
pub(super) fn reinstall(distribution: &Distribution) -> Remedy {
    let name = shell::package(&distribution.name);
    let version = distribution.parsed_version();
    let action = format!("Install {} again", named(distribution));
    let is_condas = distribution.installer.as_deref() == Some("conda");
    let command = name.and_then(|name| {
        if is_condas {
            let command = format!("conda install --force-reinstall {name}");
            return Some(Command::from(command));
        }
        let pip = Pip::install([format!("{name}=={}", version?)])?;
        Some(pip.with("--force-reinstall").with("--no-deps").into())
    });
    Remedy::new(action)
        .command_if(command)
        .risk(Risk::Environment)
}

/// `tensorflow-cpu 2.15.1`.
pub(super) fn named(distribution: &Distribution) -> String {
    format!("{} {}", distribution.name, distribution.version)
}
