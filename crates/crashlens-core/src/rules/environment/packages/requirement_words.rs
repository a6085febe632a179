//! What is said of a requirement that is not met.

use super::commands::named;
use crate::hazard::Hazard;
use crate::survey::{Distribution, Survey, Unmet};

/// A copy that would do and that Python does not come to.
pub(super) fn shadowed(hazard: Hazard, survey: &Survey, unmet: &Unmet<'_>) -> Hazard {
    let is_enough = |it: &&Distribution| {
        it.parsed_version()
            .is_some_and(|version| unmet.versions.contains(&version))
    };
    let hidden = survey.hidden_copies(&unmet.name).find(is_enough);
    let Some((copy, found)) = hidden.zip(unmet.installed) else {
        return hazard;
    };
    let claim = format!(
        "{} in {} would do, but Python finds the one in {} first.",
        named(copy),
        copy.site(),
        found.site()
    );
    hazard.because(found.fact(), claim)
}

/// `numpy >=1.23.5, <2`.
pub(super) fn wanted(unmet: &Unmet<'_>) -> String {
    format!("{} {}", unmet.name, unmet.versions)
        .trim_end()
        .to_owned()
}

/// What there is instead.
pub(super) fn had(unmet: &Unmet<'_>) -> String {
    match unmet.installed {
        Some(installed) => format!("{} is installed", named(installed)),
        None => "it is not installed".to_owned(),
    }
}

/// Why that ends its import.
pub(super) fn stops(unmet: &Unmet<'_>) -> String {
    let name = &unmet.name;
    match unmet.installed {
        Some(_) => format!(
            "It looks at the version of {name} when it is imported, and refuses one that it does not ask for."
        ),
        None => format!("It imports {name} when it is imported itself."),
    }
}
