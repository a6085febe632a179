//! Which of several copies of a distribution Python takes, and who looks after it.

use std::collections::HashMap;

use super::{Distribution, FileList, NativeFile, Survey};
use crate::facts::packages::{normal, same_name};

/// Folders that the package manager of a Linux distribution fills; what a person installs goes to `/usr/local`.
const OF_THE_SYSTEM: [&str; 2] = ["/usr/lib/python", "/usr/lib64/python"];

impl Survey {
    /// Every distribution that Python finds: of one name, those in the first folder of `sys.path` that has it.
    pub fn found_distributions(&self) -> impl Iterator<Item = &Distribution> {
        let mut first: HashMap<String, usize> = HashMap::new();
        for distribution in self.distributions.iter().filter(|it| !it.is_left_over()) {
            let place = self.place(distribution);
            let known = first.entry(normal(&distribution.name)).or_insert(place);
            *known = place.min(*known);
        }
        self.distributions.iter().filter(move |it| {
            let first = first.get(&normal(&it.name));
            !it.is_left_over() && first == Some(&self.place(it))
        })
    }

    /// The copies of a distribution that Python finds. More than one where metadata was left behind.
    pub fn copies(&self, name: &str) -> impl Iterator<Item = &Distribution> {
        self.named(name)
            .filter(|distribution| self.is_found(distribution))
    }

    /// The copies of a distribution that lie behind the one that Python finds.
    pub fn hidden_copies(&self, name: &str) -> impl Iterator<Item = &Distribution> {
        self.named(name)
            .filter(|distribution| !self.is_found(distribution))
    }

    fn named(&self, name: &str) -> impl Iterator<Item = &Distribution> {
        self.distributions
            .iter()
            .filter(move |it| same_name(&it.name, name) && !it.is_left_over())
    }

    /// Whether the package manager of the system looks after a distribution: its packages declare what they need in
    /// their own way, and what they leave out of Python's metadata is left out on purpose.
    pub fn is_of_the_system(&self, distribution: &Distribution) -> bool {
        let by_person = ["pip", "uv", "poetry", "pdm"];
        let installer = distribution.installer.as_deref().unwrap_or_default();
        OF_THE_SYSTEM
            .iter()
            .any(|folder| distribution.metadata.starts_with(folder))
            && !by_person.iter().any(|name| installer.starts_with(name))
    }

    /// Whether a file belongs to such a distribution. The names of those are not always ones that pip knows: Debian has
    /// `h5py.-debian-h5py-serial`.
    pub(crate) fn is_file_of_the_system(&self, file: &NativeFile) -> bool {
        let Some(package) = &file.package else {
            return false;
        };
        let mut owners = self.named(&package.name);
        owners.any(|it| self.is_of_the_system(it) && file.path.starts_with(it.site()))
    }

    /// Whether something that is installed, or lies in a folder of packages, has a module at the top.
    pub(crate) fn has_module(&self, module: &str) -> bool {
        let is_listed = |it: &Distribution| {
            let files = it.files.known();
            files.is_some_and(|files| files.top.iter().any(|top| top == module))
        };
        self.loose_modules.iter().any(|it| it == module) || self.distributions.iter().any(is_listed)
    }

    fn is_found(&self, distribution: &Distribution) -> bool {
        if distribution.is_left_over() {
            return false;
        }
        let place = self.place(distribution);
        !self
            .named(&distribution.name)
            .any(|other| self.place(other) < place)
    }

    /// How early in `sys.path` its folder comes.
    fn place(&self, distribution: &Distribution) -> usize {
        let site = distribution.site();
        let sites = self.python.known().map(|python| &python.sites);
        sites
            .and_then(|sites| sites.iter().position(|it| it.trim_end_matches('/') == site))
            .unwrap_or(usize::MAX)
    }
}

impl Distribution {
    /// The list of its files, where all of them were compared with the disk.
    pub(crate) fn compared(&self) -> Option<&FileList> {
        let list = self.files.known()?;
        list.native_only.is_none().then_some(list)
    }

    /// The folder that its metadata is in.
    pub fn site(&self) -> &str {
        let metadata = self.metadata.trim_end_matches('/');
        metadata.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Whether it is what pip moves aside before it removes it (`~umpy-1.26.4.dist-info`), and then did not remove.
    pub fn is_left_over(&self) -> bool {
        let metadata = self.metadata.trim_end_matches('/');
        let name = metadata.rsplit('/').next().unwrap_or(metadata);
        name.starts_with('~')
    }
}
