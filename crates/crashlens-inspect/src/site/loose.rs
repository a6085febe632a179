//! Modules that can be imported although nothing says that they are installed.

use std::collections::{BTreeSet, HashSet};

use crashlens_core::Observed;

use super::Site;
use super::contents::{Contents, Entry, Presence};
use super::native::is_native;
use crate::distribution::{module_name, normal_name};

/// Folders of the system's own packages have no lists; more is somebody's whole home.
const MAX_MODULES: usize = 5_000;

/// Modules at the top of the folders that no list names, by name.
pub(super) fn modules(sites: &[Site]) -> Vec<String> {
    let mut loose = BTreeSet::new();
    for site in sites {
        let listed = listed(site);
        let modules = site.contents.top().filter_map(|(name, entry)| {
            let module = module_of(&site.contents, name, entry)?;
            (!listed.contains(module) && !listed.contains(&normal_name(module))).then_some(module)
        });
        let room = MAX_MODULES.saturating_sub(loose.len());
        loose.extend(modules.take(room).map(str::to_owned));
    }
    loose.into_iter().collect()
}

/// What the distributions of a folder name as theirs; of one without a list its own name.
fn listed(site: &Site) -> HashSet<String> {
    let mut listed = HashSet::new();
    for found in &site.found {
        match &found.distribution.files {
            Observed::Known(files) => listed.extend(files.top.iter().cloned()),
            _ => {
                listed.insert(normal_name(&found.distribution.name));
            }
        }
    }
    listed
}

/// The module that an entry is. A folder without `__init__` may be what is left of a package.
fn module_of<'a>(contents: &Contents, name: &'a str, entry: Entry) -> Option<&'a str> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let module = match entry {
        Entry::Folder { .. } => {
            let inits = ["__init__.py", "__init__.pyc"];
            let mut inits = inits.iter().map(|init| format!("{name}/{init}"));
            inits.any(|init| is_file(contents, &init)).then_some(name)
        }
        Entry::File { .. } => {
            let is_code = [".py", ".pyc"].iter().any(|end| name.ends_with(end));
            (is_code || is_native(name.as_bytes())).then(|| module_name(name))
        }
        Entry::Other => None,
    };
    module.filter(|module| !module.is_empty() && module.bytes().all(is_letter))
}

fn is_file(contents: &Contents, path: &str) -> bool {
    let found = contents.get(path.as_bytes());
    matches!(found, Presence::There(Entry::File { .. }))
}
