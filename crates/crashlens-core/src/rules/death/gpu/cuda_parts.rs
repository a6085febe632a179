//! Parts of CUDA that the loader could not put together.

use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::Facts;
use crate::remedy::ShellLine;
use crate::rule::{Remedy, Suspicion};

/// One part asks another for a function that its version does not have.
pub(super) fn suspect(facts: &Facts<'_>) -> Option<Suspicion> {
    let sight = facts.sign("cuda-parts-of-two-versions")?;
    let (library, part) = (sight.group("library")?, sight.group("part")?);
    // An exception that the program may have caught, if it died of a signal later.
    let weight = match (facts.sign("symbol-lookup-error"), facts.signal()) {
        (Some(_), _) => Weight::Decisive,
        (None, None) => Weight::Strong,
        (None, Some(_)) => Weight::Weak,
    };
    let headline = format!("{library} and {part} are of two different versions of CUDA or cuDNN");
    Some(
        Suspicion::new(Cause::GpuLibraryMismatch, headline)
            .supported(weight, sight.fact.clone(), format!("The loader said: {}", sight.said()))
            .remedy(
                Remedy::new("Do not let the loader find another CUDA than that of the package.")
                    .command(ShellLine::unix("unset LD_LIBRARY_PATH")),
            )
            .remedy(
                Remedy::new("See which copies there are; all parts must come from one folder or one set of packages.")
                    .command("pip list | grep -i nvidia; find / -name 'libcudnn*.so*' 2>/dev/null"),
            ),
    )
}
