//! The GPU driver and the libraries between it and TensorFlow.

use serde::{Deserialize, Serialize};

use crate::capture::{Observed, Package};

/// The GPU driver and the GPU's libraries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GpuStack {
    /// Version of NVIDIA's kernel driver; absent where there is none.
    pub driver: Observed<String>,
    /// Names of the NVIDIA devices that the kernel lists.
    pub devices: Observed<Vec<String>>,
    /// Files by which a program reaches a device, `/dev/nvidia0` or `/dev/dxg`; absent where there are none, as in a
    /// container that was given none.
    pub device_files: Observed<Vec<String>>,
    /// The `libcuda.so.1` that Windows lends to Linux programs; absent outside WSL.
    pub wsl_library: Observed<String>,
    /// The `libcuda.so.1` that the loader finds, links resolved; absent where it finds none.
    pub libcuda: Observed<String>,
    /// CUDA's libraries that could be loaded, from wheels, `LD_LIBRARY_PATH` and the system.
    pub libraries: Vec<GpuLibrary>,
    /// What the TensorFlow that is installed was built with; absent for one without CUDA.
    pub built_with: Observed<CudaBuild>,
}

/// One of CUDA's libraries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GpuLibrary {
    /// `cudnn`, `cudart`, `cublas`, …
    pub name: String,
    /// The file.
    pub path: String,
    /// Its soname: `libcudnn.so.8`.
    pub soname: Option<String>,
    /// Its full version, from the header beside it, the file's name or the wheel: `8.9.4.25`.
    pub version: Option<String>,
    /// The wheel that has it.
    pub package: Option<Package>,
    /// How the loader comes to it.
    pub origin: LibraryOrigin,
}

/// How the loader comes to a library.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LibraryOrigin {
    /// A wheel's folder, which TensorFlow and PyTorch look into by themselves.
    #[default]
    Wheel,
    /// `LD_LIBRARY_PATH`.
    LibraryPath,
    /// The system's folders.
    System,
}

/// What a TensorFlow with CUDA was built with, as its `build_info.py` and its metadata say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CudaBuild {
    /// `12.2`.
    pub cuda: Option<String>,
    /// `8`, or `8.9`.
    pub cudnn: Option<String>,
    /// Compute capabilities: `sm_60`, `compute_90`.
    pub capabilities: Vec<String>,
    /// The file.
    pub file: String,
}
