//! Pickles that run code when they are loaded.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::book::{Judge, Rule, Scope};
use crate::cause::Cause;
use crate::files::{FileFacts, FileFinding, Format, Part, Setting};
use crate::hazard::Severity;
use crate::rule::Remedy;

pub(super) static RULE: Rule = Rule {
    id: "MDL023",
    name: "pickle-code",
    summary: "Loading a pickle would run programs or code, access files, or use the network.",
    causes: &[Cause::InterpreterMisuse],
    since: "0.1.0",
    doc: include_str!("pickle_code.md"),
    judge: Judge::File {
        looks_at: Scope::ModelsOf(&[Format::Pickle]),
        says: [
            "runs code when it is loaded",
            "run code when they are loaded",
        ],
        judge,
    },
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[cfg_attr(not(test), expect(dead_code, reason = "for those who read the data"))]
    source: String,
    names: Vec<String>,
}

static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    // A test reads the file; a broken one would find nothing rather than stop a scan.
    let table = toml::from_str::<Table>(include_str!("../../../../../data/pickle_code.toml"));
    table.map_or_else(|_| Vec::new(), |table| table.names)
});

fn runs_code(name: &str) -> bool {
    NAMES.iter().any(|known| match known.strip_suffix('.') {
        Some(module) => name
            .strip_prefix(module)
            .is_some_and(|rest| rest.starts_with('.')),
        None => name == known,
    })
}

fn judge(facts: &FileFacts, _setting: &Setting) -> Vec<FileFinding> {
    let pickle = facts
        .model()
        .filter(|_| facts.format == Some(Format::Pickle));
    let operations = pickle.iter().flat_map(|model| &model.operations);
    let elements = facts.arrays().iter().flat_map(|array| &array.callables);
    let dangerous = operations.chain(elements).filter(|it| runs_code(&it.name));
    dangerous
        .map(|operation| {
            let detail = format!("loading it calls `{}`", operation.name);
            FileFinding::new(Severity::CanCrash, detail)
                .part(Part::Callable.written(&operation.first))
                .remedy(Remedy::new(
                    "Do not load it unless you made it; ask for the weights as safetensors or NumPy arrays.",
                ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read_and_says_where_it_is_from() {
        let table: Table = toml::from_str(include_str!("../../../../../data/pickle_code.toml"))
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(!table.source.is_empty() && table.names.len() > 50);
        assert!(runs_code("os.system") && runs_code("builtins.eval"));
        assert!(!runs_code("osmium.system") && !runs_code("builtins.set"));
    }
}
