//! Libraries that want more of the block for thread-local variables than the C library keeps free.

use std::collections::BTreeMap;

use crate::book::{Judge, Look, Rule};
use crate::cause::Cause;
use crate::evidence::FactRef;
use crate::hazard::{Hazard, Severity};
use crate::remedy::Again;
use crate::rule::Remedy;
use crate::survey::loading::{count, involving};
use crate::survey::{NativeFile, Survey};

pub(super) static RULE: Rule = Rule {
    id: "LNK008",
    name: "static-tls",
    summary: "Native modules can need more static thread-local storage than the C library has left.",
    causes: &[Cause::GlibcOrTls],
    since: "0.1.0",
    doc: include_str!("static_tls.md"),
    judge: Judge::Environment(judge),
};

/// Bytes that glibc keeps free for libraries that are loaded after the start.
const SURPLUS: u64 = 1664;

fn judge(survey: &Survey) -> Look {
    // Another C library has other rules, and a tunable another surplus.
    let is_tuned = survey
        .variable("GLIBC_TUNABLES")
        .is_some_and(|value| value.contains("static_tls") || value.contains("rtld.nns"));
    let wanting = wanting(survey);
    if survey.machine.glibc.known().is_none() || is_tuned || wanting.is_empty() {
        return Look::nothing();
    }
    let look = Look::at(count(wanting.len(), "library", "libraries"));
    match hazard(&wanting) {
        Some(hazard) => look.found(hazard),
        None => look,
    }
}

/// Files that something loads after the start, by the name under which a process has them once; the greediest first.
fn wanting(survey: &Survey) -> Vec<&NativeFile> {
    let preloaded = survey.variable("LD_PRELOAD").unwrap_or_default();
    let mut by_name: BTreeMap<&str, &NativeFile> = BTreeMap::new();
    for file in survey
        .native
        .iter()
        .filter(|file| file.static_tls.is_some())
    {
        let name = file.soname.as_deref().unwrap_or(&file.path);
        let is_needed = survey.opened().any(|other| {
            other
                .needed
                .iter()
                .any(|need| need == name || need == file.name())
        });
        if (file.is_opened() || is_needed) && !preloaded.contains(file.name()) {
            by_name.entry(name).or_insert(file);
        }
    }
    let mut files: Vec<_> = by_name.into_values().collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.static_tls));
    files
}

fn hazard(files: &[&NativeFile]) -> Option<Hazard> {
    let first = files.first()?;
    let most = first.static_tls?;
    let sizes = files.iter().filter_map(|file| file.static_tls);
    let total = sizes.fold(0_u64, u64::saturating_add);
    if total <= SURPLUS {
        return None;
    }
    let (severity, headline) = if most > SURPLUS {
        let headline = format!(
            "{} cannot be loaded: it wants {most} bytes of the static block for thread-local variables, and {SURPLUS} are free",
            first.title()
        );
        (Severity::WillFail, headline)
    } else {
        let headline = format!(
            "{} want {total} bytes of the static block for thread-local variables, and {SURPLUS} are free: a program cannot load them all",
            count(files.len(), "library", "libraries")
        );
        (Severity::CanCrash, headline)
    };
    let fact = FactRef::Host {
        field: "glibc".to_owned(),
    };
    let hazard = Hazard::new(severity, Cause::GlibcOrTls, headline)
        .because(first.fact(), format!("{} wants {most} bytes of it; who comes too late gets \"cannot allocate memory in static TLS block\".", first.name()))
        .because(fact, format!("glibc keeps {SURPLUS} bytes free for libraries that are loaded after the start."))
        .unless("The library is loaded at the start of the program (by LD_PRELOAD), or the program never loads so many of them");
    let preload = Again::new().set_foreign("LD_PRELOAD", &first.path);
    let early = Remedy::new(format!(
        "Load {} at the start, before the block is laid out.",
        first.name()
    ))
    .command_if(preload);
    let room = format!("glibc.rtld.optional_static_tls={}", total.saturating_mul(2));
    let tunable = Remedy::new("Or have glibc (2.33 or later) keep more room free.")
        .command_if(Again::new().set_foreign("GLIBC_TUNABLES", &room));
    Some(involving(hazard, files).remedy(early).remedy(tunable))
}
