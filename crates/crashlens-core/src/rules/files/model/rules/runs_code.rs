//! Operations that run Python, touch files, or end the process.

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, Format, Part, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "MDL004",
    name: "runs-code",
    summary: "A graph has operations that run Python, access files or the network, or end the process.",
    causes: &[Cause::CorruptModelFile],
    since: "0.1.0",
    doc: include_str!("runs_code.md"),
    judge: Judge::File {
        looks_at: Scope::ModelsOf(&[Format::SavedModel, Format::GraphDef]),
        says: [
            "does more than compute when it runs",
            "do more than compute when they run",
        ],
        judge,
    },
};

const OPS: &str = include_str!("../../../../../data/acting_ops.toml");

#[derive(serde::Deserialize)]
struct Table {
    op: Vec<Acting>,
}

/// An operation that does more than compute.
#[derive(serde::Deserialize)]
struct Acting {
    names: Vec<String>,
    severity: Severity,
    does: String,
}

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    let is_graph = matches!(facts.format, Some(Format::GraphDef | Format::SavedModel));
    let Some(model) = facts.model().filter(|_| is_graph) else {
        return Vec::new();
    };
    let acting = toml::from_str::<Table>(OPS).map_or_else(|_| Vec::new(), |table| table.op);
    let mut findings = Vec::new();
    for operation in &model.operations {
        let found = acting
            .iter()
            .find(|acting| acting.names.contains(&operation.name));
        let Some(acting) = found else { continue };
        let times = match operation.count {
            1 => "once".to_owned(),
            count => format!("{count} times"),
        };
        let detail = format!("{} is there {times}: {}", operation.name, acting.does);
        findings.push(
            FileFinding::new(acting.severity, detail)
                .part(Part::Node.number(&operation.first))
                .remedy(Remedy::new(
                    "Load it only if you trust who made it; it acts with the rights of your process.",
                )),
        );
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_acting_op_is_one_of_tensorflow() {
        let table: Table = toml::from_str(OPS).expect("the table");
        for name in table.op.iter().flat_map(|acting| &acting.names) {
            assert!(crate::operations::definition(name).is_some(), "{name}");
        }
    }
}
