//! NaN and infinite weights.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, FlawKind, Format, Part, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "MDL008",
    name: "not-finite-weights",
    summary: "Weights of a model are NaN or infinite.",
    causes: &[Cause::CorruptModelFile],
    since: "0.1.0",
    doc: include_str!("not_finite_weights.md"),
    judge: Judge::File {
        looks_at: Scope::Weights,
        says: [
            "has weights that are no numbers",
            "have weights that are no numbers",
        ],
        judge,
    },
};

/// So many tensors are named.
const MOST_NAMED: usize = 5;

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    let Some(model) = facts.model() else {
        return Vec::new();
    };
    let mut findings: Vec<FileFinding> = facts
        .flaws_of(FlawKind::NotFinite)
        .map(|flaw| finding(facts, flaw.detail.clone()).part(flaw.part.clone()))
        .collect();
    let broken = || model.tensors.iter().filter(|tensor| tensor.not_finite > 0);
    let count = broken().count();
    if count > 0 {
        let values: u64 = broken().map(|tensor| tensor.not_finite).sum();
        let named: Vec<String> = broken()
            .take(MOST_NAMED)
            .map(|tensor| format!("{} ({})", tensor.name, tensor.not_finite))
            .collect();
        let more = if count > MOST_NAMED { ", …" } else { "" };
        let of = model.tensors.len();
        let listed = named.join(", ");
        let detail = format!(
            "{values} values in {count} of {of} tensors are NaN or infinite: {listed}{more}"
        );
        findings.push(finding(facts, detail).part(Part::Weights));
    }
    findings
}

fn finding(facts: &FileFacts, detail: String) -> FileFinding {
    // Infinity as a constant of a graph is a mask, or the start of a maximum; as a weight it has been learnt.
    let (severity, effect) = match facts.format {
        Some(Format::GraphDef) => (Severity::WorthKnowing, EffectKind::Odd),
        _ => (Severity::CanCrash, EffectKind::WrongValues),
    };
    FileFinding::new(severity, detail)
        .effect(
            effect,
            &["2.12.1", "2.15.1", "2.21.0"],
            "the values are restored as they are, without a word",
        )
        .remedy(Remedy::new(
            "Go back to the last checkpoint without them; `tf.debugging.enable_check_numerics()` tells where they arise.",
        ))
}
