//! The answer where nothing else is likely.

use crate::capture::CaptureSource;
use crate::cause::Cause;
use crate::evidence::{FactRef, Weight};
use crate::facts::Facts;
use crate::rule::{Remedy, Rule, Suspicion};

pub(crate) static RULE: Rule = Rule {
    id: "VER001",
    name: "insufficient-evidence",
    causes: &[Cause::InsufficientEvidence],
    since: "0.1.0",
    doc: include_str!("insufficient_evidence.md"),
    judge,
};

fn judge(facts: &Facts<'_>) -> Option<Suspicion> {
    let is_text = facts.capture().source == CaptureSource::Text;
    let (claim, remedy) = if is_text {
        (
            "Nothing in the text tells the cause.",
            Remedy::new("Run the program again under crashlens: it reads the stacks and values at the death.")
                .command("crashlens run -- python your_script.py"),
        )
    } else {
        (
            "Nothing that could be seen tells the cause.",
            Remedy::new("Look at the stacks of all threads.").command("crashlens diagnose -v FILE"),
        )
    };
    Some(
        Suspicion::new(
            Cause::InsufficientEvidence,
            "What is known does not tell why it died",
        )
        .supported(Weight::Weak, FactRef::Ending, claim)
        .remedy(remedy),
    )
}
