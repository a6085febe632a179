use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::fs::symlink;

use crashlens_core::Package;
use crashlens_core::survey::LibraryOrigin;
use tempfile::TempDir;

use super::*;

const BUILD_INFO: &str = "build_info = collections.OrderedDict([('cuda_version', '12.2'), ('cudnn_version', '8'), ('is_cuda_build', True)])\n";
const HEADER: &str = "#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 6\n#define CUDNN_PATCHLEVEL 0\n#define CUDNN_VERSION (CUDNN_MAJOR * 1000)\n";

fn folder(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, contents) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }
    root
}

/// The stack in a folder, with what its loader finds.
fn stack(root: &TempDir, library_path: &str, found: &[(&str, &str)]) -> (GpuStack, Gaps) {
    let site = root.path().join("site");
    let cudnn = site.join("nvidia/cudnn/lib/libcudnn.so.8");
    let package = Package {
        name: "nvidia-cudnn-cu12".into(),
        version: "8.9.4.25".into(),
    };
    let installed = Installed {
        native: vec![(cudnn, Some(package))],
        folders: HashMap::from([("tensorflow".to_owned(), site.join("tensorflow"))]),
        ..Installed::default()
    };
    let question = Question {
        root: root.path().to_owned(),
        variables: BTreeMap::from([("LD_LIBRARY_PATH".into(), library_path.into())]),
        ..Question::default()
    };
    let mut search = |name: &str, _: &mut Gaps| {
        let mut found = found.iter();
        let path = found.find(|(wanted, _)| *wanted == name);
        path.map_or(Observed::Absent, |(_, path)| {
            Observed::Known(PathBuf::from(path))
        })
    };
    let mut gaps = Gaps::default();
    let stack = read_with(&installed, &question, &mut search, &mut gaps);
    (stack, gaps)
}

#[test]
fn a_machine_with_a_gpu_is_read() {
    let root = folder(&[
        (
            "proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\nGCC version:  gcc version 12.3.0\n",
        ),
        (
            "proc/driver/nvidia/gpus/0000:01:00.0/information",
            "Model: \t\t NVIDIA GeForce RTX 3090\nIRQ:   \t\t 168\n",
        ),
        ("dev/nvidia0", ""),
        ("dev/nvidiactl", ""),
        ("site/tensorflow/python/platform/build_info.py", BUILD_INFO),
        ("usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05", ""),
        ("usr/lib/x86_64-linux-gnu/libcublas.so.12.2.5.6", ""),
        ("opt/cudnn/lib/libcudnn.so.8", ""),
        ("opt/cudnn/lib/libcudnn_ops_infer.so.8", ""),
        ("opt/cudnn/include/cudnn_version.h", HEADER),
    ]);
    let system = root.path().join("usr/lib/x86_64-linux-gnu");
    symlink("libcuda.so.535.104.05", system.join("libcuda.so.1")).unwrap();
    symlink("libcublas.so.12.2.5.6", system.join("libcublas.so.12")).unwrap();
    let (stack, gaps) = stack(
        &root,
        "relative:/opt/cudnn/lib:/nowhere",
        &[
            ("libcuda.so.1", "/usr/lib/x86_64-linux-gnu/libcuda.so.1"),
            (
                "libcublas.so.12",
                "/usr/lib/x86_64-linux-gnu/libcublas.so.12",
            ),
            ("libcudnn.so.8", "/opt/cudnn/lib/libcudnn.so.8"),
        ],
    );
    assert_eq!(stack.driver, Observed::Known("535.104.05".into()));
    assert_eq!(
        stack.devices,
        Observed::Known(vec!["NVIDIA GeForce RTX 3090".into()])
    );
    assert_eq!(
        stack.device_files,
        Observed::Known(vec!["/dev/nvidia0".into()])
    );
    let libcuda = "/usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05";
    assert_eq!(stack.libcuda, Observed::Known(libcuda.into()));
    let told: Vec<_> = stack
        .libraries
        .iter()
        .map(|it| {
            (
                it.name.as_str(),
                it.version.as_deref().unwrap_or(""),
                it.origin,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("cudnn", "8.9.4.25", LibraryOrigin::Wheel),
            ("cudnn", "8.6.0", LibraryOrigin::LibraryPath),
            ("cublas", "12.2.5.6", LibraryOrigin::System),
        ]
    );
    assert_eq!(
        stack.built_with.known().unwrap().cuda.as_deref(),
        Some("12.2")
    );
    assert!(gaps.0.is_empty(), "{gaps:?}");
}

#[test]
fn a_machine_without_a_gpu_has_nothing() {
    let root = folder(&[(
        "site/tensorflow/python/platform/build_info.py",
        "build_info = {'is_cuda_build': False}",
    )]);
    let (stack, gaps) = stack(&root, "", &[]);
    assert_eq!(stack.driver, Observed::Absent);
    assert_eq!(stack.devices, Observed::Absent);
    assert_eq!(stack.device_files, Observed::Absent);
    assert_eq!(stack.libcuda, Observed::Absent);
    assert_eq!(stack.wsl_library, Observed::Absent);
    assert_eq!(stack.built_with, Observed::Absent);
    assert!(gaps.0.is_empty(), "{gaps:?}");
}

#[test]
fn windows_keeps_its_drivers_version_to_itself() {
    let root = folder(&[("usr/lib/wsl/lib/libcuda.so.1", ""), ("dev/dxg", "")]);
    let (stack, gaps) = stack(
        &root,
        "",
        &[("libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1")],
    );
    assert!(stack.driver.is_unknown());
    assert_eq!(
        stack.wsl_library,
        Observed::Known("/usr/lib/wsl/lib/libcuda.so.1".into())
    );
    assert_eq!(stack.device_files, Observed::Known(vec!["/dev/dxg".into()]));
    assert!(gaps.0[0].reason.contains("Windows"));
}

#[test]
fn the_drivers_version_is_found_in_its_words() {
    let open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  560.35.03  Release Build  (dvs-builder@U16-I1)\n";
    assert_eq!(driver_version(open).as_deref(), Some("560.35.03"));
    assert_eq!(driver_version("NVRM version: none\n"), None);
    assert_eq!(driver_version("GCC version: 12.3.0\n"), None);
}

#[test]
fn a_header_without_its_three_numbers_tells_nothing() {
    assert_eq!(header_version(HEADER).as_deref(), Some("8.6.0"));
    assert_eq!(header_version("#define CUDNN_MAJOR x\n"), None);
    assert_eq!(header_version("CUDNN_MAJOR 8"), None);
}
