//! What rules ask of a survey.

use pep440_rs::Version;

use super::{Distribution, NativeFile, Survey};
use crate::capture::{Limit, Package};
use crate::evidence::FactRef;
use crate::facts::packages::TENSORFLOW;

impl Survey {
    /// A distribution by its name in any spelling; of several copies the one that Python finds.
    pub fn distribution(&self, name: &str) -> Option<&Distribution> {
        self.copies(name).next()
    }

    /// The version of a distribution, where it follows Python's scheme.
    pub fn version_of(&self, name: &str) -> Option<Version> {
        self.distribution(name)?.parsed_version()
    }

    /// TensorFlow, under whatever name it is installed.
    pub fn tensorflow(&self) -> Option<&Distribution> {
        self.tensorflows().next()
    }

    /// Every distribution that is TensorFlow itself.
    pub fn tensorflows(&self) -> impl Iterator<Item = &Distribution> {
        TENSORFLOW.iter().filter_map(|name| self.distribution(name))
    }

    /// The ELF file of a path.
    pub fn native_file(&self, path: &str) -> Option<&NativeFile> {
        self.native.iter().find(|file| file.path == path)
    }

    /// A variable of the environment that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        let value = self.variables.known()?.get(name)?;
        (!value.trim().is_empty()).then_some(value.as_str())
    }

    /// A resource limit by its name in `/proc/PID/limits`.
    pub fn limit(&self, name: &str) -> Option<&Limit> {
        let mut limits = self.machine.limits.known()?.iter();
        limits.find(|limit| limit.name == name)
    }
}

impl Distribution {
    /// Its version, where it follows Python's scheme.
    pub fn parsed_version(&self) -> Option<Version> {
        self.version.parse().ok()
    }

    /// Where it is in the survey.
    pub fn fact(&self) -> FactRef {
        FactRef::Package {
            name: self.name.clone(),
        }
    }

    /// Name and version.
    pub fn package(&self) -> Package {
        Package {
            name: self.name.clone(),
            version: self.version.clone(),
        }
    }
}

impl NativeFile {
    /// Its name without folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}
