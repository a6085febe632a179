//! Paths that the map of the tree names exist: readers follow `ARCHITECTURE.md` and `CONTRIBUTING.md` to the letter.

use std::path::{Path, PathBuf};

use super::rule_book::File;

/// Documents whose paths are checked.
const MAPS: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Paths in the maps that do not exist below `root`.
pub fn faults(files: &[File], root: &Path) -> Vec<String> {
    let maps = files
        .iter()
        .filter(|file| MAPS.iter().any(|map| file.path == Path::new(map)));
    maps.flat_map(|file| missing(file, root)).collect()
}

fn missing(file: &File, root: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    let mut section = Section::default();
    for (line, number) in file.text.lines().zip(1..) {
        section.enter(line, root);
        if section.is_code {
            continue;
        }
        for path in code_spans(line).filter_map(as_path) {
            if !section
                .folders
                .iter()
                .any(|folder| folder.join(path).exists())
            {
                faults.push(format!(
                    "{}:{number} names {path}, which does not exist",
                    file.path.display()
                ));
            }
        }
    }
    faults
}

/// Where paths are looked for: the root, and the crate that the heading names.
#[derive(Default)]
struct Section {
    folders: Vec<PathBuf>,
    is_code: bool,
}

impl Section {
    fn enter(&mut self, line: &str, root: &Path) {
        if line.trim_start().starts_with("```") {
            self.is_code = !self.is_code;
        }
        if self.folders.is_empty() {
            self.folders.push(root.to_owned());
        }
        if self.is_code || !line.starts_with('#') {
            return;
        }
        self.folders.truncate(1);
        let named = code_spans(line).map(|name| root.join(name));
        let folders: Vec<PathBuf> = named.filter(|folder| folder.is_dir()).collect();
        for folder in folders {
            self.folders.push(folder.join("src"));
            self.folders.push(folder);
        }
    }
}

/// What stands between backticks.
fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The part of a code span that must exist: up to the first placeholder, or nothing where it is not a path of the tree.
fn as_path(span: &str) -> Option<&str> {
    let is_file = Path::new(span)
        .extension()
        .is_some_and(|extension| extension == "rs" || extension == "toml");
    let is_path = (span.contains('/') || is_file)
        && !span.starts_with(['/', '~', '-', '$', '<', '*'])
        && !span.contains("://")
        && !span.contains(char::is_whitespace);
    if !is_path {
        return None;
    }
    let Some(placeholder) = span.find(['<', '*', '{', '…']) else {
        return Some(span.trim_end_matches('/'));
    };
    // `rules/<family>.rs` promises the folder `rules` alone.
    let (folder, _) = span[..placeholder].rsplit_once('/')?;
    Some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults_of(text: &str) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("crates/one/src/rules")).unwrap();
        std::fs::write(root.path().join("crates/one/src/lib.rs"), "").unwrap();
        let file = File {
            path: PathBuf::from("ARCHITECTURE.md"),
            text: text.to_owned(),
        };
        faults(&[file], root.path())
    }

    #[test]
    fn a_path_that_is_gone_is_named_with_its_line() {
        let text = "# Map\n\nSee `crates/one/src/gone.rs`.\n";
        let expected = "ARCHITECTURE.md:3 names crates/one/src/gone.rs, which does not exist";
        assert_eq!(faults_of(text), [expected]);
    }

    #[test]
    fn short_paths_are_those_of_the_crate_in_the_heading() {
        assert_eq!(faults_of("### `crates/one`\n`lib.rs`, `rules/`\n"), [""; 0]);
        assert_eq!(faults_of("### `crates/one`\n## Next\n`lib.rs`\n").len(), 1);
    }

    #[test]
    fn a_placeholder_promises_only_the_folder_before_it() {
        let text = "`crates/one/src/rules/<name>.{rs,md}` and `crates/one/src/lost/<name>.rs`\n";
        let expected = "ARCHITECTURE.md:1 names crates/one/src/lost, which does not exist";
        assert_eq!(faults_of(text), [expected]);
    }

    #[test]
    fn commands_urls_and_code_blocks_are_not_paths_of_the_tree() {
        let text = "`cargo xtask tidy`, `https://a/b`, `/proc/1/maps`\n```\n`a/b.rs`\n```\n";
        assert_eq!(faults_of(text), [""; 0]);
    }
}
