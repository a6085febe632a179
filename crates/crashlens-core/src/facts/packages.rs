//! Questions about installed packages and loaded libraries.

use super::Facts;
use crate::capture::{Module, Package};
use crate::evidence::FactRef;

/// Names under which TensorFlow itself is installed.
pub(crate) const TENSORFLOW: [&str; 13] = [
    "tensorflow",
    "tensorflow-cpu",
    "tensorflow-gpu",
    "intel-tensorflow",
    "intel-tensorflow-avx512",
    "tensorflow-rocm",
    "tensorflow-aarch64",
    "tensorflow-cpu-aws",
    "tensorflow-intel",
    "tensorflow-macos",
    "tf-nightly",
    "tf-nightly-cpu",
    "tf-nightly-gpu",
];

/// A package that was in use.
#[derive(Debug, Clone)]
pub struct Installed<'a> {
    /// Name and version.
    pub package: &'a Package,
    /// Where that is known from.
    pub fact: FactRef,
}

impl Installed<'_> {
    /// Its version, where it follows Python's scheme.
    pub fn version(&self) -> Option<pep440_rs::Version> {
        self.package.version.parse().ok()
    }
}

impl<'a> Facts<'a> {
    /// A package that was in use, by its name in any spelling.
    pub fn package(&self, name: &str) -> Option<Installed<'a>> {
        self.packages()
            .find(|package| normal(&package.name) == normal(name))
            .map(|package| Installed {
                package,
                fact: FactRef::Package {
                    name: package.name.clone(),
                },
            })
    }

    /// TensorFlow, under whatever name it was installed.
    pub fn tensorflow(&self) -> Option<Installed<'a>> {
        TENSORFLOW.iter().find_map(|name| self.package(name))
    }

    /// Every package of which something is known: files of it were loaded, or the text names it.
    pub fn packages(&self) -> impl Iterator<Item = &'a Package> + use<'a> {
        let named = self.capture().environment.packages.known();
        let loaded = self.modules().filter_map(|module| module.package.as_ref());
        named.into_iter().flatten().chain(loaded)
    }

    /// Loaded ELF files.
    pub fn modules(&self) -> impl Iterator<Item = &'a Module> + use<'a> {
        self.capture().modules.known().into_iter().flatten()
    }

    /// Loaded ELF files whose name holds `word`, with their places.
    pub fn modules_named<'b>(
        &self,
        word: &'b str,
    ) -> impl Iterator<Item = (FactRef, &'a Module)> + use<'a, 'b> {
        self.modules()
            .filter(move |module| module.name.contains(word))
            .map(|module| {
                let path = module.path.clone();
                (FactRef::Module { path }, module)
            })
    }
}

/// The form in which Python's package index compares names.
pub fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

/// Whether two names are one in the eyes of Python's package index.
pub(crate) fn same_name(one: &str, other: &str) -> bool {
    let plain = |byte: u8| match byte {
        b'_' | b'.' => b'-',
        _ => byte.to_ascii_lowercase(),
    };
    one.len() == other.len() && one.bytes().map(plain).eq(other.bytes().map(plain))
}
