//! Which Python package installed a library.
//!
//! The answer is in the `site-packages` folder the library lies in: the `RECORD` of one of its
//! `*.dist-info` folders lists the file. Where packages keep no list (Debian's `dist-packages`, old
//! `egg-info`), the name of the library's top folder decides, if it can mean one package only.
//! Files outside such folders (the standard library's `lib-dynload`, system libraries, libraries of
//! editable installs in their source trees) belong to no package here.

mod site;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crashlens_core::{Gaps, Module};

use self::site::Site;

/// Sets the owning package of every module that has one.
pub(crate) fn assign(modules: &mut [Module], gaps: &mut Gaps) {
    let mut by_folder: BTreeMap<PathBuf, Vec<usize>> = BTreeMap::new();
    for (index, module) in modules.iter().enumerate() {
        if let Some((folder, _)) = split_site(&module.path) {
            by_folder.entry(folder).or_default().push(index);
        }
    }
    for (folder, indices) in by_folder {
        match Site::open(&folder) {
            Ok(site) => assign_from(site, &folder, modules, &indices, gaps),
            Err(error) => {
                gaps.add(format!("packages in {}", folder.display()), error, None);
            }
        }
    }
}

fn assign_from(
    mut site: Site,
    folder: &Path,
    modules: &mut [Module],
    indices: &[usize],
    gaps: &mut Gaps,
) {
    let files: Vec<&str> = indices
        .iter()
        .map(|index| split_site(&modules[*index].path).map_or("", |(_, relative)| relative))
        .collect();
    let owners = site.owners(&files);
    for (index, owner) in indices.iter().zip(owners) {
        modules[*index].package = owner;
    }
    if site.ran_out_of_budget() {
        let part = format!("some packages in {}", folder.display());
        gaps.add(
            part,
            "the lists of installed files are larger than what is read",
            None,
        );
    }
}

/// The folder packages were installed into, and the rest of the path.
fn split_site(path: &str) -> Option<(PathBuf, &str)> {
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    let end_of = |name: &str| path.rfind(name).map(|start| start + name.len());
    let end = end_of("/site-packages/").max(end_of("/dist-packages/"))?;
    let (folder, relative) = path.split_at(end);
    (!relative.is_empty()).then(|| (Path::new(folder).to_owned(), relative))
}

#[cfg(test)]
mod tests;
