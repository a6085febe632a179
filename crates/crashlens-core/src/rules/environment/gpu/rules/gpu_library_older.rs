//! A wheel of NVIDIA's is older than the one that TensorFlow was built with.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::cuda::line;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk};
use crate::rules::environment::gpu::stake::{Pin, cuda_build, pins, stake};
use crate::survey::{CudaBuild, Distribution, Survey};

pub(super) static RULE: Rule = Rule {
    id: "CUD006",
    name: "gpu-library-older",
    summary: "The installed cuDNN or cuBLAS is older than the one TensorFlow was built with, or of another major version.",
    causes: &[Cause::GpuLibraryMismatch],
    since: "0.1.0",
    doc: include_str!("gpu_library_older.md"),
    judge: Judge::Environment(judge),
};

/// Parts whose version TensorFlow or the library itself compares when it is used.
const COMPARED: [&str; 2] = ["cudnn", "cublas"];

fn judge(survey: &Survey) -> Look {
    let Some((tensorflow, build)) = cuda_build(survey) else {
        return Look::nothing();
    };
    let Some(severity) = stake(survey) else {
        return Look::nothing();
    };
    let pins: Vec<Pin> = pins(tensorflow)
        .into_iter()
        .filter(|pin| COMPARED.contains(&pin.part()))
        .collect();
    let installed = |pin: &Pin| survey.distribution(&pin.wheel);
    let count = pins.iter().filter(|pin| installed(pin).is_some()).count();
    if count == 0 {
        return Look::nothing();
    }
    let hazards = pins.iter().filter_map(|pin| {
        let wheel = installed(pin)?;
        let (found, wanted) = (line(&wheel.version)?, line(&pin.version)?);
        // The same first number, the second equal or higher.
        let is_good = found.0 == wanted.0 && found.1 >= wanted.1;
        (!is_good).then(|| hazard(severity, (tensorflow, build), wheel, pin))
    });
    Look::at(format!("{count} wheels of NVIDIA")).found_all(hazards)
}

fn hazard(
    severity: Severity,
    (tensorflow, build): (&Distribution, &CudaBuild),
    wheel: &Distribution,
    pin: &Pin,
) -> Hazard {
    let (major, minor) = line(&pin.version).unwrap_or_default();
    let headline = format!(
        "{} {} is installed, and {} {} needs {major}.{minor} or a later {major}.x of it on a GPU",
        wheel.name, wheel.version, tensorflow.name, tensorflow.version
    );
    let mut hazard = Hazard::new(severity, Cause::GpuLibraryMismatch, headline)
        .because(
            FactRef::Package {
                name: wheel.name.clone(),
            },
            format!("{} {} is what is loaded.", wheel.name, wheel.version),
        )
        .because(
            FactRef::Package {
                name: tensorflow.name.clone(),
            },
            format!(
                "Its metadata names {} {} under `and-cuda`.",
                pin.wheel, pin.version
            ),
        );
    if let Some(cudnn) = build.cudnn.as_ref().filter(|_| pin.part() == "cudnn") {
        let claim = format!("{} says cuDNN {cudnn}.", build.file);
        hazard = hazard.because(
            FactRef::Host {
                field: "built_with".to_owned(),
            },
            claim,
        );
    }
    hazard
        .unless("no GPU is used, or a suitable version is found before the wheel (LD_LIBRARY_PATH)")
        .package(wheel.package())
        .package(tensorflow.package())
        .remedy(
            Remedy::new("Install the version that TensorFlow names; another package that asks for the old one may then complain.")
                .command_if(Pip::install([format!("{}=={}", pin.wheel, pin.version)]))
                .risk(Risk::Environment),
        )
}
