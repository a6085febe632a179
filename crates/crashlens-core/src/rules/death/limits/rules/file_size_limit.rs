//! A file reached the size that the process may write.

use crate::book::{Judge, Rule};
use crate::capture::{Resource, ResourceUse};
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::{Facts, XFSZ, bytes, excerpt};
use crate::remedy::ShellLine;
use crate::rule::{Remedy, Suspicion};
use crate::rules::death::limits::sent;

pub(super) static RULE: Rule = Rule {
    id: "LIM009",
    name: "file-size-limit",
    summary: "The process tried to write a file larger than its file size limit allows (RLIMIT_FSIZE).",
    causes: &[Cause::DiskFull],
    since: "0.1.0",
    doc: include_str!("file_size_limit.md"),
    judge: Judge::Death(judge),
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let said = facts.sign("file-too-large").filter(|_| facts.is_text());
    if !facts.died_of(XFSZ) && said.is_none() {
        return None;
    }
    let (fact, claim) = match said {
        Some(sight) => (
            sight.fact.clone(),
            format!("The system said so: \"{}\".", excerpt(sight.text)),
        ),
        None => (
            FactRef::Ending,
            "It died of SIGXFSZ, which the kernel sends at the limit of a file's size.".to_owned(),
        ),
    };
    let entry = facts.limits_of(Resource::FileSize).next();
    let limit = entry.and_then(|entry| entry.limit);
    let headline = limit.map_or_else(
        || "It may not write files as large as it tried to (RLIMIT_FSIZE)".to_owned(),
        |limit| {
            format!(
                "It may not write files of more than {} (RLIMIT_FSIZE)",
                bytes(limit)
            )
        },
    );
    let mut suspicion =
        Suspicion::new(Cause::DiskFull, headline).supported(Weight::Strong, fact, claim);
    if let Some(limit) = limit {
        let claim = format!("RLIMIT_FSIZE is {limit} bytes.");
        let fact = FactRef::Resource {
            resource: Resource::FileSize,
        };
        suspicion = suspicion.supported(Weight::Strong, fact, claim);
    }
    let is_met = |entry: &ResourceUse| entry.used.is_some() && entry.used >= entry.limit;
    if let Some((weight, claim)) = sent::by_process(facts, entry.is_some_and(is_met)) {
        suspicion = suspicion.opposed(weight, FactRef::Ending, claim);
    }
    let present = limit.map_or(String::new(), |limit| format!(", which is {limit} bytes"));
    Some(
        suspicion
            .remedy(
                Remedy::new(format!("Raise the limit of a file's size{present}."))
                    .command(ShellLine::unix("ulimit -f unlimited")),
            )
            .remedy(Remedy::new(
                "Or write several smaller files: sharded TFRecords, a checkpoint in parts.",
            )),
    )
}
