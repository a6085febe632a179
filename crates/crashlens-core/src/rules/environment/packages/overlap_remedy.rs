//! What to do about two distributions that install the same files.

use crate::compatibility::other_names;
use crate::facts::packages::same_name;
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk};
use crate::survey::Distribution;

/// What to do about two distributions with `count` files in common in the folder `top`.
pub(super) fn repair(one: &Distribution, other: &Distribution, count: u64, top: &str) -> Remedy {
    if !are_variants(one, other, count) {
        let apart = format!(
            "Install the two in environments of their own: `import {top}` gets the files of whichever was installed last."
        );
        return Remedy::new(apart).risk(Risk::Environment);
    }
    // The newer version is what a person is likely to have wanted.
    let keep = if other.parsed_version() > one.parsed_version() {
        other
    } else {
        one
    };
    let kept = keep
        .parsed_version()
        .map(|version| format!("{}=={version}", keep.name));
    let away = Pip::uninstall([&one.name, &other.name]);
    let back = kept.and_then(|kept| Pip::install(&[kept]));
    Remedy::new("Uninstall both, then install the one that you want (here the newer one is kept)")
        .command_if(away.zip(back).map(|(away, back)| away.then(back)))
        .risk(Risk::Environment)
}

/// Whether they are one package under two names, and not two that have a folder of the same name.
fn are_variants(one: &Distribution, other: &Distribution, count: u64) -> bool {
    let listed = |it: &Distribution| it.files.known().map_or(u64::MAX, |files| files.listed);
    let extends = |long: &str, short: &str| {
        let rest = long.strip_prefix(short);
        rest.is_some_and(|rest| rest.starts_with(['-', '_', '.']))
    };
    other_names(&one.name).any(|name| same_name(name, &other.name))
        || extends(&one.name, &other.name)
        || extends(&other.name, &one.name)
        || count.saturating_mul(2) >= listed(one).min(listed(other))
}
