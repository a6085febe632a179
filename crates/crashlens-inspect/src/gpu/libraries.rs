//! CUDA's libraries: in wheels, on `LD_LIBRARY_PATH`, in the system.

use std::path::{Path, PathBuf};

use crashlens_core::Package;
use crashlens_core::survey::{GpuLibrary, LibraryOrigin};

use super::inside;
use crate::{Question, bounded};

const MAX_FOLDERS: usize = 64;
const MAX_FILES: usize = 4096;
const MAX_HEADER_BYTES: u64 = 64 << 10;

/// Libraries that programs open; what these bring in themselves is of the same make.
const NAMES: [&str; 12] = [
    "cudart",
    "cublas",
    "cublasLt",
    "cufft",
    "curand",
    "cusolver",
    "cusparse",
    "cudnn",
    "nccl",
    "cupti",
    "nvrtc",
    "nvJitLink",
];

/// The number in a soname, by the CUDA that it is part of. cuDNN and NCCL have versions of their own.
fn sonames(cuda: Option<&str>) -> Vec<String> {
    let major = cuda.and_then(|cuda| cuda.split('.').next());
    let numbers: &[(&str, &str)] = match major {
        Some("11") => &[
            ("cudart", "11.0"),
            ("cublas", "11"),
            ("cufft", "10"),
            ("cusolver", "11"),
            ("cusparse", "11"),
            ("cudnn", "8"),
        ],
        Some("12") => &[
            ("cudart", "12"),
            ("cublas", "12"),
            ("cufft", "11"),
            ("cusolver", "11"),
            ("cusparse", "12"),
            ("cudnn", "8"),
            ("cudnn", "9"),
            ("nvJitLink", "12"),
        ],
        _ => &[],
    };
    numbers
        .iter()
        .map(|(name, number)| format!("lib{name}.so.{number}"))
        .collect()
}

/// Those in NVIDIA's wheels, `site-packages/nvidia/*/lib`.
pub(super) fn of_wheels(native: &[(PathBuf, Option<Package>)]) -> Vec<GpuLibrary> {
    let mut libraries = Vec::new();
    for (path, package) in native {
        let mut folders = path.components().rev().skip(1);
        let is_wheels = folders.next().is_some_and(|it| it.as_os_str() == "lib")
            && folders.nth(1).is_some_and(|it| it.as_os_str() == "nvidia");
        let Some(library) = is_wheels.then(|| library(path, path)).flatten() else {
            continue;
        };
        let told = package.as_ref().map(|package| package.version.clone());
        libraries.push(GpuLibrary {
            version: told.or(library.version),
            package: package.clone(),
            origin: LibraryOrigin::Wheel,
            ..library
        });
    }
    libraries
}

/// Those in the folders of `LD_LIBRARY_PATH`, in its order.
pub(super) fn on_library_path(question: &Question) -> Vec<GpuLibrary> {
    let value = question.variables.get("LD_LIBRARY_PATH");
    let folders = value.map_or("", String::as_str).split([':', ';']);
    let mut libraries: Vec<GpuLibrary> = Vec::new();
    for folder in folders.filter(|it| it.starts_with('/')).take(MAX_FOLDERS) {
        let folder = Path::new(folder);
        let Ok(entries) = std::fs::read_dir(inside(&question.root, folder)) else {
            continue;
        };
        let mut names: Vec<_> = entries
            .flatten()
            .take(MAX_FILES)
            .map(|it| it.file_name())
            .collect();
        names.sort();
        for name in names {
            let path = folder.join(name);
            let Some(found) = library(&inside(&question.root, &path), &path) else {
                continue;
            };
            // The longer names behind a soname are the same file.
            let is_told = libraries.iter().any(|it| {
                it.soname == found.soname && Path::new(&it.path).parent() == Some(folder)
            });
            if !is_told {
                libraries.push(GpuLibrary {
                    origin: LibraryOrigin::LibraryPath,
                    ..found
                });
            }
        }
    }
    libraries
}

/// Those that the loader finds in the system, and not among `known`.
pub(super) fn of_system(
    root: &Path,
    cuda: Option<&str>,
    known: &[GpuLibrary],
    find: &mut dyn FnMut(&str) -> Option<PathBuf>,
) -> Vec<GpuLibrary> {
    let mut libraries = Vec::new();
    for soname in sonames(cuda) {
        let Some(path) = find(&soname) else {
            continue;
        };
        let is_known = known.iter().any(|it| Path::new(&it.path) == path);
        let found = library(&inside(root, &path), &path).filter(|_| !is_known);
        libraries.extend(found.map(|found| GpuLibrary {
            origin: LibraryOrigin::System,
            ..found
        }));
    }
    libraries
}

/// A library by its file, which the system knows as `path`.
fn library(file: &Path, path: &Path) -> Option<GpuLibrary> {
    let file_name = path.file_name()?.to_str()?;
    let (stem, number) = file_name.strip_prefix("lib")?.split_once(".so.")?;
    if !NAMES.contains(&stem) || !is_version(number) {
        return None;
    }
    let behind = file.canonicalize().ok();
    let name_behind = behind.as_deref().and_then(Path::file_name);
    let full = name_behind.and_then(|it| it.to_str()?.rsplit_once(".so."));
    let full = full.map(|(_, version)| version).filter(|it| is_version(it));
    Some(GpuLibrary {
        name: stem.to_owned(),
        path: path.display().to_string(),
        soname: Some(soname(stem, number)),
        version: version_beside(stem, file)
            .or_else(|| full.filter(|it| it.contains('.')).map(str::to_owned)),
        package: None,
        origin: LibraryOrigin::System,
    })
}

/// `libcudnn.so.8` of `8.9.4`, and `libcudart.so.11.0` of `11.8.89`: CUDA 11 kept its first soname.
fn soname(stem: &str, number: &str) -> String {
    let major = number.split('.').next().unwrap_or(number);
    let number = if stem == "cudart" && major == "11" {
        "11.0"
    } else {
        major
    };
    format!("lib{stem}.so.{number}")
}

fn is_version(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    text.len() <= 32 && text.split('.').all(is_number)
}

/// From the header that comes with cuDNN.
fn version_beside(stem: &str, file: &Path) -> Option<String> {
    if stem != "cudnn" {
        return None;
    }
    let header = file.parent()?.parent()?.join("include/cudnn_version.h");
    header_version(&bounded::read_text(&header, MAX_HEADER_BYTES).ok()?)
}

/// `8.9.4` of `cudnn_version.h`.
pub(crate) fn header_version(text: &str) -> Option<String> {
    let number = |name: &str| {
        let define = |line: &str| {
            let mut words = line.split_whitespace();
            let is_it = words.next() == Some("#define") && words.next() == Some(name);
            is_it.then(|| words.next()?.parse::<u32>().ok()).flatten()
        };
        text.lines().find_map(define)
    };
    let major = number("CUDNN_MAJOR")?;
    let minor = number("CUDNN_MINOR")?;
    let patch = number("CUDNN_PATCHLEVEL")?;
    Some(format!("{major}.{minor}.{patch}"))
}
