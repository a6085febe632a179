//! Some of CUDA's libraries that TensorFlow needs are there, and others are not.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk};
use crate::rules::environment::gpu::stake::{Pin, cuda_build, has_device, pins, stake};
use crate::survey::{LibraryOrigin, Survey};

pub(super) static RULE: Rule = Rule {
    id: "CUD005",
    name: "gpu-parts-missing",
    summary: "Some of the CUDA libraries that TensorFlow opens to use a GPU are missing.",
    causes: &[Cause::GpuLibraryMissing],
    since: "0.1.0",
    doc: include_str!("gpu_parts_missing.md"),
    judge: Judge::Environment(judge),
};

/// Parts without which TensorFlow registers no GPU, and the library of each. The last is needed by two of the others.
const NEEDED: [(&str, &str); 7] = [
    ("cuda-runtime", "cudart"),
    ("cublas", "cublas"),
    ("cufft", "cufft"),
    ("cusolver", "cusolver"),
    ("cusparse", "cusparse"),
    ("cudnn", "cudnn"),
    ("nvjitlink", "nvJitLink"),
];

fn judge(survey: &Survey) -> Look {
    let Some((tensorflow, build)) = cuda_build(survey) else {
        return Look::nothing();
    };
    let pins = pins(tensorflow);
    let needed = |pin: &&Pin| NEEDED.iter().any(|(part, _)| *part == pin.part());
    let wanted: Vec<&Pin> = pins.iter().filter(needed).collect();
    let Some(severity) = stake(survey).filter(|_| !wanted.is_empty()) else {
        return Look::nothing();
    };
    let look = Look::at(format!("{} libraries of CUDA", wanted.len())).blind_to(
        "the system's libraries",
        &survey.gpu.libcuda,
        &survey.gaps,
    );
    let (missing, present): (Vec<&Pin>, Vec<&Pin>) =
        wanted.into_iter().partition(|pin| !is_there(survey, pin));
    // What the system has was not looked at where the loader was not asked.
    if missing.is_empty() || survey.gpu.libcuda.is_unknown() {
        return look;
    }
    let severity = match (present.is_empty(), has_device(survey)) {
        (true, false) => return look,
        (true, true) | (false, false) => Severity::WorthKnowing,
        (false, true) => severity,
    };
    let names: Vec<&str> = missing.iter().map(|pin| pin.wheel.as_str()).collect();
    let headline = format!(
        "{} {} will use no GPU: of the CUDA libraries that it opens, {} {} missing",
        tensorflow.name,
        tensorflow.version,
        names.join(", "),
        if names.len() == 1 { "is" } else { "are" },
    );
    let hazard = Hazard::new(severity, Cause::GpuLibraryMissing, headline)
        .because(
            FactRef::Host { field: "built_with".to_owned() },
            format!("{} says that it was built with CUDA.", build.file),
        )
        .because(
            FactRef::Package { name: tensorflow.name.clone() },
            format!("Its metadata asks for {} under `and-cuda`, and they are neither installed nor among the system's libraries.", names.join(", ")),
        )
        .unless("no GPU is to be used, or the libraries come from a folder that the program itself adds")
        .package(tensorflow.package());
    let packages: Vec<String> = missing
        .iter()
        .map(|pin| format!("{}=={}", pin.wheel, pin.version))
        .collect();
    look.found(
        hazard.remedy(
            Remedy::new("Install the missing ones in the versions that TensorFlow names.")
                .command_if(Pip::install(packages))
                .risk(Risk::Environment),
        ),
    )
}

fn is_there(survey: &Survey, pin: &Pin) -> bool {
    let library = NEEDED.iter().find(|(part, _)| *part == pin.part());
    let is_of_system = library.is_some_and(|(_, library)| {
        let mut libraries = survey.gpu.libraries.iter();
        libraries.any(|it| it.name == *library && it.origin != LibraryOrigin::Wheel)
    });
    is_of_system || survey.distribution(&pin.wheel).is_some()
}
