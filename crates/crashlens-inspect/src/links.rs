//! The loader's answer for chosen files, which need not be of the environment: what the project's own comparison with a
//! real loader asks.

use std::path::{Path, PathBuf};

use crashlens_core::survey::Link;
use crashlens_core::{Gaps, Observed, Package};

use crate::elf::{self, ElfFile};
use crate::loader::{LinkEnvironment, LinkFile, link_all};
use crate::{Question, SurveyError, interpreter, site};

/// What the loader would say of each file, opened in the environment that is asked about.
pub fn links(
    question: &Question,
    files: &[PathBuf],
) -> Result<(Vec<Observed<Link>>, Gaps), SurveyError> {
    let mut gaps = Gaps::default();
    let python = interpreter::find(question, &mut gaps)?;
    let installed = site::read(&python, question, &mut gaps);
    let own: Vec<(&Path, Option<&Package>, ElfFile)> = installed
        .native
        .iter()
        .filter_map(|(path, package)| {
            Some((path.as_path(), package.as_ref(), elf::read(path).ok()?))
        })
        .collect();
    let own: Vec<LinkFile<'_>> = own
        .iter()
        .map(|(path, package, elf)| LinkFile {
            path,
            package: *package,
            elf,
        })
        .collect();
    let environment = LinkEnvironment {
        python: &python,
        files: &own,
        native: &installed.native,
        distributions: &installed.distributions,
        question,
        read: elf::read,
    };
    let read: Vec<_> = files.iter().map(|path| elf::read(path)).collect();
    let package = |path: &Path| own.iter().find(|file| file.path == path)?.package;
    let (places, wanted): (Vec<usize>, Vec<LinkFile<'_>>) = files
        .iter()
        .zip(&read)
        .enumerate()
        .filter_map(|(place, (path, elf))| {
            let elf = elf.as_ref().ok()?;
            let package = package(path);
            Some((place, LinkFile { path, package, elf }))
        })
        .unzip();
    let mut links: Vec<_> = files.iter().map(|_| Observed::Absent).collect();
    for (place, link) in places
        .into_iter()
        .zip(link_all(&wanted, &environment, &mut gaps))
    {
        if let Some(slot) = links.get_mut(place) {
            *slot = link;
        }
    }
    Ok((links, gaps))
}
