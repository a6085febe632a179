//! Devices that do not answer any more, and disks that cannot be read.

use super::kernel_lines::is_long_past;
use crate::capture::{Place, Signal};
use crate::cause::Cause;
use crate::evidence::Weight;
use crate::facts::{Facts, excerpt};
use crate::rule::{Remedy, Suspicion};

/// A GPU that does not answer any more, or a bus that lost data on the way.
pub(super) fn lost(facts: &Facts<'_>) -> Option<Suspicion> {
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
    let weight = if is_long_past(facts, sight.text) {
        Weight::Weak
    } else {
        Weight::Strong
    };
    Some(
        Suspicion::new(Cause::Hardware, headline)
            .supported(weight, sight.fact.clone(), claim)
            .remedy(
                Remedy::new("Read what the driver and the bus recorded before: power, heat and the slot are the usual reasons.")
                    .command("sudo dmesg | grep -iE 'xid|nvrm|aer|pcie'"),
            )
            .remedy(Remedy::new("Switch the machine off and on again, and see whether nvidia-smi lists the GPU; then check its seat and its power cables.")),
    )
}

/// A mapped file that is long enough, on a disk that reports errors.
pub(super) fn broken_disk(facts: &Facts<'_>) -> Option<Suspicion> {
    let sight = facts.sign("disk-reported-broken")?;
    let is_whole = matches!(facts.place(), Some(Place::Mapped { .. }));
    if !facts.died_of(Signal::BUS) || !(is_whole || facts.is_text()) {
        return None;
    }
    let claim = format!("The system could not read: \"{}\".", excerpt(sight.text));
    let headline = "A disk could not be read";
    Some(
        Suspicion::new(Cause::Hardware, headline)
            .supported(Weight::Strong, sight.fact.clone(), claim)
            .remedy(
                Remedy::new("Look at the disk's own records.").command("sudo smartctl -a /dev/sda"),
            )
            .remedy(Remedy::new(
                "Copy the data to another disk, and run from there.",
            )),
    )
}
