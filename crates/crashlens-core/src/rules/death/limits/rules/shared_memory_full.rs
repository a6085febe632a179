//! Shared memory (`/dev/shm`, or another file system in memory) was full.

use crate::book::{Judge, Rule};
use crate::capture::{Resource, Signal};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, bytes, excerpt};
use crate::remedy::ShellLine;
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::limits::full::{is_shared_memory, no_room};

pub(super) static RULE: Rule = Rule {
    id: "LIM004",
    name: "shared-memory-full",
    summary: "Shared memory ran out: `/dev/shm` or another in-memory file system was full.",
    causes: &[Cause::SharedMemoryFull],
    since: "0.1.0",
    doc: include_str!("shared_memory_full.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if let Some(room) = no_room(facts).filter(|room| room.in_memory) {
        let (path, size) = (room.path, bytes(room.total));
        let claim = format!(
            "The file system of {path}, {size} in memory, had no page left for the access."
        );
        // A tmpfs elsewhere is used for much that is not shared: a cache, `/tmp`.
        let (suspicion, weight) = if is_shared_memory(path) {
            (new(Some(room.total)), Weight::Decisive)
        } else {
            let headline = format!("The file system in memory that holds {path} was full");
            let suspicion = Suspicion::new(Cause::SharedMemoryFull, headline);
            (suspicion, Weight::Strong)
        };
        let suspicion = suspicion.supported(weight, FactRef::Fault, claim);
        return Some(with_remedies(suspicion, Some(room.total)));
    }
    let total = facts
        .limits_of(Resource::SharedMemory)
        .find_map(|it| it.limit);
    let is_bus_error = facts.is_text() || facts.died_of(Signal::BUS);
    let said = facts
        .sign("shared-memory-said-full")
        .filter(|_| is_bus_error);
    if let Some(sight) = said.filter(|sight| {
        facts
            .said_after(sight)
            .is_none_or(|(_, it)| it.text.contains(sight.text))
    }) {
        let claim = format!("It was said: \"{}\".", excerpt(sight.text));
        let suspicion = new(total).supported(Weight::Strong, sight.fact.clone(), claim);
        return Some(with_remedies(suspicion, total));
    }
    let listed = facts.signs("file-system-listed-full");
    let listed = listed.last().filter(|_| facts.died_of(Signal::BUS))?;
    let mount = listed
        .group("mount")
        .filter(|mount| is_shared_memory(mount))?;
    let claim = format!(
        "{mount} is listed as full, and it died of SIGBUS, as a write to full shared memory does."
    );
    let suspicion = new(total).supported(Weight::Strong, listed.fact.clone(), claim);
    Some(with_remedies(suspicion, total))
}

fn new(total: Option<u64>) -> Suspicion {
    let headline = match total {
        Some(total) => format!("Shared memory was full: it has room for {}", bytes(total)),
        None => "Shared memory (/dev/shm) was full".to_owned(),
    };
    Suspicion::new(Cause::SharedMemoryFull, headline)
}

fn with_remedies(suspicion: Suspicion, total: Option<u64>) -> Suspicion {
    let size = total.map_or(String::new(), |total| {
        format!(", which has {total} bytes now")
    });
    suspicion
        .remedy(
            Remedy::new(format!("Give the container more shared memory{size}."))
                .command(ShellLine::anywhere("docker run --shm-size=2g IMAGE")),
        )
        .remedy(Remedy::new(
            "Or use fewer or no worker processes (`num_workers=0`, `workers=1`), and close and unlink shared memory \
             that is not needed any more.",
        ))
        .remedy(Remedy::new("See what fills it.").command("df -h /dev/shm && ls -lS /dev/shm"))
}
