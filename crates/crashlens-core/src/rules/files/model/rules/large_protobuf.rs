//! Graphs near or over the most that a message of protocol buffers may have.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{EffectKind, FileFacts, FileFinding, Format, Part, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "MDL006",
    name: "large-protobuf",
    summary: "A graph is close to or above 2 GiB, the maximum size of a protobuf message.",
    causes: &[Cause::CorruptModelFile],
    since: "0.1.0",
    doc: include_str!("large_protobuf.md"),
    judge: Judge::File {
        looks_at: Scope::ModelsOf(&[Format::SavedModel, Format::GraphDef]),
        says: [
            "has a graph near or over 2 GiB",
            "have graphs near or over 2 GiB",
        ],
        judge,
    },
};

const MOST: u64 = i32::MAX as u64;
/// From here on a little more of anything is too much.
const NEAR: u64 = MOST / 10 * 9;

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    let Some(bytes) = facts.model().and_then(|model| model.graph_bytes) else {
        return Vec::new();
    };
    let remedy = Remedy::new(
        "Keep large constants out of the graph: make them variables, or load them from a file of their own.",
    );
    let finding = if bytes > MOST {
        let detail = format!(
            "the graph has {bytes} bytes; a message of protocol buffers has {MOST} at most"
        );
        FileFinding::new(Severity::WillFail, detail).effect(
            EffectKind::Raises,
            &["2.12.1", "2.15.1", "2.21.0"],
            "DecodeError: Error parsing message",
        )
    } else if bytes > NEAR {
        let detail = format!("the graph has {bytes} bytes, and more than {MOST} cannot be read");
        FileFinding::new(Severity::WorthKnowing, detail)
    } else {
        return Vec::new();
    };
    vec![finding.part(Part::Graph).remedy(remedy)]
}
