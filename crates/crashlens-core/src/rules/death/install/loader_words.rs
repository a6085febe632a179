//! What glibc and its loader say.

use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, Sighting};
use crate::remedy::{Again, ShellLine};
use crate::rule::{Remedy, Risk, Suspicion};

pub(super) fn suspect(facts: &Facts<'_>) -> Option<Suspicion> {
    // These are exceptions in Python: before a death by a signal, the program had caught them.
    let exception = |sign| {
        let sight = facts.sign(sign).filter(|_| facts.signal().is_none());
        sight.filter(|sight| !facts.outlived(sight, &[]))
    };
    exception("static-tls-full")
        .map(static_tls)
        .or_else(|| exception("version-not-found").and_then(too_old_for))
        .or_else(|| exception("loader-refused").map(refused))
        .or_else(|| facts.sign("libgcc-missing").map(libgcc))
        .or_else(|| facts.sign("kernel-too-old").map(kernel))
        .or_else(|| facts.sign("loader-inconsistent").map(inconsistent))
}

fn said(sight: &Sighting<'_>, weight: Weight, headline: impl Into<String>) -> Suspicion {
    let claim = format!("The loader said: {}", sight.said());
    Suspicion::new(Cause::GlibcOrTls, headline).supported(weight, sight.fact.clone(), claim)
}

fn static_tls(sight: &Sighting<'_>) -> Suspicion {
    let library = sight.group("library").unwrap_or("A library");
    let headline = format!(
        "{library} was loaded too late: there was no room left for its thread-local variables"
    );
    let preload = sight
        .group("library")
        .filter(|name| name.contains(".so"))
        .and_then(|name| Again::new().set_foreign("LD_PRELOAD", name));
    said(sight, Weight::Decisive, headline)
        .remedy(
            Remedy::new(
                "Load that library first: room is kept for what is there from the beginning.",
            )
            .command_if(preload),
        )
        .remedy(Remedy::new(
            "Or import the package that needs it before all others.",
        ))
}

fn libgcc(sight: &Sighting<'_>) -> Suspicion {
    let headline = "glibc could not load libgcc_s.so.1, without which no thread can be ended";
    said(sight, Weight::Strong, headline).remedy(
        Remedy::new(
            "Load it at the start; if that is refused, the refusal tells why (not installed, of another machine, no more open files).",
        )
        .command(Again::new().set("LD_PRELOAD", "libgcc_s.so.1")),
    )
}

fn too_old_for(sight: &Sighting<'_>) -> Option<Suspicion> {
    let (version, library) = (sight.group("version")?, sight.group("library")?);
    let headline = format!(
        "{library} needs {version}, which the C or C++ library of this system is too old for"
    );
    Some(said(sight, Weight::Strong, headline).remedy(newer_system()))
}

fn kernel(sight: &Sighting<'_>) -> Suspicion {
    let headline = "The kernel is older than what this glibc can run on";
    said(sight, Weight::Decisive, headline).remedy(newer_system())
}

fn inconsistent(sight: &Sighting<'_>) -> Suspicion {
    let headline =
        "The loader found itself in a state that cannot be, as where two glibcs are mixed";
    said(sight, Weight::Strong, headline).remedy(unset_path())
}

fn refused(sight: &Sighting<'_>) -> Suspicion {
    let headline = if sight.text.contains("Error relocating") || sight.text.contains("ld-linux") {
        "A package made for glibc was loaded on a system with another C library (musl, as in Alpine)"
    } else {
        "The system's loader refuses to load the library as it was built"
    };
    said(sight, Weight::Strong, headline).remedy(newer_system())
}

pub(super) fn unset_path() -> Remedy {
    Remedy::new("Take folders with a glibc of their own off the loader's path.")
        .command(ShellLine::unix("unset LD_LIBRARY_PATH"))
}

pub(super) fn newer_system() -> Remedy {
    Remedy::new("Use a newer system, or a container of one on the same machine.")
        .command("docker run -it --rm -v \"$PWD\":/work -w /work tensorflow/tensorflow python your_script.py")
        .risk(Risk::Environment)
}
