//! Add-ons and the TensorFlow each of their lines was built for.

use pep440_rs::Version;

use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, Installed};
use crate::known_versions::{self, Addon};
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk, Suspicion};
use crate::shell;

/// A pair that does not go together, and a death that may be of it.
pub(crate) fn suspect(facts: &Facts<'_>) -> Option<Suspicion> {
    let tensorflow = facts.tensorflow()?;
    let used = known_versions::without_suffix(&tensorflow.version()?);
    let mut addons = known_versions::addons().iter();
    addons.find_map(|addon| mismatch(facts, addon, &tensorflow, &used))
}

fn mismatch(
    facts: &Facts<'_>,
    addon: &Addon,
    tensorflow: &Installed<'_>,
    used: &Version,
) -> Option<Suspicion> {
    let installed = facts.package(&addon.package)?;
    let built_for = addon.built_for(&installed.version()?)?;
    if built_for.contains(used) {
        return None;
    }
    let (name, version) = (&installed.package.name, &installed.package.version);
    let frames = facts.acting_frames();
    let in_addon = frames
        .iter()
        .take(4)
        .find(|sight| sight.package_folder() == Some(&addon.module));
    // The pair alone is no evidence: most of them load, or are refused with an exception.
    let nothing_else = facts.is_text()
        && frames.is_empty()
        && facts.last_words().is_none()
        && facts.signal().is_some();
    if in_addon.is_none() && !nothing_else {
        return None;
    }
    let headline = format!(
        "{name} {version} was built for TensorFlow {built_for}, and {} is installed",
        tensorflow.package.version
    );
    let mut suspicion = Suspicion::new(Cause::AbiMismatch, headline)
        .supported(
            Weight::Strong,
            installed.fact.clone(),
            format!("{name} {version} is in use."),
        )
        .supported(
            Weight::Weak,
            tensorflow.fact.clone(),
            format!("TensorFlow is {}.", tensorflow.package.version),
        );
    if let Some(sight) = in_addon {
        let claim = format!("It died in {}.", sight.library());
        suspicion = suspicion.supported(Weight::Strong, sight.fact.clone(), claim);
    }
    Some(match addon.line_for(used) {
        Some(line) => suspicion.remedy(
            Remedy::new(format!(
                "Install the {name} that goes with this TensorFlow."
            ))
            .command_if(
                shell::package(name)
                    .and_then(|name| Pip::install([format!("{name}{line}").replace(' ', "")])),
            )
            .risk(Risk::Environment),
        ),
        None => suspicion.remedy(
            Remedy::new(format!(
                "Install the TensorFlow that {name} {version} was built for."
            ))
            .command_if(Pip::install([
                format!("tensorflow{built_for}").replace(' ', "")
            ]))
            .risk(Risk::Environment),
        ),
    })
}
