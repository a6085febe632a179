//! Add-ons of TensorFlow, and which TensorFlow each was made for.

use pep440_rs::VersionSpecifiers;

use super::requirements::named_in;
use super::{Distribution, NativeFile, Survey};
use crate::facts::packages::same_name;
use crate::known_versions::{Addon, addons};

impl Survey {
    /// The files of a distribution that TensorFlow loads.
    pub(crate) fn plugins<'a>(
        &'a self,
        addon: &'a Distribution,
    ) -> impl Iterator<Item = &'a NativeFile> {
        self.native.iter().filter(|file| {
            let package = file.package.as_ref();
            package.is_some_and(|it| it.name == addon.name)
                && file.link.known().is_some_and(|link| link.into_tensorflow)
        })
    }
}

impl Distribution {
    /// What the table knows of it as an add-on of TensorFlow.
    pub(crate) fn addon(&self) -> Option<&'static Addon> {
        let mut known = addons().iter();
        known.find(|entry| same_name(&entry.package, &self.name))
    }

    /// Whether it requires another of everybody who installs it.
    pub(crate) fn asks_for(&self, name: &str) -> bool {
        let mut lines = self.requires.iter();
        lines.any(|line| same_name(named_in(line), name) && !line.contains("extra"))
    }

    /// For which TensorFlow it was made as an add-on, where pip does not see it: as its metadata says for an extra, else as
    /// the table says.
    pub(crate) fn made_for(&self) -> Option<VersionSpecifiers> {
        if let Some(limits) = self.optional_limits() {
            return Some(limits);
        }
        let says_itself = self
            .requires
            .iter()
            .any(|line| line.starts_with("tensorflow"));
        let entry = self.addon().filter(|_| !says_itself)?;
        entry.built_for(&self.parsed_version()?).cloned()
    }
}
