//! Two lines of CUDA in one process.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Risk, Suspicion};
use crate::rules::death::gpu::cuda_parts;

pub(super) static RULE: Rule = Rule {
    id: "GPU002",
    name: "two-cuda-stacks",
    summary: "Two frameworks loaded CUDA libraries of different major versions into one process.",
    causes: &[Cause::GpuLibraryMismatch],
    since: "0.1.0",
    doc: include_str!("two_cuda_stacks.md"),
    judge: Judge::Death(judge),
};

/// Libraries whose first number is that of their line of CUDA or cuDNN.
const LIBRARIES: [&str; 3] = ["libcudart", "libcudnn", "libcublas"];

/// A CUDA library that was loaded.
struct Loaded<'a> {
    name: &'a str,
    major: &'a str,
    file: String,
    fact: FactRef,
}

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    cuda_parts::suspect(facts).or_else(|| two_lines(facts))
}

fn two_lines(facts: &Facts<'_>) -> Option<Suspicion> {
    let loaded = loaded(facts);
    let (first, second) = loaded.iter().find_map(|first| {
        let mut others = loaded.iter();
        let other = others.find(|it| it.name == first.name && it.major != first.major)?;
        Some((first, other))
    })?;
    let frames = facts.acting_frames();
    let dies_there = frames.iter().take(3).find(|sight| {
        ["libcu", "libnv"]
            .iter()
            .any(|word| sight.library().starts_with(word))
    });
    let weight = if frames.is_empty() && facts.is_text() {
        Weight::Strong
    } else {
        Weight::Weak
    };
    let mut suspicion = Suspicion::new(
        Cause::GpuLibraryMismatch,
        format!(
            "Two lines of CUDA are in one process: {} of version {} and of version {}",
            first.name, first.major, second.major
        ),
    );
    for it in [first, second] {
        let claim = format!("{} was loaded.", it.file);
        suspicion = suspicion.supported(weight, it.fact.clone(), claim);
    }
    if let Some(sight) = dies_there {
        let claim = format!("It died in {}.", sight.library());
        suspicion = suspicion.supported(Weight::Strong, sight.fact.clone(), claim);
    }
    Some(
        suspicion
            .remedy(Remedy::new(
                "Test it: import only one of the frameworks in a small script, and see whether it still dies.",
            ))
            .remedy(
                Remedy::new("Install the frameworks for one line of CUDA, or use them in separate processes.")
                    .risk(Risk::Environment),
            ),
    )
}

fn loaded<'f>(facts: &'f Facts<'_>) -> Vec<Loaded<'f>> {
    let told = facts.signs("cuda-library-opened").filter_map(|sight| {
        let (name, major) = (sight.group("name")?, sight.group("major")?);
        Some(Loaded {
            name,
            major,
            file: format!("{name}.so.{major}"),
            fact: sight.fact.clone(),
        })
    });
    let mapped = facts.modules().filter_map(|module| {
        let name = *LIBRARIES.iter().find(|name| {
            let rest = module.name.strip_prefix(**name);
            rest.is_some_and(|rest| rest.starts_with(['.', '-']))
        })?;
        let (_, version) = module.name.split_once(".so.")?;
        Some(Loaded {
            name,
            major: version.split('.').next()?,
            file: module.path.clone(),
            fact: FactRef::Module {
                path: module.path.clone(),
            },
        })
    });
    told.chain(mapped).collect()
}
