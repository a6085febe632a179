//! Python called without its lock, or without any state of its own.

use crate::capture::Phase;
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, Sighting, excerpt};
use crate::remedy::Again;
use crate::rule::{Remedy, Suspicion};

/// Python was called where no thread state was: its lock was not held, or it is a second copy that never started.
pub(super) fn without_thread_state(facts: &Facts<'_>, sight: &Sighting<'_>) -> Suspicion {
    let headline = if is_importing(facts) {
        "A module was built for another Python than the one that loads it, or called it without its lock (the GIL)"
    } else {
        "Native code called Python without its lock (the GIL), or was built for another Python"
    };
    let claim = format!("The interpreter said so: \"{}\".", excerpt(sight.text));
    let suspicion = Suspicion::new(Cause::InterpreterMisuse, headline);
    let suspicion = suspicion.supported(Weight::Strong, sight.fact.clone(), claim);
    let suspicion = suspicion.remedy(
        Remedy::new("See whether the module is linked to a second copy of Python; if so, build it with the Python that runs.")
            .command("ldd module.so | grep libpython; python -c 'import sys; print(sys.version, sys.executable)'"),
    );
    name_extension(facts, suspicion)
}

pub(super) fn is_importing(facts: &Facts<'_>) -> bool {
    let typed = |line: &str| line.starts_with(">>> import ") || line.starts_with(">>> from ");
    matches!(facts.phase(), Some(Phase::Importing { .. }))
        || facts.lines().any(|(_, line)| typed(line))
}

/// A native library called Python on a thread that did not hold the lock.
pub(super) fn without_lock(facts: &Facts<'_>) -> Option<Suspicion> {
    let thread = facts
        .crashed()
        .filter(|thread| thread.holds_gil == Some(false))?;
    // A C++ exception on its way to Python leaves the same trace.
    let is_exception = facts.capture().testimony.exception.known().is_some()
        || facts
            .frame_calling(&["translate_exception", "__cxa_", "_Unwind_"])
            .is_some();
    let top = facts
        .top()
        .filter(|sight| crate::culprit::is_interpreter(sight.frame))?;
    let caller = facts
        .native_frames()
        .find(|sight| !crate::culprit::is_interpreter(sight.frame))?;
    if is_exception || !top.function().contains("Py") || caller.library().starts_with("libc.so") {
        return None;
    }
    let headline = format!(
        "{} called Python without holding its lock (the GIL)",
        caller.library()
    );
    let claim = format!(
        "{} was called from {} on thread {}, which did not hold the lock.",
        top.function(),
        caller.library(),
        thread.id
    );
    let suspicion = Suspicion::new(Cause::InterpreterMisuse, headline);
    Some(name_extension(
        facts,
        suspicion.supported(Weight::Strong, top.fact, claim),
    ))
}

pub(super) fn name_extension(facts: &Facts<'_>, suspicion: Suspicion) -> Suspicion {
    let package = facts.culprit().package.as_ref();
    let suspicion = match package {
        Some(package) => suspicion.remedy(Remedy::new(format!(
            "Report it to {} with this report, and try another version than {}.",
            package.name, package.version
        ))),
        None => suspicion,
    };
    suspicion.remedy(
        Remedy::new("Let Python check its callers: it stops at the first wrong one.")
            .command(Again::new().set("PYTHONMALLOC", "debug").flags("-X dev")),
    )
}
