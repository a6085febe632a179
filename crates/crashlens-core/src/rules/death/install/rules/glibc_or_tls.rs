//! The C library or its loader could not give what was asked for.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, NativeSight};
use crate::rule::Suspicion;
use crate::rules::death::install::loader_words::{self, newer_system, unset_path};
use crate::rules::death::install::{is_allocator, short};

pub(super) static RULE: Rule = Rule {
    id: "INS008",
    name: "glibc-or-tls",
    summary: "The C library is too old, two C libraries are mixed, or no room is left for thread-local storage.",
    causes: &[Cause::GlibcOrTls],
    since: "0.1.0",
    doc: include_str!("glibc_or_tls.md"),
    judge: Judge::Death(judge),
};

/// The loader's own functions for the memory of threads, and what it means to die there.
const OF_LOADER: [(&str, &str); 4] = [
    (
        "init_one_static_tls",
        "The loader and the thread library are of two different glibcs",
    ),
    (
        "_dl_deallocate_tls",
        "glibc failed to give back the memory of a thread that had ended, as old ones do",
    ),
    (
        "_dl_update_slotinfo",
        "The loader lost count of the libraries with memory per thread",
    ),
    (
        "_dl_allocate_tls_init",
        "The loader could not set up the memory of a new thread",
    ),
];

/// No package of TensorFlow 2 is made for an older one.
const OLDEST: [u32; 2] = [2, 17];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    loader_words::suspect(facts)
        .or_else(|| by_frames(facts))
        .or_else(|| too_old(facts))
}

fn by_frames(facts: &Facts<'_>) -> Option<Suspicion> {
    let near: Vec<NativeSight<'_>> = facts.native_frames().take(10).collect();
    let (sight, what) = OF_LOADER.iter().find_map(|(function, what)| {
        let sight = near.iter().find(|it| it.function().starts_with(function))?;
        Some((sight, *what))
    })?;
    // A heap that somebody else damaged may be noticed here, and a recent glibc has no such defect of its own.
    let is_old = facts.is_text() || glibc(facts).is_some_and(|version| version < [2, 26]);
    let weight = if is_old { Weight::Strong } else { Weight::Weak };
    let claim = format!("It died in {}.", short(sight.function()));
    let mut suspicion =
        Suspicion::new(Cause::GlibcOrTls, what).supported(weight, sight.fact.clone(), claim);
    if let Some((fact, value)) = facts.preloaded().filter(|(_, value)| is_allocator(value)) {
        let claim = format!("An allocator was preloaded ({value}), which uses such memory itself.");
        suspicion = suspicion.opposed(Weight::Strong, fact, claim);
    }
    Some(suspicion.remedy(unset_path()).remedy(newer_system()))
}

/// Only in text: a process that can be looked at tells more than its system's age.
fn too_old(facts: &Facts<'_>) -> Option<Suspicion> {
    let sight = facts
        .sign("glibc-package")
        .filter(|_| facts.is_text() && facts.signal().is_some())?;
    let version = sight.group("version")?;
    let is_explained =
        facts.last_words().is_some() || facts.native_frames().any(|it| it.is_foreign());
    if numbers(version)? >= OLDEST || is_explained {
        return None;
    }
    let headline = format!(
        "The system's glibc {version} is older than any that TensorFlow's packages are made for"
    );
    let claim =
        format!("The debugger names glibc {version}; packages of TensorFlow 2 need 2.17 or later.");
    Some(
        Suspicion::new(Cause::GlibcOrTls, headline)
            .supported(Weight::Strong, sight.fact.clone(), claim)
            .remedy(newer_system()),
    )
}

fn glibc(facts: &Facts<'_>) -> Option<[u32; 2]> {
    numbers(facts.capture().host.glibc.known()?)
}

fn numbers(version: &str) -> Option<[u32; 2]> {
    let mut parts = version.split('.').map(str::parse);
    Some([parts.next()?.ok()?, parts.next()?.ok()?])
}
