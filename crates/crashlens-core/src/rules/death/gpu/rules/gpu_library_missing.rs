//! A GPU library, or a part of cuDNN, could not be loaded.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, Sighting};
use crate::remedy::ShellLine;
use crate::rule::{Remedy, Risk, Suspicion};
use crate::rules::death::gpu::missing_library::loader;
use crate::rules::death::gpu::missing_library::words;
use crate::rules::death::gpu::missing_library::{install, suspicion};
use crate::rules::death::gpu::weight_of;

pub(super) static RULE: Rule = Rule {
    id: "GPU003",
    name: "gpu-library-missing",
    summary: "A CUDA or cuDNN library that the program needed could not be found or loaded.",
    causes: &[Cause::GpuLibraryMissing],
    since: "0.1.0",
    doc: include_str!("gpu_library_missing.md"),
    judge: Judge::Death(judge),
};

/// What makes a suspicion of a line that carries so far.
type OfLine = fn(&Sighting<'_>, Weight) -> Suspicion;

const WORDS: [(&str, OfLine); 7] = [
    ("cudnn-part-not-loaded", part_not_loaded),
    ("cudnn-part-none-of", words::none_of),
    ("cudnn-function-not-found", words::function_not_found),
    ("gpu-symbol-not-loaded", words::symbol_not_loaded),
    ("tensorrt-stub", words::tensorrt),
    ("zlibwapi-missing", words::zlibwapi),
    ("libdevice-missing", words::libdevice),
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    WORDS
        .iter()
        .find_map(|(sign, suspect)| {
            let sight = facts.sign(sign)?;
            Some(suspect(sight, weight_of(facts, sight, Weight::Decisive)))
        })
        .or_else(|| loader::suspect(facts))
}

/// cuDNN 8 aborts when one of its parts cannot be loaded.
fn part_not_loaded(sight: &Sighting<'_>, weight: Weight) -> Suspicion {
    let part = sight.group("part").unwrap_or("a part of cuDNN");
    let why = sight.group("why").unwrap_or_default();
    let found = suspicion(sight, weight, headline(part, why));
    if why.contains("libcuda.so") {
        return found
            .remedy(
                Remedy::new("Make the driver's library visible: in WSL, put its folder on the loader's path.")
                    .command("export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH"),
            )
            .remedy(Remedy::new("In a container, start it with the GPU.").command(ShellLine::anywhere("docker run --gpus all IMAGE")));
    }
    if why.contains("symbol") {
        return found
            .remedy(
                Remedy::new("Find the second cuDNN: all its parts must come from one folder.")
                    .command(ShellLine::unix(
                        "find / -name 'libcudnn*.so*' 2>/dev/null; echo $LD_LIBRARY_PATH",
                    )),
            )
            .remedy(
                Remedy::new(
                    "Keep one of them: take the other folder off LD_LIBRARY_PATH, or uninstall it.",
                )
                .risk(Risk::Environment),
            );
    }
    found.remedy(install())
}

fn headline(part: &str, why: &str) -> String {
    if why.contains("libcuda.so") {
        format!("{part} could not be loaded, because the driver's libcuda.so is not to be found")
    } else if why.contains("symbol") {
        format!("{part} comes from another cuDNN than the parts that were loaded already")
    } else {
        format!("{part}, a part of cuDNN, is missing")
    }
}
