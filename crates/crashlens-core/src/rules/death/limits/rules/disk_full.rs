//! A disk was full.

use crate::book::{Judge, Rule};
use crate::capture::Signal;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, bytes, excerpt};
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::limits::full::{is_shared_memory, no_room};
use crate::shell;

pub(super) static RULE: Rule = Rule {
    id: "LIM005",
    name: "disk-full",
    summary: "A write failed because the disk was full or the disk quota was used up.",
    causes: &[Cause::DiskFull],
    since: "0.1.0",
    doc: include_str!("disk_full.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    if let Some(room) = no_room(facts).filter(|room| !room.in_memory) {
        let (path, size) = (room.path, bytes(room.total));
        let headline = format!("The file system of {path} was full ({size})");
        let claim =
            format!("The file system of {path} had no block left for the page that was written.");
        let suspicion = Suspicion::new(Cause::DiskFull, headline);
        let suspicion = suspicion.supported(Weight::Decisive, FactRef::Fault, claim);
        let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        return Some(with_remedies(suspicion, folder));
    }
    let said = facts.sign("no-space-left");
    if let Some(sight) = said.filter(|_| facts.sign("shared-memory-said-full").is_none()) {
        // It may be long past when it died of something else.
        let later = facts
            .said_after(sight)
            .filter(|(_, it)| !it.text.contains(sight.text));
        let is_last = facts.is_text() && facts.is_last_but_the_end(sight);
        let fits = facts.died_of(Signal::BUS) || facts.signal().is_none() && facts.is_text();
        let is_end = later.is_none() && facts.worked_on_after(sight).is_none() && (fits || is_last);
        let weight = if is_end { Weight::Strong } else { Weight::Weak };
        let claim = format!("The system refused to write: \"{}\".", excerpt(sight.text));
        let suspicion = Suspicion::new(Cause::DiskFull, "The disk was full");
        let suspicion = suspicion.supported(weight, sight.fact.clone(), claim);
        return Some(with_remedies(suspicion, "."));
    }
    let listed = facts.signs("file-system-listed-full");
    let listed = listed.last().filter(|_| facts.died_of(Signal::BUS))?;
    let mount = listed
        .group("mount")
        .filter(|mount| !is_shared_memory(mount))?;
    let claim = format!(
        "{mount} is listed as full, and it died of SIGBUS, as a write to a mapped file without room does."
    );
    let suspicion = Suspicion::new(Cause::DiskFull, format!("The disk at {mount} was full"));
    let suspicion = suspicion.supported(Weight::Strong, listed.fact.clone(), claim);
    Some(with_remedies(suspicion, mount))
}

fn with_remedies(suspicion: Suspicion, folder: &str) -> Suspicion {
    suspicion
        .remedy(
            Remedy::new("Make room on that file system: old checkpoints, logs and caches are the usual load.")
                .command_if(shell::word(folder).map(|folder| {
                    format!("df -h {folder} && du -xh --max-depth=2 {folder} | sort -h | tail")
                })),
        )
        .remedy(Remedy::new(
            "Or write to another disk: the output folder, `TMPDIR`, and the file given to `Dataset.cache()`.",
        ))
}
