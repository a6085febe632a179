//! Libraries that come from elsewhere than where the maker of a package put them.

use crashlens_core::survey::Shadowed;

use super::binding::{Unbound, defines};
use super::environment::Environment;
use super::opening::shown;
use super::process::{Need, Opened, Outcome, Process};
use super::search::Step;
use super::shelf::{Found, Library, Shelf};

/// What the file that was opened would have got from its package, were it not for `LD_LIBRARY_PATH` or `LD_PRELOAD`.
pub(super) fn shadowed(
    shelf: &Shelf<'_>,
    environment: &Environment<'_>,
    process: &Process<'_>,
    opened: &Opened,
) -> Vec<Shadowed> {
    let Some(root) = process.loaded.get(opened.root) else {
        return Vec::new();
    };
    let own_needs = opened.needs.iter().filter(|need| need.by == opened.root);
    let mut shadowed: Vec<Shadowed> = own_needs
        .filter_map(|need| replaced(shelf, environment, process, need))
        .collect();
    shadowed.extend(interposed(environment, process, opened, &root.library));
    shadowed
}

/// A library that was found elsewhere although the search would have led to one of the environment.
fn replaced(
    shelf: &Shelf<'_>,
    environment: &Environment<'_>,
    process: &Process<'_>,
    need: &Need,
) -> Option<Shadowed> {
    let Outcome::Loaded(index, step) = need.outcome else {
        return None;
    };
    let found = process.loaded.get(index)?;
    let by = match step {
        Some(Step::LibraryPath) => "LD_LIBRARY_PATH",
        None if found.is_preloaded => "LD_PRELOAD",
        _ => return None,
    };
    let folders = process.asking(need.by);
    let searched = shelf.find_beyond(&need.name, folders.borrow(), Some(Step::LibraryPath));
    let needing = &process.loaded.get(need.by)?.library;
    let bundled = match searched {
        Found::Library(library, _) if environment.file(library.identity).is_some() => {
            Some((library.identity, shown(&library.path)))
        }
        _ => {
            // Not where it searches, but in its package all the same: the package would have loaded it by its path.
            let holder = environment.holder(&need.name, &needing.path)?;
            let owner = environment.file(needing.identity)?;
            let same = owner.package.is_some() && owner.package == holder.package;
            let identity = shelf.tree.identity(holder.path)?;
            same.then(|| (identity, shown(holder.path)))
        }
    };
    let (identity, bundled) = bundled?;
    (identity != found.library.identity).then(|| Shadowed {
        name: need.name.clone(),
        found: shown(&found.library.path),
        bundled,
        by: by.to_owned(),
    })
}

/// Libraries that lack one of these symbols and were taken by `LD_LIBRARY_PATH`; without it the search would have led to
/// others of the same name that have it.
pub(super) fn lacking(
    shelf: &Shelf<'_>,
    process: &Process<'_>,
    opened: &[Opened],
    unbound: &[Unbound],
) -> Vec<String> {
    let mut lacking = Vec::new();
    for need in opened.iter().flat_map(|opened| &opened.needs) {
        let Outcome::Loaded(index, _) = need.outcome else {
            continue;
        };
        let Some(found) = process.loaded.get(index) else {
            continue;
        };
        // The interpreter may have brought it in before; so not the step tells, but the folder.
        let folder = found.library.path.parent();
        let folders = &shelf.paths.library_path;
        let path = shown(&found.library.path);
        if lacking.contains(&path) || !folders.iter().any(|it| Some(it.as_path()) == folder) {
            continue;
        }
        let folders = process.asking(need.by);
        let without = shelf.find_beyond(&need.name, folders.borrow(), Some(Step::LibraryPath));
        let Found::Library(other, _) = without else {
            continue;
        };
        let has_one = unbound.iter().any(|unbound| {
            let by = process.loaded.get(unbound.by);
            let wanted = by.and_then(|by| by.library.elf.undefined.get(unbound.symbol));
            wanted.is_some_and(|wanted| defines(&other.elf, wanted))
        });
        if has_one {
            lacking.push(path);
        }
    }
    lacking
}

/// Preloaded libraries whose symbols a file is bound to although a library of its package, under whatever name, has
/// them for it.
fn interposed<'a>(
    environment: &'a Environment<'_>,
    process: &'a Process<'_>,
    opened: &Opened,
    root: &'a Library<'_>,
) -> impl Iterator<Item = Shadowed> + 'a {
    let bundled: Vec<usize> = (opened.first..opened.end)
        .filter(|index| *index != opened.root)
        .collect();
    let preloaded = process.loaded.iter().filter(|loaded| loaded.is_preloaded);
    preloaded.flat_map(move |preloaded| {
        let takes = move |library: &Library<'_>| {
            let strong = root.elf.undefined.iter().filter(|wanted| !wanted.is_weak);
            let mut both = strong.filter(|wanted| {
                defines(&library.elf, wanted) && defines(&preloaded.library.elf, wanted)
            });
            both.next().is_some()
        };
        let libraries = bundled.clone().into_iter();
        libraries
            .filter_map(|index| process.loaded.get(index))
            .map(|loaded| &loaded.library)
            .filter(|library| environment.file(library.identity).is_some())
            .filter(move |library| takes(library))
            .map(|library| Shadowed {
                name: shown(&library.path)
                    .rsplit('/')
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
                found: shown(&preloaded.library.path),
                bundled: shown(&library.path),
                by: "LD_PRELOAD".to_owned(),
            })
    })
}
