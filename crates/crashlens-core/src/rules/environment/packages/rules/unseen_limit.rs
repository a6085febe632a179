//! Add-ons with native code for a TensorFlow of another line, of which pip says nothing.

use pep440_rs::VersionSpecifiers;

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::hazard::{Hazard, Severity};
use crate::known_versions::without_suffix;
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk};
use crate::rules::environment::packages::commands::named;
use crate::survey::{Distribution, Link, Survey};

pub(super) static RULE: Rule = Rule {
    id: "PKG012",
    name: "unseen-limit",
    summary: "A TensorFlow add-on with native code was built for another TensorFlow release series.",
    causes: &[Cause::AbiMismatch],
    since: "0.1.0",
    doc: include_str!("unseen_limit.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let Some(tensorflow) = survey.tensorflow() else {
        return Look::nothing();
    };
    let addons: Vec<&Distribution> = survey
        .found_distributions()
        .filter(|it| it.addon().is_some() || survey.plugins(it).next().is_some())
        .filter(|it| !tensorflow.asks_for(&it.name))
        .collect();
    let found = addons
        .iter()
        .filter_map(|addon| out_of_line(survey, addon, tensorflow));
    Look::at(format!("{} add-ons of {}", addons.len(), named(tensorflow))).found_all(found)
}

fn out_of_line(survey: &Survey, addon: &Distribution, tensorflow: &Distribution) -> Option<Hazard> {
    let limits = addon.made_for()?;
    let version = tensorflow.parsed_version()?;
    if limits.contains(&without_suffix(&version)) {
        return None;
    }
    let links: Vec<&Link> = survey
        .plugins(addon)
        .filter_map(|it| it.link.known())
        .collect();
    // What does not load at all is another rule's to tell.
    if links.iter().any(|link| link.missing_symbol_count > 0) {
        return None;
    }
    let severity = if links.is_empty() {
        Severity::CanCrash
    } else {
        Severity::WorthKnowing
    };
    let headline = format!(
        "{} is made for TensorFlow {limits}, and {} is installed",
        named(addon),
        named(tensorflow)
    );
    let mut hazard = Hazard::new(severity, Cause::AbiMismatch, headline)
        .because(addon.fact(), "It names that limit only for whoever asks for an extra, or not at all, so pip does not hold to it.")
        .because(tensorflow.fact(), format!("{} is outside of it.", named(tensorflow)))
        .unless("Programs that use the add-on run here, with right results.")
        .package(addon.package())
        .package(tensorflow.package());
    if !links.is_empty() {
        let claim = "Its native files find every symbol they need here, so they load; whether the classes behind the names are the same is not known.";
        hazard = hazard.because(addon.fact(), claim);
    }
    Some(remedies(hazard, survey, addon, &limits, &version))
}

fn remedies(
    hazard: Hazard,
    survey: &Survey,
    addon: &Distribution,
    limits: &VersionSpecifiers,
    version: &pep440_rs::Version,
) -> Hazard {
    let paired = addon
        .addon()
        .and_then(|entry| Some((entry, entry.line_for(version)?)));
    if let Some((entry, line)) = paired {
        let wanted = format!("{}{line}", entry.package).replace(' ', "");
        let remedy = Remedy::new("Install the line of it that goes with this TensorFlow");
        return hazard.remedy(
            remedy
                .command_if(Pip::install(&[wanted]))
                .risk(Risk::Environment),
        );
    }
    let tensorflow = survey
        .tensorflow()
        .map(|it| format!("{}{limits}", it.name).replace(' ', ""));
    let remedy = Remedy::new(format!(
        "Take {} out, or install a TensorFlow that it is made for",
        addon.name
    ));
    let command = tensorflow.and_then(|wanted| Pip::install(&[wanted]));
    hazard.remedy(remedy.command_if(command).risk(Risk::Environment))
}
