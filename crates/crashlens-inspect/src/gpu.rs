//! The GPU's driver and libraries, as files tell of them: nothing of NVIDIA's is loaded or run.
//!
//! States what is there. Which versions go together is judged elsewhere.

mod build_info;
mod driver;
mod libraries;

use std::path::{Path, PathBuf};

use crashlens_core::survey::{CudaBuild, GpuStack, Interpreter};
use crashlens_core::{Gaps, Observed};

use crate::loader::Finder;
use crate::site::Installed;
use crate::{Question, bounded};

pub(crate) use build_info::parse as parse_build_info;
pub(crate) use driver::version as driver_version;
pub(crate) use libraries::header_version;

const MAX_BUILD_INFO_BYTES: u64 = 64 << 10;
const DRIVER_LIBRARY: &str = "libcuda.so.1";

/// What the loader finds for a name: the one thing here that is not to be read from a single file.
type Search<'a> = dyn FnMut(&str, &mut Gaps) -> Observed<PathBuf> + 'a;

/// What there is between TensorFlow and a GPU.
pub(crate) fn read(
    python: &Interpreter,
    installed: &Installed,
    question: &Question,
    gaps: &mut Gaps,
) -> GpuStack {
    let finder = Finder::start(python, question, gaps);
    let mut search = |name: &str, _: &mut Gaps| finder.find(name);
    read_with(installed, question, &mut search, gaps)
}

fn read_with(
    installed: &Installed,
    question: &Question,
    search: &mut Search<'_>,
    gaps: &mut Gaps,
) -> GpuStack {
    let root = &question.root;
    let wsl_library = driver::wsl_library(root);
    let built_with = built_with(installed, gaps);
    let libcuda = real_path(search(DRIVER_LIBRARY, gaps), root);
    let mut libraries = libraries::of_wheels(&installed.native);
    libraries.extend(libraries::on_library_path(question));
    if built_with.known().is_some() {
        let cuda = built_with.known().and_then(|build| build.cuda.as_deref());
        let mut find = |name: &str| match search(name, gaps) {
            Observed::Known(path) => Some(path),
            Observed::Absent | Observed::Unknown(_) => None,
        };
        let found = libraries::of_system(root, cuda, &libraries, &mut find);
        libraries.extend(found);
    }
    GpuStack {
        driver: driver::observed(root, &wsl_library, gaps),
        devices: driver::devices(root),
        device_files: driver::device_files(root),
        wsl_library,
        libcuda,
        libraries,
        built_with,
    }
}

/// The file behind all links, as a path of the system that is looked at.
fn real_path(found: Observed<PathBuf>, root: &Path) -> Observed<String> {
    match found {
        Observed::Known(path) => {
            let real = inside(root, &path).canonicalize();
            let real = real.ok().and_then(|real| outside(root, &real));
            Observed::Known(real.unwrap_or(path).display().to_string())
        }
        Observed::Absent => Observed::Absent,
        Observed::Unknown(gap) => Observed::Unknown(gap),
    }
}

/// Where a path of the system is below the root folder.
fn inside(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

/// The path of the system that a file below the root folder has.
fn outside(root: &Path, file: &Path) -> Option<PathBuf> {
    let root = root.canonicalize().ok()?;
    Some(Path::new("/").join(file.strip_prefix(root).ok()?))
}

/// Absent for a TensorFlow without CUDA, and without TensorFlow.
fn built_with(installed: &Installed, gaps: &mut Gaps) -> Observed<CudaBuild> {
    let Some(folder) = installed.folders.get("tensorflow") else {
        return Observed::Absent;
    };
    let file = folder.join("python/platform/build_info.py");
    match bounded::read_text(&file, MAX_BUILD_INFO_BYTES) {
        Ok(text) => match build_info::parse(&text) {
            Some(build) => Observed::Known(CudaBuild {
                file: file.display().to_string(),
                ..build
            }),
            None => Observed::Absent,
        },
        // Versions before 2.3 have none.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Observed::default(),
        Err(error) => Observed::Unknown(gaps.add(format!("{}", file.display()), error, None)),
    }
}

#[cfg(test)]
mod tests;
