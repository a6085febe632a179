//! Deaths inside the driver.

use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::Facts;
use crate::remedy::Again;
use crate::rule::{Remedy, Risk, Suspicion};

/// Functions by which a framework finds and starts the driver.
const STARTS_DRIVER: [&str; 11] = [
    "cuInit",
    "cuDriverGetVersion",
    "clGetPlatformIDs",
    "clIcdGetPlatformIDsKHR",
    "nvmlInit",
    "vkCreateInstance",
    "hsa_init",
    "hipInit",
    "GetLibcudaDsoHandle",
    "CUDADriver::Init",
    "GpuDriver::Init",
];

/// Dies in the driver's library while it starts, or while it is looked for.
pub(super) fn suspect(facts: &Facts<'_>) -> Option<Suspicion> {
    let starts = facts.frame_calling(&STARTS_DRIVER)?;
    let frames = facts.acting_frames();
    let top = frames.first()?;
    let of_driver = [
        "libcuda.",
        "libnvidia-",
        "libhsa-runtime",
        "libamdocl",
        "libOpenCL",
        "nvcuda",
    ];
    let is_inside =
        of_driver.iter().any(|name| top.library().starts_with(name)) || top.index == starts.index;
    let is_searching = starts.function().contains("GetLibcudaDsoHandle")
        && frames
            .iter()
            .take(3)
            .any(|sight| sight.index == starts.index);
    if !is_inside && !is_searching {
        return None;
    }
    let headline = if is_searching {
        "It died while looking for the GPU driver's library, which it could not find".to_owned()
    } else {
        let name = starts
            .function()
            .split(['(', '+', ' '])
            .next()
            .unwrap_or_default();
        format!("It died inside the GPU driver while that was starting ({name})")
    };
    let claim = format!("The crashed thread was in {}.", starts.function());
    Some(
        Suspicion::new(Cause::GpuDriver, headline)
            .supported(Weight::Strong, starts.fact.clone(), claim)
            .remedy(show())
            .remedy(
                Remedy::new("Test it without the GPU: it must then live.")
                    .command(Again::new().set("CUDA_VISIBLE_DEVICES", "-1")),
            )
            .remedy(renew()),
    )
}

pub(super) fn show() -> Remedy {
    Remedy::new("Compare the driver with what the CUDA version needs; nvidia-smi shows the driver and the newest CUDA it serves.")
        .command("nvidia-smi; cat /proc/driver/nvidia/version")
}

pub(super) fn renew() -> Remedy {
    Remedy::new("Install a newer driver on the host (also for containers and WSL), and restart the machine.")
        .risk(Risk::Environment)
}
