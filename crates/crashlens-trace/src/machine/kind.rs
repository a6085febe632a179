//! What kind of machine this is: a container, the Windows Subsystem for Linux, an emulated processor.

use std::io;
use std::path::Path;

use crate::host::{control_group, value};
use crashlens_inspect::bounded;

const MAX_BYTES: u64 = 4096;

/// Files that an engine puts into every container of its kind. Kubernetes first: its containers are also of another.
const MARKS: [(&str, &str); 5] = [
    ("var/run/secrets/kubernetes.io", "kubernetes"),
    ("run/secrets/kubernetes.io", "kubernetes"),
    (".dockerenv", "docker"),
    ("run/.containerenv", "podman"),
    (".singularity.d", "apptainer"),
];

/// Parts of a control group's path that name the engine.
const GROUPS: [(&str, &str); 4] = [
    ("kubepods", "kubernetes"),
    ("/docker", "docker"),
    ("/libpod", "podman"),
    ("/lxc", "lxc"),
];

/// The engine of the container around a process; `None` outside.
pub(super) fn container(root: &Path, pid: u32) -> Option<String> {
    let marks = MARKS.iter().find(|(path, _)| root.join(path).exists());
    if let Some((_, engine)) = marks {
        return Some((*engine).to_owned());
    }
    let told = bounded::read_text(&root.join("run/systemd/container"), MAX_BYTES);
    let told = told.unwrap_or_default();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if !told.trim().is_empty() && told.trim().bytes().all(is_word) {
        return Some(told.trim().to_owned());
    }
    let groups = control_group::memberships(root, pid).unwrap_or_default();
    let engine = GROUPS.iter().find(|(part, _)| groups.contains(part))?.1;
    Some(engine.to_owned())
}

/// Whether the kernel is the one of the Windows Subsystem for Linux.
pub(super) fn is_wsl(root: &Path) -> io::Result<bool> {
    let release = bounded::read_text(&root.join("proc/sys/kernel/osrelease"), MAX_BYTES)?;
    Ok(release.to_ascii_lowercase().contains("microsoft"))
}

/// What runs the instructions of programs built for `architecture`, where it is not the processor.
pub(super) fn emulated_by(root: &Path, cpuinfo: &str, architecture: &str) -> Option<String> {
    let model = value(cpuinfo, "model name").unwrap_or_default();
    let vendor = value(cpuinfo, "vendor_id").unwrap_or_default();
    if model.contains("VirtualApple") || vendor.contains("VirtualApple") {
        return Some("Rosetta".to_owned());
    }
    // The kernel of a machine of another kind: emulators of single programs let its list through.
    let is_arm = value(cpuinfo, "CPU implementer").is_some();
    let is_intel = value(cpuinfo, "flags").is_some() && !vendor.is_empty();
    let is_foreign = match architecture {
        "x86_64" => is_arm && !is_intel,
        "aarch64" => is_intel && !is_arm,
        _ => false,
    };
    if is_foreign {
        let rosetta = root.join("proc/sys/fs/binfmt_misc/rosetta").exists();
        return Some(if rosetta { "Rosetta" } else { "qemu-user" }.to_owned());
    }
    // A whole machine without help of the processor; `QEMU Virtual CPU` may have it.
    model.starts_with("QEMU TCG").then(|| "qemu".to_owned())
}
