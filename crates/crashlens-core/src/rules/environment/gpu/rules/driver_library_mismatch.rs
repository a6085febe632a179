//! The driver in the kernel and its library are of different versions.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::cuda::numbers;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::rule::{Remedy, Risk};
use crate::rules::environment::gpu::stake::has_device;
use crate::survey::Survey;

pub(super) static RULE: Rule = Rule {
    id: "CUD003",
    name: "driver-library-mismatch",
    summary: "The NVIDIA driver in the kernel and its library `libcuda.so` have different versions.",
    causes: &[Cause::GpuDriver],
    since: "0.1.0",
    doc: include_str!("driver_library_mismatch.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let gpu = &survey.gpu;
    let (Some(driver), Some(library)) = (gpu.driver.known(), gpu.libcuda.known()) else {
        return Look::nothing()
            .blind_to("driver", &gpu.driver, &survey.gaps)
            .blind_to("libcuda.so.1", &gpu.libcuda, &survey.gaps);
    };
    if !has_device(survey) {
        return Look::nothing().blind_to("devices", &gpu.device_files, &survey.gaps);
    }
    let look = Look::at(format!("driver {driver}"));
    // `libcuda.so.535.104.05`; a package for forward compatibility is of another version on purpose.
    let version = library
        .rsplit_once("libcuda.so.")
        .map(|(_, version)| version);
    let versions = version.and_then(numbers).zip(numbers(driver));
    let differ =
        versions.filter(|(of_library, of_driver)| of_library.len() > 1 && of_library != of_driver);
    if differ.is_none() || library.contains("/compat/") {
        return look;
    }
    let version = version.unwrap_or_default();
    let headline = format!(
        "The NVIDIA driver in the kernel is {driver} and its library is {version}: CUDA refuses to start with the two"
    );
    look.found(
        Hazard::new(Severity::WillFail, Cause::GpuDriver, headline)
            .because(
                FactRef::Host { field: "driver".to_owned() },
                format!("The kernel has driver {driver}."),
            )
            .because(
                FactRef::Host { field: "libcuda".to_owned() },
                format!("The loader finds {library} for libcuda.so.1, which is of {version}."),
            )
            .unless("the GPU is not used, or libcuda.so is of a package for forward compatibility")
            .file(library.clone())
            .remedy(Remedy::new("Restart the machine: after an update of the driver the kernel still has the old one.").risk(Risk::Environment))
            .remedy(
                Remedy::new("In a container or with an LD_LIBRARY_PATH of your own, take the copied driver library away; it must come from the host.")
                    .command("ldconfig -p | grep libcuda; echo \"$LD_LIBRARY_PATH\""),
            ),
    )
}
