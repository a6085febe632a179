//! What is said of a GPU library that could not be loaded, whatever showed it.

pub(super) mod loader;
pub(super) mod words;

use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::Sighting;
use crate::remedy::Pip;
use crate::rule::{Remedy, Risk, Suspicion};

pub(super) fn suspicion(sight: &Sighting<'_>, weight: Weight, headline: String) -> Suspicion {
    Suspicion::new(Cause::GpuLibraryMissing, headline).supported(
        weight,
        sight.fact.clone(),
        format!("It said: {}", sight.said()),
    )
}

pub(super) fn install() -> Remedy {
    Remedy::new("Install TensorFlow together with the GPU libraries it was built for.")
        .command_if(Pip::install(["tensorflow[and-cuda]"]))
        .risk(Risk::Environment)
}
