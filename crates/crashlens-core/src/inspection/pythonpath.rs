//! Names `PYTHONPATH` where it is what brought a package of a hazard in. Whether there is a hazard is left to the rules.

use crate::evidence::FactRef;
use crate::hazard::Hazard;
use crate::remedy::Again;
use crate::rule::Remedy;
use crate::survey::{Distribution, Survey};

const NAME: &str = "PYTHONPATH";

/// The hazard; with a ground and a first remedy where one of its packages is there by `PYTHONPATH` only.
pub(super) fn named(survey: &Survey, mut hazard: Hazard) -> Hazard {
    let Some(distribution) = brought_in(survey, &hazard) else {
        return hazard;
    };
    let (name, site) = (&distribution.name, distribution.site());
    let variable = FactRef::Variable {
        name: NAME.to_owned(),
    };
    let claim = format!("{name} is taken from {site}, a folder that {NAME} names.");
    hazard = hazard.because(variable, claim);
    let action = match survey.hidden_copies(name).next() {
        Some(hidden) => format!(
            "Run without {NAME}: then Python takes {name} {} from {}.",
            hidden.version,
            hidden.site()
        ),
        None => format!("Run without {NAME}, if {name} is not wanted from there."),
    };
    let remedy = Remedy::new(action).command(Again::new().unset(NAME));
    hazard.remedies.insert(0, remedy);
    hazard
}

/// The first package of the hazard that Python would not find, or would find elsewhere, without `PYTHONPATH`.
fn brought_in<'a>(survey: &'a Survey, hazard: &Hazard) -> Option<&'a Distribution> {
    hazard.packages.iter().find_map(|package| {
        let mut copies = survey.copies(&package.name);
        copies.find(|copy| copy.version == package.version && survey.is_by_pythonpath(copy))
    })
}
