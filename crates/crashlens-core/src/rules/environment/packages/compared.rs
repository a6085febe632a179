//! Which packages were compared with the disk, file by file.

use crate::book::Look;
use crate::capture::Observed;
use crate::survey::{Distribution, FileList, Survey};
use crate::text::plural;

/// A look at all packages whose files were compared.
pub(super) fn packages(survey: &Survey) -> Look {
    look(survey, "")
}

/// A look at the files of all packages that were compared.
pub(super) fn files(survey: &Survey) -> Look {
    let lists = survey
        .distributions
        .iter()
        .filter_map(Distribution::compared);
    let files: u64 = lists.map(|list| list.listed).sum();
    look(survey, &format!("{files} files of "))
}

/// Packages of which only native files were compared are named as not looked at.
fn look(survey: &Survey, what: &str) -> Look {
    let lists = survey.distributions.iter().map(|it| it.files.known());
    let unseen: Vec<_> = lists
        .filter_map(|list| list.and_then(|list: &FileList| list.native_only))
        .collect();
    let seen = survey.distributions.len() - unseen.len();
    let look = Look::at(format!("{what}{seen} packages"));
    match unseen.first() {
        Some(gap) => {
            let part = format!("files of {}", plural(unseen.len() as u64, "package"));
            look.blind_to(&part, &Observed::<()>::Unknown(*gap), &survey.gaps)
        }
        None => look,
    }
}
