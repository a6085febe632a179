//! The rule book: every rule is registered, has its page and its fixtures, and every sign is known and used.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// How a rule is declared.
const DECLARATION: &str = "static RULE: Rule = Rule {";
const FIXTURES: &str = "crates/crashlens-core/fixtures/rules";
const RULES: &str = "crates/crashlens-core/src/rules";
const SIGNS: &str = "crates/crashlens-core/data/signs";
/// Where signs are asked for.
const ASKING: [&str; 3] = [
    RULES,
    "crates/crashlens-core/src/facts",
    "crates/crashlens-core/data/known_versions.toml",
];

/// A tracked file of text.
pub struct File {
    pub path: PathBuf,
    pub text: String,
}

/// Whether it is one rule: `rules/<kind>/<family>/rules/<rule>.rs`. What the rules of a family share stands beside that
/// innermost folder.
pub fn is_rule(path: &Path) -> bool {
    is_in_leaf(path) && has_extension(path, "rs")
}

/// Whether a file is in the folder of a family's rules.
fn is_in_leaf(path: &Path) -> bool {
    let Ok(below) = path.strip_prefix(RULES) else {
        return false;
    };
    let parts: Vec<_> = below.components().map(Component::as_os_str).collect();
    matches!(parts.as_slice(), [_kind, _family, folder, _file, ..] if *folder == "rules")
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|it| it == extension)
}

/// What is wrong with the book.
pub fn faults(files: &[File]) -> Vec<String> {
    let mut faults = Vec::new();
    for rule in files.iter().filter(|file| is_rule(&file.path)) {
        faults.extend(
            missing(rule, files)
                .into_iter()
                .chain(others_named(rule, files))
                .map(|what| format!("{} {what}", rule.path.display())),
        );
    }
    faults.extend(strays(files));
    faults.extend(orphaned_pages(files));
    faults.extend(signs(files));
    faults
}

fn text_of<'a>(files: &'a [File], path: &Path) -> Option<&'a str> {
    let file = files.iter().find(|file| file.path == path)?;
    Some(&file.text)
}

/// What a rule lacks.
fn missing(rule: &File, files: &[File]) -> Vec<String> {
    let stem = stem(&rule.path);
    let family = rule.path.parent().unwrap_or(Path::new(""));
    let list = text_of(files, &family.with_extension("rs")).unwrap_or_default();
    let mut missing = Vec::new();
    if !rule.text.contains(DECLARATION) {
        missing.push("declares no rule; what rules share belongs one folder up".to_owned());
    }
    if !list.contains(&format!("mod {stem};")) || !list.contains(&format!("{stem}::RULE")) {
        missing.push(format!(
            "is not registered in {}",
            family.with_extension("rs").display()
        ));
    }
    if text_of(files, &rule.path.with_extension("md")).is_none() {
        missing.push("has no page beside it".to_owned());
    }
    if !rule.text.contains(&format!("include_str!(\"{stem}.md\")")) {
        missing.push(format!("does not take its page from {stem}.md"));
    }
    let name = stem.replace('_', "-");
    if !rule.text.contains(&format!("name: \"{name}\"")) {
        missing.push(format!("is not called {name}, as its file is"));
    }
    let fixtures = Path::new(FIXTURES).join(format!("{name}.toml"));
    if text_of(files, &fixtures).is_none() {
        missing.push(format!("has no fixtures in {}", fixtures.display()));
    }
    missing
}

fn stem(path: &Path) -> &str {
    path.file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default()
}

/// The other rules that a rule names: rules do not see each other.
fn others_named(rule: &File, files: &[File]) -> Vec<String> {
    let own = stem(&rule.path);
    let others = files.iter().filter(|file| is_rule(&file.path));
    let mut named: Vec<&str> = others
        .map(|other| stem(&other.path))
        .filter(|other| *other != own)
        .filter(|other| {
            ["rules::", "super::"].iter().any(|path| {
                let module = format!("{path}{other}");
                rule.text.match_indices(&module).any(|(at, _)| {
                    let rest = rule.text.get(at + module.len()..).unwrap_or_default();
                    rest.starts_with("::") || rest.starts_with(';')
                })
            })
        })
        .collect();
    named.sort_unstable();
    named.dedup();
    let named = named.into_iter();
    named
        .map(|other| format!("names the rule {other}; what both need belongs one folder up"))
        .collect()
}

/// Rules that are declared outside the folders of rules.
fn strays(files: &[File]) -> impl Iterator<Item = String> {
    files
        .iter()
        .filter(|file| file.path.starts_with(RULES) && !is_rule(&file.path))
        .filter(|file| has_extension(&file.path, "rs") && file.text.contains(DECLARATION))
        .map(|file| {
            format!(
                "{} declares a rule; it belongs into the folder rules/ of its family",
                file.path.display()
            )
        })
}

