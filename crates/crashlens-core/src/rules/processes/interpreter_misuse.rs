//! The interpreter was given something that it cannot run, or was called in a way it does not allow.

use super::{bytecode, leaving};
use crate::capture::Phase;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, Sighting, excerpt};
use crate::rule::{Remedy, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "PRO004",
    name: "interpreter-misuse",
    causes: &[Cause::InterpreterMisuse],
    since: "0.1.0",
    doc: include_str!("interpreter_misuse.md"),
    judge,
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if facts.capture().testimony.foreign_call.known().is_some() {
        return None;
    }
    let suspicion = said(facts)
        .or_else(|| without_lock(facts))
        .or_else(|| bytecode::suspicion(facts))?;
    if !facts.is_finalizing() && facts.sign("said-finalizing").is_none() {
        let is_late = facts.sign("no-thread-state").is_some();
        return Some(match leaving::said(facts).filter(|_| is_late) {
            Some((_, fact, claim)) => suspicion.opposed(Weight::Strong, fact, claim),
            None => suspicion,
        });
    }
    let claim = "The interpreter was leaving, when such calls come too late.";
    let fact = facts
        .sign("said-finalizing")
        .map_or(FactRef::Python, |sight| sight.fact.clone());
    Some(suspicion.opposed(Weight::Strong, fact, claim))
}

/// The interpreter's own words before it gave up.
fn said(facts: &Facts<'_>) -> Option<Suspicion> {
    if !facts.may_have_said_it() {
        return None;
    }
    let new = |headline: &str| Suspicion::new(Cause::InterpreterMisuse, headline.to_owned());
    if let Some(sight) = facts.sign("gil-not-held") {
        let claim = format!("The interpreter said so: \"{}\".", excerpt(sight.text));
        let suspicion = new("Native code called Python without holding its lock (the GIL)");
        let suspicion = suspicion.supported(Weight::Decisive, sight.fact.clone(), claim);
        return Some(name_extension(facts, suspicion));
    }
    if let Some(sight) = facts.sign("no-thread-state") {
        return Some(without_thread_state(facts, sight));
    }
    if let Some(sight) = facts.sign("references-miscounted") {
        let claim = format!("The interpreter said so: \"{}\".", excerpt(sight.text));
        let suspicion =
            new("Native code miscounted references, and Python freed what was still in use");
        let suspicion = suspicion.supported(Weight::Strong, sight.fact.clone(), claim);
        return Some(name_extension(facts, suspicion));
    }
    if let Some(sight) = facts.sign("interpreter-did-not-start") {
        let claim = format!("The interpreter said so: \"{}\".", excerpt(sight.text));
        let suspicion = new("Python could not start: it looked for its own files in a wrong place");
        let suspicion = suspicion.supported(Weight::Strong, sight.fact.clone(), claim);
        return Some(
            suspicion.remedy(
                Remedy::new("Start it without variables that lead it elsewhere.")
                    .command("env -u PYTHONHOME -u PYTHONPATH python your_script.py"),
            ),
        );
    }
    None
}

/// Python was called where no thread state was: its lock was not held, or it is a second copy that never started.
fn without_thread_state(facts: &Facts<'_>, sight: &Sighting<'_>) -> Suspicion {
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

fn is_importing(facts: &Facts<'_>) -> bool {
    let typed = |line: &str| line.starts_with(">>> import ") || line.starts_with(">>> from ");
    matches!(facts.phase(), Some(Phase::Importing { .. }))
        || facts.lines().any(|(_, line)| typed(line))
}

/// A native library called Python on a thread that did not hold the lock.
fn without_lock(facts: &Facts<'_>) -> Option<Suspicion> {
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

fn name_extension(facts: &Facts<'_>, suspicion: Suspicion) -> Suspicion {
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
            .command("PYTHONMALLOC=debug python -X dev your_script.py"),
    )
}
