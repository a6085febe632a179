//! Which native files are surely loaded by somebody, and how they are spoken of.

use std::collections::BTreeMap;

use super::{Interpreter, NativeFile, Survey};
use crate::capture::Package;
use crate::evidence::FactRef;
use crate::hazard::Hazard;
use crate::remedy::{Again, Pip};
use crate::rule::Remedy;
pub(crate) use crate::text::count;

const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";
/// How many files of one package a finding lists.
const FILES_LISTED: usize = 5;

impl NativeFile {
    /// Whether this interpreter imports it as a module.
    pub fn is_module(&self) -> bool {
        let extension = self.extension.as_ref();
        extension.is_some_and(|extension| extension.is_importable)
    }

    /// Whether it has no bytes although its name is that of a module. Empty files of other names are put there on
    /// purpose, for tests and as placeholders.
    pub fn is_emptied_module(&self) -> bool {
        let name = self.name();
        let is_tagged = name.contains(".cpython-") || name.contains(".abi3.");
        let is_named_so = name.contains(".so") && (is_tagged || self.is_module());
        self.size == 0 && self.package.is_some() && is_named_so
    }

    /// Whether TensorFlow loads it as a plugin.
    pub fn is_plugin(&self) -> bool {
        self.link.known().is_some_and(|link| link.into_tensorflow)
    }

    /// Whether something surely opens it: Python, TensorFlow, or the loader for one of those. Libraries that lie about
    /// for an optional part are not among these.
    pub fn is_opened(&self) -> bool {
        self.is_module() || self.is_plugin()
    }

    /// The distribution that it belongs to, or else the file itself.
    pub fn owner(&self) -> &str {
        let package = self.package.as_ref();
        package.map_or(self.path.as_str(), |package| package.name.as_str())
    }

    /// `tensorflow-text 2.12.1`, or the name of a file that no distribution lists.
    pub fn owner_with_version(&self) -> String {
        match &self.package {
            Some(package) => format!("{} {}", package.name, package.version),
            None => self.name().to_owned(),
        }
    }

    /// `_image_ops.so of tensorflow-addons 0.23.0`.
    pub fn title(&self) -> String {
        match &self.package {
            Some(package) => format!("{} of {} {}", self.name(), package.name, package.version),
            None => self.name().to_owned(),
        }
    }

    /// Its place in the survey.
    pub fn fact(&self) -> FactRef {
        FactRef::Module {
            path: self.path.clone(),
        }
    }
}

impl Interpreter {
    /// Whether a file is seen to be for another kind of processor than the interpreter.
    pub fn is_for_another_processor(&self, file: &NativeFile) -> bool {
        let own = self.architecture.known();
        let of_file = file.architecture.known();
        own.is_some() && of_file.is_some() && own != of_file
    }
}

impl Survey {
    /// Files that something surely opens.
    pub fn opened(&self) -> impl Iterator<Item = &NativeFile> {
        let opened = self.native.iter().filter(|file| file.is_opened());
        opened.filter(|file| !self.is_spare(file))
    }

    /// Whether something loads the file: Python or TensorFlow, or the loader for another file, or for everybody. A
    /// library that another one needs counts, whoever opens that one: programs do it through ctypes.
    pub(crate) fn is_reached(&self, file: &NativeFile) -> bool {
        let names = [file.soname.as_deref().unwrap_or_default(), file.name()];
        let preloaded = self.variable("LD_PRELOAD").unwrap_or_default();
        let mut entries = preloaded.split([':', ' ']);
        let is_needed = |other: &NativeFile| {
            let mut needed = other.needed.iter();
            needed.any(|need| names.contains(&need.as_str()))
        };
        file.is_opened()
            || self.native.iter().any(is_needed)
            || entries.any(|entry| entry == file.path || names.contains(&entry))
    }

    /// Whether there is a GPU to be used: a driver or a device of it.
    pub fn has_gpu(&self) -> bool {
        let has_devices = self.gpu.devices.known().is_some_and(|it| !it.is_empty());
        self.gpu.driver.known().is_some() || has_devices
    }

    /// Whether a library that a file names ends too early: what that would define cannot be read.
    pub fn needs_a_cut_library(&self, file: &NativeFile) -> bool {
        let mut cut = self.native.iter().filter(|it| it.truncation.is_some());
        cut.any(|it| {
            let name = it.soname.as_deref().unwrap_or(it.name());
            file.needed.iter().any(|needed| needed == name)
        })
    }

    /// `tensorflow-cpu 2.15.1`, as it is installed.
    pub fn tensorflow_title(&self) -> Option<String> {
        let tensorflow = self.tensorflow()?;
        Some(format!("{} {}", tensorflow.name, tensorflow.version))
    }
}

/// Files by the distribution that they belong to, so that one package with sixty modules is one finding.
pub(crate) fn by_owner<'a>(
    files: impl IntoIterator<Item = &'a NativeFile>,
) -> BTreeMap<&'a str, Vec<&'a NativeFile>> {
    let mut owners: BTreeMap<&str, Vec<&NativeFile>> = BTreeMap::new();
    for file in files {
        owners.entry(file.owner()).or_default().push(file);
    }
    owners
}

/// The hazard with the package of these files, and the first of the files.
pub(crate) fn involving(mut hazard: Hazard, files: &[&NativeFile]) -> Hazard {
    let package = files.first().and_then(|file| file.package.clone());
    hazard.packages.extend(package);
    let paths = files.iter().map(|file| file.path.clone());
    hazard.files.extend(paths.take(FILES_LISTED));
    hazard
}

impl Survey {
    /// The command that installs a package once more in the same version, where its name can be part of one.
    pub(crate) fn reinstall(package: &Package) -> Option<Pip> {
        let name = crate::shell::package(&package.name)?;
        let version: pep440_rs::Version = package.version.parse().ok()?;
        let pip = Pip::install([format!("{name}=={version}")])?;
        Some(pip.with("--force-reinstall").with("--no-deps"))
    }

    /// Whether a folder of `LD_LIBRARY_PATH` is what leads the loader to a file.
    pub(crate) fn is_by_library_path(&self, path: &str) -> bool {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let value = self.variable(LIBRARY_PATH).unwrap_or_default();
        let mut folders = value.split([':', ';']).filter(|it| !it.is_empty());
        folders.any(|it| it.trim_end_matches('/') == folder)
    }

    /// Says that `LD_LIBRARY_PATH` leads to a file that is no good, and how to do without: nothing has to be installed.
    pub(crate) fn blame_library_path(mut hazard: Hazard, path: &str) -> Hazard {
        let name = LIBRARY_PATH.to_owned();
        let claim = format!("{LIBRARY_PATH} makes the loader take {path}.");
        hazard = hazard.because(FactRef::Variable { name }, claim);
        let action = format!("Run without {LIBRARY_PATH}, or without the folder of {path} in it.");
        let remedy = Remedy::new(action).command(Again::new().unset(LIBRARY_PATH));
        hazard.remedies.insert(0, remedy);
        hazard
    }
}
