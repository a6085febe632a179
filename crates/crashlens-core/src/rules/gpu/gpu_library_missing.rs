//! A GPU library, or a part of cuDNN, could not be loaded.

use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, Sighting};
use crate::rule::{Remedy, Risk, Rule, Suspicion};

mod loader;
mod words;

pub(crate) static RULE: Rule = Rule {
    id: "GPU003",
    name: "gpu-library-missing",
    causes: &[Cause::GpuLibraryMissing],
    since: "0.1.0",
    doc: include_str!("gpu_library_missing.md"),
    judge,
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let part = facts.sign("cudnn-part-not-loaded").map(part_not_loaded);
    let part = part.or_else(|| facts.sign("cudnn-part-none-of").map(words::none_of));
    let part = part.or_else(|| {
        facts
            .sign("cudnn-function-not-found")
            .map(words::function_not_found)
    });
    let part = part.or_else(|| {
        facts
            .sign("gpu-symbol-not-loaded")
            .map(words::symbol_not_loaded)
    });
    let part = part.or_else(|| facts.sign("tensorrt-stub").map(words::tensorrt));
    let part = part.or_else(|| facts.sign("zlibwapi-missing").map(words::zlibwapi));
    let part = part.or_else(|| facts.sign("libdevice-missing").map(words::libdevice));
    part.or_else(|| loader::suspect(facts))
}

fn suspicion(sight: &Sighting<'_>, weight: Weight, headline: String) -> Suspicion {
    Suspicion::new(Cause::GpuLibraryMissing, headline).supported(
        weight,
        sight.fact.clone(),
        format!("It said: {}", sight.said()),
    )
}

/// cuDNN 8 aborts when one of its parts cannot be loaded.
fn part_not_loaded(sight: &Sighting<'_>) -> Suspicion {
    let part = sight.group("part").unwrap_or("a part of cuDNN");
    let why = sight.group("why").unwrap_or_default();
    let found = suspicion(sight, Weight::Decisive, headline(part, why));
    if why.contains("libcuda.so") {
        return found
            .remedy(
                Remedy::new("Make the driver's library visible: in WSL, put its folder on the loader's path.")
                    .command("export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH"),
            )
            .remedy(Remedy::new("In a container, start it with the GPU.").command("docker run --gpus all IMAGE"));
    }
    if why.contains("symbol") {
        return found
            .remedy(
                Remedy::new("Find the second cuDNN: all its parts must come from one folder.")
                    .command("find / -name 'libcudnn*.so*' 2>/dev/null; echo $LD_LIBRARY_PATH"),
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

fn install() -> Remedy {
    Remedy::new("Install TensorFlow together with the GPU libraries it was built for.")
        .command("pip install 'tensorflow[and-cuda]'")
        .risk(Risk::Environment)
}
