//! The folders of packages that an interpreter imports from, in its order.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crashlens_core::Gaps;

use super::{Home, path_file};
use crate::Question;

const MAX_FOLDERS: usize = 256;

/// Folders of packages in the order of `sys.path`.
pub(super) struct SearchPath {
    pub(super) folders: Vec<PathBuf>,
    pub(super) has_user_site: bool,
    /// What the folders are behind all links: `lib64` is mostly a link to `lib`.
    seen: HashSet<PathBuf>,
    is_full: bool,
}

/// Puts together what Python would: `PYTHONPATH`, the environment's own folder, the user's, the installation's.
pub(super) fn folders(home: &Home, question: &Question, gaps: &mut Gaps) -> SearchPath {
    let mut path = SearchPath {
        folders: Vec::new(),
        has_user_site: false,
        seen: HashSet::new(),
        is_full: false,
    };
    let named = question.variables.get("PYTHONPATH");
    for folder in named.iter().flat_map(|value| value.split(':')) {
        let folder = Path::new(folder);
        if folder.is_absolute() {
            path.add(folder);
        }
    }
    let sees_system = home.venv.as_ref().is_none_or(|venv| venv.sees_system);
    if home.venv.is_some() {
        path.add_sites(&sites_of(&home.prefix, home));
    }
    if sees_system {
        if let Some(folder) = user_site(home, question) {
            path.has_user_site = folder.is_dir();
            path.add_sites(&[folder]);
        }
        path.add_sites(&sites_of(&home.base, home));
    }
    if path.is_full {
        let reason = format!("there are more than {MAX_FOLDERS}");
        gaps.add("some folders that Python imports from", reason, None);
    }
    path
}

impl SearchPath {
    fn add_sites(&mut self, sites: &[PathBuf]) {
        for site in sites {
            if self.add(site) {
                for folder in path_file::folders(site) {
                    self.add(&folder);
                }
            }
        }
    }

    /// Whether it is a folder that was not there before.
    fn add(&mut self, folder: &Path) -> bool {
        let Ok(real) = std::fs::canonicalize(folder) else {
            return false;
        };
        if !real.is_dir() || !self.seen.insert(real) {
            return false;
        }
        self.is_full |= self.folders.len() >= MAX_FOLDERS;
        if !self.is_full {
            self.folders.push(folder.to_owned());
        }
        !self.is_full
    }
}

/// Folders of packages below a prefix. Debian has names of its own; those that are not there are left out by `add`.
fn sites_of(prefix: &Path, home: &Home) -> Vec<PathBuf> {
    let library = home.library.folder();
    let upstream = |lib: &str| prefix.join(lib).join(&library).join("site-packages");
    // Fedora's standard library is in `lib64`, and what is compiled is sought there first.
    let is_fedoras = home
        .base
        .join("lib64")
        .join(&library)
        .join("os.py")
        .is_file()
        && !home.base.join("lib64").is_symlink();
    let mut sites = if is_fedoras {
        vec![upstream("lib64"), upstream("lib")]
    } else {
        vec![upstream("lib"), upstream("lib64")]
    };
    if is_debians(home) && home.venv.is_none() {
        sites.clear();
    }
    if is_debians(home) {
        sites.push(
            prefix
                .join("local/lib")
                .join(&library)
                .join("dist-packages"),
        );
        if !home.library.is_python_2() {
            sites.push(prefix.join("lib/python3/dist-packages"));
        }
        sites.push(prefix.join("lib").join(&library).join("dist-packages"));
    }
    sites
}

/// Whether the interpreter has Debian's changed `site`, by the folder that only Debian has.
fn is_debians(home: &Home) -> bool {
    let library = home.base.join("lib").join(home.library.folder());
    home.base.join("lib/python3/dist-packages").is_dir() || library.join("dist-packages").is_dir()
}

/// `~/.local/lib/python3.11/site-packages`.
fn user_site(home: &Home, question: &Question) -> Option<PathBuf> {
    let variable = |name: &str| {
        question
            .variables
            .get(name)
            .filter(|value| !value.is_empty())
    };
    if variable("PYTHONNOUSERSITE").is_some() {
        return None;
    }
    let home_folder = question.home.as_ref();
    let home_folder = home_folder.filter(|folder| !folder.as_os_str().is_empty());
    let base = match variable("PYTHONUSERBASE") {
        Some(base) => PathBuf::from(base),
        None => home_folder?.join(".local"),
    };
    let folder = base
        .join("lib")
        .join(home.library.folder())
        .join("site-packages");
    folder.is_absolute().then_some(folder)
}
