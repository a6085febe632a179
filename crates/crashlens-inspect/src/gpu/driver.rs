//! NVIDIA's driver and devices, from `/proc` and `/dev`.

use std::path::Path;

use crashlens_core::{Gaps, Observed};

use crate::bounded;

const MAX_BYTES: u64 = 64 << 10;
const MAX_DEVICES: usize = 256;
const WSL_LIBRARY: &str = "/usr/lib/wsl/lib/libcuda.so.1";

/// The driver's version. Under WSL it belongs to Windows, and nothing here tells it.
pub(super) fn observed(
    root: &Path,
    wsl_library: &Observed<String>,
    gaps: &mut Gaps,
) -> Observed<String> {
    let path = root.join("proc/driver/nvidia/version");
    match bounded::read_text(&path, MAX_BYTES) {
        Ok(text) => match version(&text) {
            Some(version) => Observed::Known(version),
            None => Observed::Unknown(gaps.add(
                "version of the NVIDIA driver",
                "/proc/driver/nvidia/version has none that is understood",
                None,
            )),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            if wsl_library.known().is_none() {
                return Observed::Absent;
            }
            let reason = "it belongs to Windows and does not show here";
            let remedy = Some("nvidia-smi tells it");
            Observed::Unknown(gaps.add("version of the NVIDIA driver", reason, remedy))
        }
        Err(error) => Observed::Unknown(gaps.add("version of the NVIDIA driver", error, None)),
    }
}

/// `535.104.05` of `NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 …`.
pub(crate) fn version(text: &str) -> Option<String> {
    let line = text
        .lines()
        .find(|line| line.starts_with("NVRM version:"))?;
    let is_version = |word: &&str| {
        let mut parts = word.split('.');
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
        word.contains('.') && word.len() <= 32 && parts.all(is_number)
    };
    line.split_whitespace().find(is_version).map(str::to_owned)
}

/// Names of the devices that the driver lists.
pub(super) fn devices(root: &Path) -> Observed<Vec<String>> {
    let Ok(entries) = std::fs::read_dir(root.join("proc/driver/nvidia/gpus")) else {
        return Observed::Absent;
    };
    let model = |entry: std::fs::DirEntry| {
        let text = bounded::read_text(&entry.path().join("information"), MAX_BYTES).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("Model:"))?;
        Some(line.trim().to_owned())
    };
    let mut names: Vec<String> = entries
        .flatten()
        .take(MAX_DEVICES)
        .filter_map(model)
        .collect();
    names.sort();
    Observed::Known(names)
}

/// Files by which a program reaches a device.
pub(super) fn device_files(root: &Path) -> Observed<Vec<String>> {
    let numbered = (0..MAX_DEVICES).map(|number| format!("/dev/nvidia{number}"));
    let is_there = |path: &String| root.join(path.trim_start_matches('/')).exists();
    let files: Vec<String> = numbered
        .chain(["/dev/dxg".to_owned()])
        .filter(is_there)
        .collect();
    if files.is_empty() {
        return Observed::Absent;
    }
    Observed::Known(files)
}

/// The driver's library that Windows lends.
pub(super) fn wsl_library(root: &Path) -> Observed<String> {
    if root.join(WSL_LIBRARY.trim_start_matches('/')).exists() {
        return Observed::Known(WSL_LIBRARY.to_owned());
    }
    Observed::Absent
}
