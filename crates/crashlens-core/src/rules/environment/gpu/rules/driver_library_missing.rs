//! A GPU can be reached, and the driver's own library is not found.

use crate::book::{Judge, Look, Rule};
use crate::capture::Observed;
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::remedy::ShellLine;
use crate::rule::{Remedy, Risk};
use crate::rules::environment::gpu::stake::{cuda_build, has_device};
use crate::survey::Survey;

pub(super) static RULE: Rule = Rule {
    id: "CUD002",
    name: "driver-library-missing",
    summary: "There is a GPU, but the driver library `libcuda.so.1` is missing.",
    causes: &[Cause::GpuLibraryMissing],
    since: "0.1.0",
    doc: include_str!("driver_library_missing.md"),
    judge: Judge::Environment(judge),
};

fn judge(survey: &Survey) -> Look {
    let gpu = &survey.gpu;
    let Some((tensorflow, _)) = cuda_build(survey) else {
        return Look::nothing();
    };
    if !has_device(survey) {
        return Look::nothing().blind_to("devices", &gpu.device_files, &survey.gaps);
    }
    let look = Look::at("libcuda.so.1").blind_to("libcuda.so.1", &gpu.libcuda, &survey.gaps);
    if gpu.libcuda != Observed::Absent {
        return look;
    }
    let files = gpu
        .device_files
        .known()
        .map_or_else(String::new, |it| it.join(", "));
    let headline = format!(
        "There is a GPU ({files}), and the driver's library libcuda.so.1 is not found: {} {} will not use it",
        tensorflow.name, tensorflow.version
    );
    let hazard = Hazard::new(Severity::WillFail, Cause::GpuLibraryMissing, headline)
        .because(
            FactRef::Host { field: "device_files".to_owned() },
            format!("{files} can be opened, so that a program could reach the device."),
        )
        .because(
            FactRef::Package { name: tensorflow.name.clone() },
            "It is built with CUDA, and asks the loader for libcuda.so.1, which neither LD_LIBRARY_PATH nor the system's folders have.",
        )
        .unless("the GPU is not meant to be used, or the program is started with another LD_LIBRARY_PATH")
        .package(tensorflow.package());
    look.found(with_remedies(hazard, survey))
}

fn with_remedies(hazard: Hazard, survey: &Survey) -> Hazard {
    if let Some(library) = survey.gpu.wsl_library.known() {
        let folder = library.rsplit_once('/').map_or("", |(folder, _)| folder);
        let quoted = crate::shell::word(folder);
        let command = quoted.map(|it| format!("export LD_LIBRARY_PATH={it}:\"$LD_LIBRARY_PATH\""));
        let action = "Let the loader look where Windows puts its driver's library.";
        return hazard
            .file(library.clone())
            .remedy(Remedy::new(action).command_if(command));
    }
    if survey.machine.container.known().is_some() {
        return hazard.remedy(
            Remedy::new("Start the container with NVIDIA's runtime, which brings the driver's libraries in.")
                .command(ShellLine::anywhere("docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility IMAGE")),
        );
    }
    hazard
        .remedy(Remedy::new("See which of the driver's libraries the loader knows.").command("ldconfig -p | grep -E 'libcuda|libnvidia'"))
        .remedy(
            Remedy::new("Install the driver's libraries for computing, of the same version as the driver (libnvidia-compute on Ubuntu, libcuda1 on Debian, nvidia-driver-cuda-libs on Fedora).")
                .risk(Risk::Environment),
        )
}
