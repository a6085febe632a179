//! The rule book: every rule is registered, has its page and its fixtures, and every sign is known and used.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A book: where its rules are, how they are declared, where their fixtures are.
struct Book {
    rules: &'static str,
    declaration: &'static str,
    fixtures: &'static str,
}

/// Causes of death, hazards before one, and flaws of files.
const BOOKS: [Book; 3] = [
    Book {
        rules: RULES,
        declaration: ": Rule = Rule {",
        fixtures: "crates/crashlens-core/fixtures/rules",
    },
    Book {
        rules: "crates/crashlens-core/src/hazards",
        declaration: ": HazardRule = HazardRule {",
        fixtures: "crates/crashlens-core/fixtures/hazards",
    },
    Book {
        rules: "crates/crashlens-core/src/file_rules",
        declaration: ": FileRule = FileRule {",
        fixtures: "crates/crashlens-core/fixtures/file_rules",
    },
];
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

/// Whether it is one rule: `rules/<family>/<rule>.rs`. What the rules of a family share may stand beside them.
pub fn is_rule(path: &Path, text: &str) -> bool {
    book_of(path, text).is_some()
}

/// The book that a rule is in.
fn book_of(path: &Path, text: &str) -> Option<&'static Book> {
    BOOKS.iter().find(|book| {
        path.strip_prefix(book.rules)
            .is_ok_and(|below| below.components().count() == 2)
            && path.extension().is_some_and(|extension| extension == "rs")
            && text.contains(book.declaration)
    })
}

/// What is wrong with the book.
pub fn faults(files: &[File]) -> Vec<String> {
    let mut faults = Vec::new();
    for rule in files {
        let Some(book) = book_of(&rule.path, &rule.text) else {
            continue;
        };
        faults.extend(
            missing(rule, book, files)
                .into_iter()
                .map(|what| format!("{} {what}", rule.path.display())),
        );
    }
    faults.extend(orphaned_pages(files));
    faults.extend(signs(files));
    faults
}

fn text_of<'a>(files: &'a [File], path: &Path) -> Option<&'a str> {
    let file = files.iter().find(|file| file.path == path)?;
    Some(&file.text)
}

/// What a rule lacks.
fn missing(rule: &File, book: &Book, files: &[File]) -> Vec<String> {
    let stem = stem(&rule.path);
    let family = rule.path.parent().unwrap_or(Path::new(""));
    let list = text_of(files, &family.with_extension("rs")).unwrap_or_default();
    let mut missing = Vec::new();
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
    let fixtures = Path::new(book.fixtures).join(format!("{name}.toml"));
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

fn orphaned_pages(files: &[File]) -> impl Iterator<Item = String> {
    files
        .iter()
        .filter(|file| {
            BOOKS.iter().any(|book| file.path.starts_with(book.rules))
                && file
                    .path
                    .extension()
                    .is_some_and(|extension| extension == "md")
        })
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
                "{} asks for the sign {id}, which is in no file of {SIGNS}",
                file.path.display()
            ));
        }
    }
    for id in known {
        let quoted = format!("\"{id}\"");
        if !asking.iter().any(|file| file.text.contains(&quoted)) {
            faults.push(format!("no rule asks for the sign {id}"));
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

    fn whole() -> Vec<File> {
        let [deaths, hazards, _] = &BOOKS;
        vec![
            file(
                &format!("{RULES}/memory.rs"),
                "mod null_pointer;\nrules: &[&null_pointer::RULE],",
            ),
            file(
                &format!("{RULES}/memory/null_pointer.rs"),
                "static RULE: Rule = Rule { name: \"null-pointer\", doc: include_str!(\"null_pointer.md\"), facts.sign(\"said-null\")",
            ),
            file(&format!("{RULES}/memory/null_pointer.md"), "# null-pointer"),
            file(&format!("{}/null-pointer.toml", deaths.fixtures), ""),
            file(&format!("{SIGNS}/memory.toml"), "id = \"said-null\"\n"),
            file(
                &format!("{}/limits.rs", hazards.rules),
                "mod small_stack;\nrules: &[&small_stack::RULE],",
            ),
            file(
                &format!("{}/limits/small_stack.rs", hazards.rules),
                "static RULE: HazardRule = HazardRule { name: \"small-stack\", doc: include_str!(\"small_stack.md\")",
            ),
            file(
                &format!("{}/limits/small_stack.md", hazards.rules),
                "# small-stack",
            ),
            file(&format!("{}/small-stack.toml", hazards.fixtures), ""),
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
        assert_eq!(faults(&files), ["no rule asks for the sign idle"]);
    }
}
