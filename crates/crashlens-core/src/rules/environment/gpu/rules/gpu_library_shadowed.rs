//! `LD_LIBRARY_PATH` brings an older CUDA library than the wheel that is installed.

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::cuda::line;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::remedy::Again;
use crate::rule::Remedy;
use crate::rules::environment::gpu::stake::{cuda_build, stake};
use crate::survey::{GpuLibrary, LibraryOrigin, Survey};

pub(super) static RULE: Rule = Rule {
    id: "CUD007",
    name: "gpu-library-shadowed",
    summary: "`LD_LIBRARY_PATH` leads to a CUDA library that is older than the one in the installed wheels.",
    causes: &[Cause::GpuLibraryMismatch],
    since: "0.1.0",
    doc: include_str!("gpu_library_shadowed.md"),
    judge: Judge::Environment(judge),
};

const VARIABLE: &str = "LD_LIBRARY_PATH";

fn judge(survey: &Survey) -> Look {
    let (Some(_), Some(_)) = (cuda_build(survey), survey.variable(VARIABLE)) else {
        return Look::nothing();
    };
    let Some(severity) = stake(survey) else {
        return Look::nothing();
    };
    let of = |origin| {
        survey
            .gpu
            .libraries
            .iter()
            .filter(move |it| it.origin == origin)
    };
    let wheels: Vec<&GpuLibrary> = of(LibraryOrigin::Wheel).collect();
    let mut seen: Vec<&str> = Vec::new();
    let mut look = Look::at(format!("{} libraries of NVIDIA's wheels", wheels.len()));
    for outer in of(LibraryOrigin::LibraryPath) {
        // The loader takes the first of a name.
        let Some(soname) = outer.soname.as_deref().filter(|it| !seen.contains(it)) else {
            continue;
        };
        seen.push(soname);
        let wheel = wheels
            .iter()
            .find(|it| it.soname.as_deref() == Some(soname));
        if let Some(wheel) = wheel.filter(|wheel| is_older(outer, wheel)) {
            look = look.found(hazard(severity, outer, wheel));
        }
    }
    look
}

/// By its first two numbers; newer ones of the same soname serve older programs.
fn is_older(outer: &GpuLibrary, wheel: &GpuLibrary) -> bool {
    let line_of = |it: &GpuLibrary| it.version.as_deref().and_then(line);
    line_of(outer)
        .zip(line_of(wheel))
        .is_some_and(|(outer, wheel)| outer < wheel)
}

fn hazard(severity: Severity, outer: &GpuLibrary, wheel: &GpuLibrary) -> Hazard {
    let version = |it: &GpuLibrary| it.version.clone().unwrap_or_default();
    let headline = format!(
        "{VARIABLE} brings {} {} ({}) before the installed {}",
        outer.name,
        version(outer),
        outer.path,
        version(wheel)
    );
    let module = |it: &GpuLibrary| FactRef::Module {
        path: it.path.clone(),
    };
    let mut hazard = Hazard::new(severity, Cause::GpuLibraryMismatch, headline)
        .because(
            FactRef::Variable { name: VARIABLE.to_owned() },
            format!("{VARIABLE} names the folder of {}; the loader looks there before it looks into wheels.", outer.path),
        )
        .because(module(outer), format!("It is of version {}.", version(outer)))
        .because(module(wheel), format!("The wheel has {}.", version(wheel)))
        .unless("no GPU is used, or the program is started without that variable")
        .file(outer.path.clone())
        .file(wheel.path.clone());
    if let Some(package) = &wheel.package {
        hazard = hazard.package(package.clone());
    }
    hazard.remedy(
        Remedy::new("Start the program without that folder on the loader's path.")
            .command(Again::new().unset("LD_LIBRARY_PATH")),
    )
}
