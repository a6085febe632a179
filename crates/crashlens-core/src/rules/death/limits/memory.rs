//! What the rules about too little memory have in common: how much there was, what grew, and what to do.

use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, bytes};
use crate::remedy::Again;
use crate::rule::{Remedy, Suspicion};

/// Slower growth than this says nothing.
const GROWTH_WORTH_TELLING: i64 = 1 << 20;

/// The limit of the control group, in bytes.
pub(super) fn group_limit(facts: &Facts<'_>) -> Option<u64> {
    facts.capture().host.memory_group.known()?.limit
}

/// A group or a machine that had nearly nothing left, as a claim.
pub(super) fn scarcity(facts: &Facts<'_>) -> Option<(FactRef, String)> {
    let capture = facts.capture();
    let host = &capture.host;
    let group = host.memory_group.known();
    let group = group.and_then(|group| group.usage.or(group.peak).zip(group.limit));
    if let Some((usage, limit)) = group
        && usage >= limit - limit / 20
    {
        let (usage, limit) = (bytes(usage), bytes(limit));
        let claim = format!("Its control group had used {usage} of {limit}.");
        return Some((FactRef::Ending, claim));
    }
    let (total, available) = host
        .memory_total
        .known()
        .zip(host.memory_available.known())?;
    (*available < total / 50).then(|| {
        let (available, total) = (bytes(*available), bytes(*total));
        let claim = format!("The machine had {available} of {total} left.");
        (FactRef::Ending, claim)
    })
}

/// Adds what grew at the end, and the line that ran.
pub(super) fn with_growth(facts: &Facts<'_>, mut suspicion: Suspicion) -> Suspicion {
    let timeline = facts.capture().circumstances.timeline.known();
    if let Some(growth) = timeline.and_then(|timeline| timeline.growth_per_second)
        && growth >= GROWTH_WORTH_TELLING
    {
        let ran = facts
            .own_line()
            .map_or(String::new(), |line| format!(" while {line} ran"));
        let claim = format!(
            "Memory grew by {} each second at the end{ran}.",
            bytes(growth.unsigned_abs())
        );
        suspicion = suspicion.supported(Weight::Weak, FactRef::Timeline, claim);
    }
    suspicion
}

/// Adds what to do about too little memory.
pub(super) fn with_remedies(facts: &Facts<'_>, mut suspicion: Suspicion) -> Suspicion {
    let less = match facts.own_line() {
        Some(line) => format!(
            "Keep less in memory at a time: look at what {line} keeps, and make batch and shuffle buffer smaller."
        ),
        None => "Keep less in memory at a time: a smaller batch, a smaller `shuffle(buffer_size)`, a dataset that is \
                 read as it goes instead of one array."
            .to_owned(),
    };
    suspicion = suspicion.remedy(Remedy::new(less));
    if let Some(limit) = group_limit(facts) {
        let more = limit.saturating_mul(2) >> 20;
        let action = format!(
            "Raise the limit of memory, which is {limit} bytes ({}).",
            bytes(limit)
        );
        suspicion = suspicion.remedy(raise(facts, Remedy::new(action), more));
    } else if facts.is_text() {
        suspicion = suspicion.remedy(
            Remedy::new("Run it under crashlens: it tells the limit, how memory grew, and the line that ran.")
                .command(Again::under_crashlens()),
        );
    }
    suspicion
}

/// With the command that sets the limit where the group's name tells who set it.
fn raise(facts: &Facts<'_>, remedy: Remedy, megabytes: u64) -> Remedy {
    let group = facts.capture().host.memory_group.known();
    let path = group.map_or("", |group| group.path.as_str());
    if path.contains("slurm") {
        remedy.command(format!("sbatch --mem={megabytes}M job.sh"))
    } else if path.contains("kubepods") {
        remedy.command(format!(
            "kubectl set resources deployment NAME --limits=memory={megabytes}Mi"
        ))
    } else if path.contains("docker") || path == "/" {
        remedy.command(format!("docker run --memory {megabytes}m IMAGE"))
    } else if path.contains(".scope") || path.contains(".service") || path.contains(".slice") {
        remedy.command(
            Again::new().after_words(format!("systemd-run --scope -p MemoryMax={megabytes}M")),
        )
    } else {
        remedy
    }
}
