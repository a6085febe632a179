//! The NVIDIA driver is older than the CUDA that TensorFlow was built with can use.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::cuda::{numbers, oldest_driver};
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::remedy::Again;
use crate::rule::{Remedy, Risk};
use crate::rules::environment::gpu::stake::{cuda_build, has_device};
use crate::survey::Survey;

pub(super) static RULE: Rule = Rule {
    id: "CUD001",
    name: "driver-too-old",
    summary: "The NVIDIA driver is too old for the CUDA version that TensorFlow was built with.",
    causes: &[Cause::GpuDriver],
    since: "0.1.0",
    doc: include_str!("driver_too_old.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let gpu = &survey.gpu;
    let Some((tensorflow, build)) = cuda_build(survey) else {
        return Look::nothing();
    };
    if !has_device(survey) {
        return Look::nothing().blind_to("devices", &gpu.device_files, &survey.gaps);
    }
    let (Some(cuda), Some(driver)) = (build.cuda.as_deref(), gpu.driver.known()) else {
        return Look::nothing().blind_to("driver", &gpu.driver, &survey.gaps);
    };
    let look = Look::at(format!("driver {driver}, CUDA {cuda}"));
    let versions = numbers(driver).zip(oldest_driver(cuda));
    let Some((found, row)) = versions else {
        return look;
    };
    // NVIDIA's packages for forward compatibility bring a newer libcuda.so that works with an older driver.
    let is_compat = gpu
        .libcuda
        .known()
        .is_some_and(|it| it.contains("/compat/"));
    if is_compat || numbers(&row.oldest).is_none_or(|needed| found >= needed) {
        return look;
    }
    let headline = format!(
        "The NVIDIA driver {driver} is too old for {} {}, which was built with CUDA {cuda} and needs {} or newer",
        tensorflow.name, tensorflow.version, row.oldest
    );
    look.found(
        Hazard::new(Severity::WillFail, Cause::GpuDriver, headline)
            .because(
                FactRef::Host { field: "driver".to_owned() },
                format!("The kernel has driver {driver}."),
            )
            .because(
                FactRef::Host { field: "built_with".to_owned() },
                format!("{} says CUDA {cuda}.", build.file),
            )
            .because(FactRef::KnownIssue { id: row.cuda.clone() }, format!("{}.", row.source))
            .unless("the GPU is not used (CUDA_VISIBLE_DEVICES=-1), or NVIDIA's package for forward compatibility (cuda-compat) is on the loader's path")
            .package(tensorflow.package())
            .file(build.file.clone())
            .remedy(
                Remedy::new("Run without the GPU until the driver is renewed.")
                    .command(Again::new().set("CUDA_VISIBLE_DEVICES", "-1")),
            )
            .remedy(
                Remedy::new(format!(
                    "Install driver {} or newer on the host (also for containers), and restart the machine.",
                    row.oldest
                ))
                .risk(Risk::Environment),
            ),
    )
}
