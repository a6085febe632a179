//! What the loader did not find.

use super::{matching, rebuild};
use crate::capture::Signal;
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::Facts;
use crate::rule::Suspicion;

/// Parts of the names of C++ functions and classes that TensorFlow gives to others.
const OF_TENSORFLOW: [&str; 5] = ["10tensorflow", "4absl", "3tsl", "TF_", "6google8protobuf"];

/// The loader refused the module, or a function of it when it was first called.
pub(crate) fn suspect(facts: &Facts<'_>) -> Option<Suspicion> {
    let on_macos = facts.sign("symbol-not-found-macos");
    // Where Apple's loader speaks for itself, and not in an exception, it has ended the process.
    let ended = facts
        .sign("symbol-lookup-error")
        .or_else(|| on_macos.filter(|sight| sight.group("ended").is_some()));
    let sight = ended
        .or_else(|| facts.sign("undefined-symbol"))
        .or(on_macos)?;
    let library = sight.group("library").unwrap_or("A native module");
    let symbol = sight.group("symbol")?;
    // Parts of cuDNN and of MKL that do not fit each other are cases of other rules.
    let is_of_others = ["cudnn", "cublas", "nvJitLink"]
        .iter()
        .any(|part| symbol.contains(part))
        || ["cudnn", "libmkl", "libcublas", "libcusparse", "libcusolver"]
            .iter()
            .any(|part| library.contains(part));
    let is_known = OF_TENSORFLOW.iter().any(|part| symbol.contains(part))
        || symbol.trim_start_matches('_').starts_with("Py");
    // An exception that the program may have caught, if it died of a signal later. Where the loader of Linux ends a
    // process, no signal does: then it was a child's. Apple's aborts.
    let by_signal = sight.group("ended").is_some() && facts.died_of(Signal::ABRT);
    let weight = match (ended, facts.signal()) {
        (None, Some(_)) => return None,
        (Some(_), Some(_)) if !by_signal => Weight::Weak,
        _ if facts.outlived(sight, &[]) => Weight::Weak,
        (Some(_), _) => Weight::Decisive,
        (None, None) if is_known => Weight::Decisive,
        (None, None) => Weight::Strong,
    };
    let name = library.rsplit('/').next().unwrap_or(library);
    let headline = format!(
        "{name} was built for another version of what it is used with: it needs a function that is not there"
    );
    if is_of_others {
        return None;
    }
    let suspicion = Suspicion::new(Cause::AbiMismatch, headline).supported(
        weight,
        sight.fact.clone(),
        format!("The loader did not find {}.", super::super::short(symbol)),
    );
    let is_of_tensorflow = OF_TENSORFLOW.iter().any(|part| symbol.contains(part));
    let package = library.rsplit_once("-packages/");
    let package = package.and_then(|(_, inside)| inside.split('/').next());
    Some(match package.filter(|it| !it.contains(".so")) {
        Some(package) => suspicion.remedy(matching(package)),
        None if is_of_tensorflow => rebuild(suspicion),
        None => suspicion.remedy(matching(name)),
    })
}
