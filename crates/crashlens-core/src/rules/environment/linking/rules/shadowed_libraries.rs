//! Libraries that a variable puts before those that a package brought.

use std::collections::BTreeMap;

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::remedy::Again;
use crate::rule::Remedy;
use crate::rules::environment::linking::other_copies;
use crate::survey::loading::{count, involving};
use crate::survey::{NativeFile, Shadowed, Survey};

pub(super) static RULE: Rule = Rule {
    id: "LNK007",
    name: "shadowed-libraries",
    summary: "`LD_LIBRARY_PATH` or `LD_PRELOAD` replaces a shared library that a package ships.",
    causes: &[Cause::LibraryClash],
    since: "0.1.0",
    doc: include_str!("shadowed_libraries.md"),
    judge: Judge::Environment(judge),
};

/// A library that is taken from elsewhere, and the file for which it is.
type Sight<'a> = (&'a Shadowed, &'a NativeFile);

fn judge(survey: &Survey) -> Look {
    let set = ["LD_LIBRARY_PATH", "LD_PRELOAD"].map(|name| survey.variable(name));
    if set.iter().all(Option::is_none) {
        return Look::nothing();
    }
    let opened: Vec<_> = survey.opened().collect();
    let scope = count(opened.len(), "module or plugin", "modules and plugins");
    let mut shadows: BTreeMap<(&str, &str), Vec<Sight<'_>>> = BTreeMap::new();
    for file in opened {
        let link = file.link.known();
        for shadow in link.into_iter().flat_map(|link| &link.shadowed) {
            if other_copies::is_other(survey, shadow) {
                let key = (shadow.by.as_str(), other_copies::folder(&shadow.found));
                shadows.entry(key).or_default().push((shadow, file));
            }
        }
    }
    let hazards = shadows
        .into_values()
        .filter_map(|sights| hazard(survey, &sights));
    Look::at(scope).found_all(hazards)
}

fn hazard(survey: &Survey, sights: &[Sight<'_>]) -> Option<Hazard> {
    let (shadow, file) = *sights.first()?;
    let mut files: Vec<&NativeFile> = sights.iter().map(|(_, file)| *file).collect();
    files.dedup_by_key(|file| &file.path);
    let link = file.link.known()?;
    let refused = files.iter().find(|file| {
        let link = file.link.known();
        link.is_some_and(|link| {
            !link.missing_symbols.is_empty() || !link.missing_versions.is_empty()
        })
    });
    let owner = file.owner_with_version();
    let end = if refused.is_some() {
        ", which then cannot be loaded"
    } else {
        ""
    };
    let (by, name) = (&shadow.by, &shadow.name);
    let headline = if other_copies::is_interposed(shadow) {
        format!(
            "{by} puts functions of {} before those of {name} of {owner}{end}",
            other_copies::file_name(&shadow.found)
        )
    } else {
        format!("{by} puts another {name} before that of {owner}{end}")
    };
    let severity = match refused {
        Some(_) => Severity::WillFail,
        None => Severity::CanCrash,
    };
    let taken = format!(
        "For {} the loader takes what it can from {} and not from {}.",
        count(files.len(), "native file", "native files"),
        shadow.found,
        shadow.bundled
    );
    let mut hazard = Hazard::new(severity, Cause::LibraryClash, headline)
        .because(file.fact(), taken)
        .unless("Both files are the same build of the library, or the program is started without the variable");
    if survey.variable(&shadow.by).is_some() {
        let fact = FactRef::Variable {
            name: shadow.by.clone(),
        };
        hazard = hazard.because(fact, format!("{} is set.", shadow.by));
    }
    if let Some(symbol) = refused.and(link.missing_symbols.first()) {
        let claim = format!("It has no {}: \"undefined symbol\".", symbol.name);
        hazard = hazard.because(file.fact(), claim);
    }
    hazard.files.push(shadow.found.clone());
    hazard.files.push(shadow.bundled.clone());
    hazard = involving(hazard, &files);
    let action = format!(
        "Start the program without {}, or without that folder in it.",
        shadow.by
    );
    Some(hazard.remedy(Remedy::new(action).command(Again::new().unset(&shadow.by))))
}
