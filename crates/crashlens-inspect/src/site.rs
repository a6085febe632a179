//! Folders of packages: what is installed in them, and whether it is whole.

mod claims;
mod compare;
mod contents;
mod discover;
mod draft;
mod extent;
mod gencode;
mod hashing;
mod loose;
mod native;
mod trouble;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crashlens_core::survey::{Distribution, Interpreter, PackageTool};
use crashlens_core::{Gaps, Package};

use self::compare::Comparison;
use self::contents::{Contents, Entry};
use self::discover::Found;
use self::trouble::Trouble;
use crate::Question;
use crate::distribution::{normal_name, printable_path};

pub(crate) use self::gencode::generator;

/// What the folders of packages hold.
#[derive(Debug, Default)]
pub(crate) struct Installed {
    /// Every distribution, by name; of one name, first the one that Python would take.
    pub(crate) distributions: Vec<Distribution>,
    /// Every file that is or claims to be native (`*.so`, `*.so.*`, `*.pyd`), by path, with the distribution that lists it.
    pub(crate) native: Vec<(PathBuf, Option<Package>)>,
    /// Top folders of the folders of packages by their names (`tensorflow`, `nvidia`), the one that Python would take.
    pub(crate) folders: HashMap<String, PathBuf>,
    /// What interrupted work of pip left behind: `~umpy`, `~ensorflow-2.15.0.dist-info`.
    pub(crate) leftovers: Vec<String>,
    /// Modules at the top of folders of packages that no distribution names as its own.
    pub(crate) loose: Vec<String>,
}

impl Installed {
    /// How packages are installed here, after what the installation says of itself.
    pub(crate) fn tool(&self, said: PackageTool) -> PackageTool {
        let is_pip = |it: &Distribution| normal_name(&it.name) == "pip";
        let has_pip =
            self.distributions.iter().any(is_pip) || self.loose.iter().any(|it| it == "pip");
        let is_uvs = |it: &Distribution| it.installer.as_deref() == Some("uv");
        match said {
            PackageTool::Refused => said,
            _ if has_pip => PackageTool::Pip,
            PackageTool::Uv => said,
            _ if self.distributions.iter().any(is_uvs) => PackageTool::Uv,
            _ => PackageTool::Missing,
        }
    }
}

/// One folder of packages.
struct Site {
    folder: PathBuf,
    contents: Contents,
    found: Vec<Found>,
    /// Whether the system's own packages are in it, which its package manager changes as it likes.
    is_systems: bool,
}

/// Reads all folders of packages of the interpreter.
pub(crate) fn read(python: &Interpreter, question: &Question, gaps: &mut Gaps) -> Installed {
    let mut trouble = Trouble::default();
    let mut budget = contents::Budget::default();
    let mut sites: Vec<Site> = Vec::new();
    for folder in &python.sites {
        let folder = PathBuf::from(folder);
        let is_shallow = question.only.is_some();
        let contents = Contents::read(&folder, is_shallow, &mut budget, &mut trouble);
        let found = discover::distributions(&folder, &contents, &mut trouble);
        sites.push(Site {
            is_systems: is_systems(&folder, python, question),
            folder,
            contents,
            found,
        });
    }
    discover::mark_linked(&mut sites);
    let comparison = Comparison::of(&mut sites, question);
    let mut installed = Installed {
        native: native::files(&sites, &comparison, question, &mut trouble),
        folders: top_folders(&sites),
        leftovers: leftovers(&sites),
        ..Installed::default()
    };
    comparison.finish(&mut sites);
    installed.loose = loose::modules(&sites);
    trouble.tell(gaps);
    installed.distributions = in_order(&mut sites, gaps);
    installed
}

/// Packages of the distribution of the system, as opposed to what pip put beside them in `/usr/local`.
fn is_systems(folder: &Path, python: &Interpreter, question: &Question) -> bool {
    let usr = question.root.join("usr");
    let is_below_usr = folder.starts_with(&usr) && !folder.starts_with(usr.join("local"));
    let is_in_store = ["/nix/store", "/gnu/store"]
        .iter()
        .any(|store| folder.starts_with(store));
    let prefix = Path::new(&python.prefix);
    (is_below_usr && (prefix == usr || !folder.starts_with(prefix))) || is_in_store
}

fn top_folders(sites: &[Site]) -> HashMap<String, PathBuf> {
    let mut folders = HashMap::new();
    for site in sites {
        for (name, entry) in site.contents.top() {
            if matches!(entry, Entry::Folder { .. }) {
                let path = || site.folder.join(name);
                folders.entry(name.to_owned()).or_insert_with(path);
            }
        }
    }
    folders
}

fn leftovers(sites: &[Site]) -> Vec<String> {
    let paths = sites.iter().flat_map(|site| {
        let names = site
            .contents
            .top()
            .filter(|(name, _)| name.starts_with('~'));
        names.map(|(name, _)| printable_path(&site.folder.join(name)))
    });
    let mut paths: Vec<String> = paths.take(100).collect();
    paths.sort();
    paths
}

/// By name; of one name the first folder of packages first, in it the newest version.
fn in_order(sites: &mut [Site], gaps: &mut Gaps) -> Vec<Distribution> {
    let mut all = Vec::new();
    for (place, site) in sites.iter_mut().enumerate() {
        for found in site.found.drain(..) {
            let version = found.distribution.parsed_version();
            let key = (
                normal_name(&found.distribution.name),
                place,
                std::cmp::Reverse(version),
            );
            all.push((key, found.into_distribution(gaps)));
        }
    }
    all.sort_by(|(a, first), (b, second)| {
        a.cmp(b).then_with(|| first.metadata.cmp(&second.metadata))
    });
    all.into_iter()
        .map(|(_, distribution)| distribution)
        .collect()
}

#[cfg(test)]
mod tests;