fn orphaned_pages(files: &[File]) -> impl Iterator<Item = String> {
    files
        .iter()
        .filter(|file| file.path.starts_with(RULES) && has_extension(&file.path, "md"))
        .filter(|file| text_of(files, &file.path.with_extension("rs")).is_none())
        .map(|file| format!("{} is the page of no rule", file.path.display()))
}

/// Signs that are asked for and unknown, and signs that nobody asks for.
fn signs(files: &[File]) -> Vec<String> {
    let known: BTreeSet<&str> = files
        .iter()
        .filter(|file| file.path.starts_with(SIGNS))
        .flat_map(|file| file.text.lines())
        .filter_map(|line| line.strip_prefix("id = \"")?.strip_suffix('"'))
        .collect();
    let asking: Vec<&File> = files
        .iter()
        .filter(|file| ASKING.iter().any(|folder| file.path.starts_with(folder)))
        .filter(|file| {
            file.path
                .extension()
                .is_some_and(|extension| extension == "rs" || extension == "toml")
        })
        .collect();
    let mut faults = Vec::new();
    for file in &asking {
        for id in asked(&file.text).filter(|id| !known.contains(id)) {
            faults.push(format!(
                "{} asks for the sign {id}, but no file of {SIGNS} has the line `id = \"{id}\"`",
                file.path.display()
            ));
        }
    }
    for id in known {
        let quoted = format!("\"{id}\"");
        if !asking.iter().any(|file| file.text.contains(&quoted)) {
            faults.push(format!(
                "no rule asks for the sign {id} (tidy reads only tracked files: `git add` a new rule first)"
            ));
        }
    }
    faults
}

/// The ids in `facts.sign("…")` and `facts.signs("…")`.
fn asked(text: &str) -> impl Iterator<Item = &str> {
    [".sign(\"", ".signs(\""].into_iter().flat_map(move |call| {
        text.match_indices(call).filter_map(move |(at, call)| {
            let rest = text.get(at + call.len()..)?;
            rest.split_once('"').map(|(id, _)| id)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File {
            path: PathBuf::from(path),
            text: text.to_owned(),
        }
    }

    const MEMORY: &str = "crates/crashlens-core/src/rules/death/memory";

    fn whole() -> Vec<File> {
        vec![
            file(
                &format!("{MEMORY}/rules.rs"),
                "mod null_pointer;\nconst ALL: &[&Rule] = &[&null_pointer::RULE];",
            ),
            file(
                &format!("{MEMORY}/rules/null_pointer.rs"),
                "static RULE: Rule = Rule { name: \"null-pointer\", doc: include_str!(\"null_pointer.md\"), facts.sign(\"said-null\")",
            ),
            file(&format!("{MEMORY}/rules/null_pointer.md"), "# null-pointer"),
            file(&format!("{FIXTURES}/null-pointer.toml"), ""),
            file(&format!("{SIGNS}/memory.toml"), "id = \"said-null\"\n"),
        ]
    }

    #[test]
    fn a_whole_book_has_no_faults() {
        assert_eq!(faults(&whole()), Vec::<String>::new());
    }

    #[test]
    fn every_missing_part_is_a_fault() {
        for (index, part) in whole().iter().enumerate() {
            let mut files = whole();
            files.remove(index);
            assert!(
                !faults(&files).is_empty(),
                "{} was not missed",
                part.path.display()
            );
        }
    }

    #[test]
    fn a_sign_nobody_asks_for_is_a_fault() {
        let mut files = whole();
        files.push(file(&format!("{SIGNS}/gpu.toml"), "id = \"idle\"\n"));
        assert_eq!(
            faults(&files),
            [
                "no rule asks for the sign idle (tidy reads only tracked files: `git add` a new rule first)"
            ]
        );
    }

    #[test]
    fn a_helper_among_rules_and_a_rule_among_helpers_are_faults() {
        let mut files = whole();
        files.push(file(&format!("{MEMORY}/rules/words.rs"), "fn words() {}"));
        let faults_of = |files: &[File], what: &str| {
            let faults = faults(files);
            assert!(faults.iter().any(|it| it.contains(what)), "{faults:?}");
        };
        faults_of(&files, "words.rs declares no rule");
        let mut files = whole();
        files.push(file(&format!("{MEMORY}/heap.rs"), DECLARATION));
        faults_of(&files, "heap.rs declares a rule");
    }

    #[test]
    fn a_rule_that_names_another_is_a_fault() {
        let mut files = whole();
        let text =
            format!("{DECLARATION} use crate::rules::death::memory::rules::null_pointer::is_null;");
        files.push(file(&format!("{MEMORY}/rules/bad_object.rs"), &text));
        let faults = faults(&files);
        assert!(
            faults
                .iter()
                .any(|it| it.contains("names the rule null_pointer")),
            "{faults:?}"
        );
    }
}
