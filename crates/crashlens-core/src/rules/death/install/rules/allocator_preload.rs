//! An allocator that `LD_PRELOAD` put in does not go with the program.

use crate::book::{Judge, Rule};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::remedy::Again;
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::install::is_allocator;

pub(super) static RULE: Rule = Rule {
    id: "INS009",
    name: "allocator-preload",
    summary: "A memory allocator set in `LD_PRELOAD` (tcmalloc, jemalloc, mimalloc) conflicted with the program.",
    causes: &[Cause::AllocatorPreload],
    since: "0.1.0",
    doc: include_str!("allocator_preload.md"),
    judge: Judge::Death(judge),
};

/// Functions of the loader that an allocator with memory per thread may enter while they are at work.
const OF_LOADER: [&str; 4] = [
    "_dl_update_slotinfo",
    "update_get_addr",
    "__tls_get_addr",
    "_dl_allocate_tls",
];

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let preloaded = facts.preloaded().filter(|(_, value)| is_allocator(value));
    let said = facts.sign("tcmalloc-invalid-pointer");
    let loader = facts.native_frames().take(4).find(|sight| {
        OF_LOADER
            .iter()
            .any(|name| sight.function().starts_with(name))
    });
    if said.is_none() && (preloaded.is_none() || loader.is_none()) {
        return None;
    }
    let name = preloaded
        .as_ref()
        .map_or("tcmalloc", |(_, value)| file_name(value));
    let mut suspicion = Suspicion::new(
        Cause::AllocatorPreload,
        format!(
            "{name}, put in by LD_PRELOAD, was given memory that another allocator had handed out"
        ),
    );
    if let Some(sight) = said {
        suspicion = suspicion.supported(
            Weight::Strong,
            sight.fact.clone(),
            format!("It said: {}", sight.said()),
        );
    } else if let Some(sight) = loader {
        let headline = format!("{name}, put in by LD_PRELOAD, was at work inside the loader");
        suspicion = Suspicion::new(Cause::AllocatorPreload, headline);
        let claim = format!("It died in {} of the loader.", sight.function());
        suspicion = suspicion.supported(Weight::Strong, sight.fact, claim);
    }
    suspicion = match preloaded {
        Some((fact, value)) => {
            suspicion.supported(Weight::Strong, fact, format!("LD_PRELOAD is {value}."))
        }
        None if is_not_set(facts) => suspicion.opposed(
            Weight::Strong,
            FactRef::Ending,
            "LD_PRELOAD is not set: the allocator came in another way.",
        ),
        None => suspicion,
    };
    if facts.capture().testimony.foreign_call.known().is_some() {
        let claim = "The call came from Python through ctypes or cffi: what it freed was the program's own choice.";
        suspicion = suspicion.opposed(Weight::Decisive, FactRef::ForeignCall, claim);
    }
    Some(
        suspicion
            .remedy(
                Remedy::new("Run it without the preloaded allocator; look for the line in ~/.bashrc, ~/.profile or the container's settings.")
                    .command(Again::new().unset("LD_PRELOAD")),
            )
            .remedy(Remedy::new(
                "If it then still dies, a library frees what it did not allocate: look again, with glibc's own checks.",
            ).command(Again::new().unset("LD_PRELOAD").set("MALLOC_CHECK_", "3"))),
    )
}

fn file_name(libraries: &str) -> &str {
    let of_allocator = libraries.split([':', ' ']).find(|path| is_allocator(path));
    let path = of_allocator.unwrap_or(libraries);
    path.rsplit('/').next().unwrap_or(path)
}

fn is_not_set(facts: &Facts<'_>) -> bool {
    let variables = facts.capture().environment.variables.known();
    variables.is_some_and(|variables| !variables.contains_key("LD_PRELOAD"))
}
