//! Opens one file in a copy of the process, and says what the loader would.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crashlens_core::survey::{Link, MissingLibrary, MissingSymbol, MissingVersion, OpenedBefore};

use super::LinkFile;
use super::binding::{Binder, Unbound, lacked_versions, newest};
use super::environment::Environment;
use super::plugins::WithTensorflow;
use super::process::{Opened, Outcome, Process};
use super::shadowing;
use super::shelf::Shelf;
use super::tree::plain;

/// Symbols that are named one by one.
const MOST_NAMED: usize = 20;
/// Rounds of finding out which libraries of the environment must be there before.
const MOST_ROUNDS: usize = 64;
/// Libraries that are taken to be there before; no more are added beyond this.
const MOST_BEFORE: usize = 256;
/// How often one of them is moved to the front.
const MOST_MOVES: usize = 4;

/// Everything that opening a file takes.
pub(super) struct Opener<'a> {
    pub(super) environment: Environment<'a>,
    pub(super) shelf: Shelf<'a>,
    pub(super) process: Process<'a>,
    pub(super) tensorflow: Option<WithTensorflow<'a>>,
    pub(super) binder: Binder,
}

/// A file of which nothing can be said.
#[derive(Debug)]
pub(super) struct Unsure {
    /// What could not be told.
    pub(super) part: String,
    pub(super) reason: String,
}

/// One attempt: the process afterwards, and what was opened in it.
struct Attempt<'a> {
    process: Process<'a>,
    /// The last one is the file itself.
    opened: Vec<Opened>,
    before: Vec<OpenedBefore>,
}

impl<'a> Opener<'a> {
    /// What the loader would say of a file.
    pub(super) fn link(&self, file: &LinkFile<'_>) -> Result<Link, Unsure> {
        let plugin = self
            .tensorflow
            .as_ref()
            .filter(|tensorflow| tensorflow.loads(file.path, file.elf));
        let link = self.link_into(file, plugin)?;
        // A file that is not linked to TensorFlow may still count on its symbols.
        let host = self.tensorflow.as_ref().filter(|tensorflow| {
            let mut missing = link.missing_symbols.iter();
            plugin.is_none() && missing.any(|symbol| tensorflow.lends(file.path, &symbol.name))
        });
        match host {
            Some(host) => self.link_into(file, Some(host)),
            None => Ok(link),
        }
    }

    fn link_into(
        &self,
        file: &LinkFile<'_>,
        tensorflow: Option<&WithTensorflow<'a>>,
    ) -> Result<Link, Unsure> {
        let attempt = self.attempt(file, tensorflow).ok_or_else(|| Unsure {
            part: format!("what the loader would say of {}", file.path.display()),
            reason: "it or what it needs cannot be followed".to_owned(),
        })?;
        let mut link = Link {
            into_tensorflow: tensorflow.is_some(),
            opened_before: attempt.before.clone(),
            ..Link::default()
        };
        if let Some(library) = self.cut_by_others(&attempt) {
            link.missing_libraries.push(library);
            return Ok(link);
        }
        attempt.refuse_if_cut_short()?;
        for opened in &attempt.opened {
            link.missing_libraries
                .extend(self.missing_libraries(&attempt.process, opened));
            link.missing_versions
                .extend(missing_versions(&attempt.process, opened));
        }
        // The loader binds nothing before all libraries are there in their versions; until then any symbol may seem
        // to be missing.
        if link.missing_libraries.is_empty() && link.missing_versions.is_empty() {
            let unbound = attempt
                .opened
                .iter()
                .flat_map(|opened| self.binder.unbound(&attempt.process, opened));
            let unbound: Vec<Unbound> = unbound.collect();
            link.missing_symbol_count = unbound.len() as u64;
            link.lacking_by_library_path = shadowing::lacking(
                &self.shelf,
                &attempt.process,
                &attempt.opened,
                unbound.get(..MOST_NAMED).unwrap_or(&unbound),
            );
            link.missing_symbols = unbound
                .iter()
                .take(MOST_NAMED)
                .filter_map(|unbound| self.missing_symbol(&attempt.process, unbound))
                .collect();
        }
        if let Some(opened) = attempt.opened.last() {
            link.shadowed =
                shadowing::shadowed(&self.shelf, &self.environment, &attempt.process, opened);
        }
        Ok(link)
    }

