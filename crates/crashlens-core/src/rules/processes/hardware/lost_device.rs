//! Devices that do not answer any more.

use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, excerpt};
use crate::rule::{Remedy, Suspicion};

/// A GPU that does not answer any more, or a bus that lost data on the way.
pub(super) fn suspect(facts: &Facts<'_>) -> Option<Suspicion> {
    let gpu = facts
        .sign("gpu-lost")
        .map(|sight| (sight, "The GPU does not answer any more"));
    let bus = || {
        Some((
            facts.sign("bus-reported-broken")?,
            "A device on the PCI bus failed",
        ))
    };
    let (sight, headline) = gpu.or_else(bus)?;
    let claim = format!("The system said: \"{}\".", excerpt(sight.text));
    Some(
        Suspicion::new(Cause::Hardware, headline)
            .supported(Weight::Strong, sight.fact.clone(), claim)
            .remedy(
                Remedy::new("Read what the driver and the bus recorded before: power, heat and the slot are the usual reasons.")
                    .command("sudo dmesg | grep -iE 'xid|nvrm|aer|pcie'"),
            )
            .remedy(Remedy::new("Switch the machine off and on again, and see whether nvidia-smi lists the GPU; then check its seat and its power cables.")),
    )
}
