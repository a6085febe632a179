//! Two OpenMP runtimes in one process.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, Sighting};
use crate::remedy::{Again, ShellLine};
use crate::rule::{Remedy, Risk, Suspicion};
use crate::rules::death::install::openmp_waiting;

pub(super) static RULE: Rule = Rule {
    id: "INS005",
    name: "duplicate-openmp",
    summary: "Two OpenMP runtimes conflicted in one process.",
    causes: &[Cause::DuplicateOpenmp],
    since: "0.1.0",
    doc: include_str!("duplicate_openmp.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let suspicion = match facts.sign("openmp-twice") {
        Some(sight) => told(sight),
        None => entered_by_another(facts).or_else(|| openmp_waiting::suspect(facts))?,
    };
    // Where the two copies are; that they are there is no evidence in itself.
    let copies: Vec<&str> = facts
        .modules()
        .filter(|module| {
            ["libomp", "libiomp5"]
                .iter()
                .any(|name| module.name.starts_with(name))
        })
        .map(|module| module.path.as_str())
        .collect();
    let copies = match copies.as_slice() {
        [_, _, ..] => format!(" They are {}.", copies.join(" and ")),
        _ => String::new(),
    };
    Some(
        suspicion
            .remedy(
                Remedy::new(format!(
                    "Keep one of the two: install all packages from one source, so that they share one runtime.{copies}"
                ))
                .command("pip list | grep -iE 'openmp|mkl'; conda list 2>/dev/null | grep -iE 'openmp|mkl'")
                .risk(Risk::Environment),
            )
            .remedy(
                Remedy::new("In conda, use the builds without MKL.")
                    .command(ShellLine::anywhere("conda install nomkl numpy scipy scikit-learn numexpr"))
                    .risk(Risk::Environment),
            )
            .remedy(
                Remedy::new("Only to get a run through, never to keep: let both go on. The runtime's own text warns of crashes and of wrong results.")
                    .command(Again::new().set("KMP_DUPLICATE_LIB_OK", "TRUE"))
                    .risk(Risk::Results),
            ),
    )
}

fn told(sight: &Sighting<'_>) -> Suspicion {
    let (first, second) = (sight.group("first"), sight.group("second"));
    let headline = format!(
        "Two OpenMP runtimes were loaded into one process: {} and then {}",
        first.unwrap_or("one"),
        second.unwrap_or("another")
    );
    Suspicion::new(Cause::DuplicateOpenmp, headline).supported(
        Weight::Decisive,
        sight.fact.clone(),
        format!("It said: {}", sight.said()),
    )
}

/// Code that was built for GCC's runtime, and got that of Intel or LLVM.
fn entered_by_another(facts: &Facts<'_>) -> Option<Suspicion> {
    let top = facts.acting_frames().into_iter().next()?;
    let is_other = ["libiomp5", "libomp"]
        .iter()
        .any(|name| top.library().starts_with(name));
    if !top.function().starts_with("GOMP_") || !is_other {
        return None;
    }
    let headline = format!(
        "Code built for one OpenMP runtime (GCC's) ran on another, {}",
        top.library()
    );
    let claim = format!(
        "It died in {} of {}, an entry for code of GCC.",
        top.function(),
        top.library()
    );
    let fact: FactRef = top.fact;
    Some(Suspicion::new(Cause::DuplicateOpenmp, headline).supported(Weight::Strong, fact, claim))
}
