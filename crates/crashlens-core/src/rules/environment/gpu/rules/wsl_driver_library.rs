//! Under WSL, the driver's library is not the one that Windows lends.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::rule::{Remedy, Risk};
use crate::rules::environment::gpu::stake::cuda_build;
use crate::survey::Survey;

pub(super) static RULE: Rule = Rule {
    id: "CUD004",
    name: "wsl-driver-library",
    summary: "Under WSL, a Linux driver library hides the `libcuda.so.1` that Windows provides.",
    causes: &[Cause::GpuDriver],
    since: "0.1.0",
    doc: include_str!("wsl_driver_library.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let gpu = &survey.gpu;
    let (Some((tensorflow, _)), Some(lent)) = (cuda_build(survey), gpu.wsl_library.known()) else {
        return Look::nothing();
    };
    let look =
        Look::at("libcuda.so.1 under WSL").blind_to("libcuda.so.1", &gpu.libcuda, &survey.gaps);
    let Some(found) = gpu.libcuda.known() else {
        return look;
    };
    let is_lent = found == lent || found.starts_with("/usr/lib/wsl/");
    if is_lent {
        return look;
    }
    let headline = format!(
        "Under WSL the loader takes {found} for the driver's library, and only {lent} reaches the GPU"
    );
    look.found(
        Hazard::new(Severity::WillFail, Cause::GpuDriver, headline)
            .because(
                FactRef::Host { field: "wsl_library".to_owned() },
                format!("Windows lends its driver's library as {lent}."),
            )
            .because(
                FactRef::Host { field: "libcuda".to_owned() },
                format!("The loader finds {found} first, which belongs to a driver for Linux."),
            )
            .unless("the GPU is not used, or the file is a copy of the one that Windows lends")
            .package(tensorflow.package())
            .file(found.clone())
            .remedy(
                Remedy::new("Let the loader look at the library of Windows first.")
                    .command("export LD_LIBRARY_PATH=/usr/lib/wsl/lib:\"$LD_LIBRARY_PATH\""),
            )
            .remedy(
                Remedy::new("Remove the NVIDIA driver for Linux from WSL; the one of Windows is all it needs.")
                    .command("sudo apt remove --purge '^libnvidia-compute-.*' '^nvidia-driver-.*'")
                    .risk(Risk::Environment),
            ),
    )
}