    /// Opens the file; where it needs libraries that no search finds and that packages of the environment have, once
    /// more with those opened before it.
    fn attempt(
        &self,
        file: &LinkFile<'_>,
        tensorflow: Option<&WithTensorflow<'a>>,
    ) -> Option<Attempt<'a>> {
        let base = tensorflow.map_or(&self.process, |tensorflow| &tensorflow.process);
        let mut before: Vec<PathBuf> = Vec::new();
        let mut placed: HashMap<PathBuf, usize> = HashMap::new();
        for _ in 0..MOST_ROUNDS {
            let mut process = base.clone();
            let mut opened = Vec::new();
            for path in &before {
                opened.extend(process.open(&self.shelf, path, false));
            }
            opened.push(process.open(&self.shelf, file.path, false)?);
            let mut found = self.wanted_before(&process, &opened, file);
            // One that is there already stands behind one that needs it; two that need each other stay as they are.
            found.retain(|path| {
                let times = placed.entry(path.clone()).or_default();
                *times += 1;
                *times <= MOST_MOVES
            });
            if found.is_empty() || before.len() > MOST_BEFORE {
                return Some(Attempt {
                    process,
                    opened,
                    before: listed(tensorflow, &before),
                });
            }
            before.retain(|path| !found.contains(path));
            // What a library needs has to be there before the library.
            before.splice(0..0, found);
        }
        None
    }

    /// Libraries that were not found and that somebody in the environment would have loaded.
    fn wanted_before(
        &self,
        process: &Process<'_>,
        opened: &[Opened],
        file: &LinkFile<'_>,
    ) -> Vec<PathBuf> {
        let missing = opened.iter().flat_map(|opened| &opened.needs);
        let mut found = Vec::new();
        for need in missing.filter(|need| need.outcome == Outcome::Missing) {
            let Some(by) = process.loaded.get(need.by) else {
                continue;
            };
            let Some(holder) = self.environment.holder(&need.name, &by.library.path) else {
                continue;
            };
            let owner = self.environment.file(by.library.identity);
            let package = owner.map_or(file.package, |owner| owner.package);
            let path = holder.path.to_owned();
            if self.environment.would_load(package, holder.package) && !found.contains(&path) {
                found.push(path);
            }
        }
        found
    }

    fn missing_libraries<'b>(
        &'b self,
        process: &'b Process<'a>,
        opened: &'b Opened,
    ) -> impl Iterator<Item = MissingLibrary> + 'b {
        opened.needs.iter().filter_map(move |need| {
            let by = &process.loaded.get(need.by)?.library.path;
            let broken = match &need.outcome {
                Outcome::Loaded(..) => return None,
                Outcome::Broken(path, _) => Some(shown(path)),
                Outcome::Missing => None,
            };
            let elsewhere = self.environment.holder(&need.name, by);
            Some(MissingLibrary {
                name: need.name.clone(),
                needed_by: shown(by),
                elsewhere: elsewhere.map(|file| shown(file.path)),
                broken,
            })
        })
    }

    /// A library from outside of the environment that ends too early: whoever opens it dies of SIGBUS, or is told that
    /// the file is too short. One of the environment is told for itself.
    fn cut_by_others(&self, attempt: &Attempt<'a>) -> Option<MissingLibrary> {
        let mut needs = attempt.opened.iter().flat_map(|opened| &opened.needs);
        needs.find_map(|need| {
            let Outcome::Loaded(index, _) = need.outcome else {
                return None;
            };
            let library = &attempt.process.loaded.get(index)?.library;
            let is_cut = library.elf.truncation.is_some();
            if !is_cut || self.environment.file(library.identity).is_some() {
                return None;
            }
            let by = &attempt.process.loaded.get(need.by)?.library.path;
            let elsewhere = self.environment.holder(&need.name, by);
            Some(MissingLibrary {
                name: need.name.clone(),
                needed_by: shown(by),
                elsewhere: elsewhere.map(|file| shown(file.path)),
                broken: Some(shown(&library.path)),
            })
        })
    }

    fn missing_symbol(&self, process: &Process<'a>, unbound: &Unbound) -> Option<MissingSymbol> {
        let by = &process.loaded.get(unbound.by)?.library;
        let wanted = by.elf.undefined.get(unbound.symbol)?;
        let demangled = crashlens_core::demangle(&wanted.name);
        let definer = self.environment.definer(wanted, &by.path);
        Some(MissingSymbol {
            demangled: (demangled != wanted.name).then_some(demangled),
            name: wanted.name.clone(),
            needed_by: shown(&by.path),
            defined_in: definer.map(|path| shown(&path)),
        })
    }
}

impl Attempt<'_> {
    /// A library that ends too early is mapped all the same, and nobody knows what of it is there; of one whose tables
    /// could not be read whole, nobody knows what it lacks.
    fn refuse_if_cut_short(&self) -> Result<(), Unsure> {
        let ranges = self.opened.iter().map(|opened| opened.first..opened.end);
        let cut = ranges
            .flatten()
            .filter_map(|index| self.process.loaded.get(index))
            .find(|loaded| {
                let elf = &loaded.library.elf;
                elf.truncation.is_some() || !elf.unread.is_empty()
            });
        match cut {
            None => Ok(()),
            Some(loaded) => Err(Unsure {
                part: format!(
                    "what the loader would say of files that need {}",
                    shown(&loaded.library.path)
                ),
                reason: match loaded.library.elf.unread.first() {
                    Some(unread) => format!("it could not be read whole ({unread})"),
                    None => "it ends before what its headers promise".to_owned(),
                },
            }),
        }
    }
}

fn missing_versions<'b>(
    process: &'b Process<'_>,
    opened: &Opened,
) -> impl Iterator<Item = MissingVersion> + 'b {
    lacked_versions(process, opened)
        .into_iter()
        .filter_map(|lacked| {
            let found = &process.loaded.get(lacked.library)?.library;
            Some(MissingVersion {
                newest: newest(&found.elf.version_definitions, &lacked.version),
                found: shown(&found.path),
                needed_by: shown(&process.loaded.get(lacked.by)?.library.path),
                version: lacked.version,
                library: lacked.name,
            })
        })
}

fn listed(tensorflow: Option<&WithTensorflow<'_>>, before: &[PathBuf]) -> Vec<OpenedBefore> {
    let tensorflow = tensorflow.map_or(&[][..], |tensorflow| &tensorflow.opened);
    let before = before.iter().map(|path| (path, false));
    tensorflow
        .iter()
        .map(|(path, globally)| (path, *globally))
        .chain(before)
        .map(|(path, globally)| OpenedBefore {
            path: shown(path),
            globally,
        })
        .collect()
}

/// A path as people write it.
pub(super) fn shown(path: &Path) -> String {
    plain(path).display().to_string()
}
