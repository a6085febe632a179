//! Links between files of the repository lead somewhere, and every page of `docs/` is in its table of contents.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::rule_book::File;
use crate::markdown;

/// The table of contents of the documentation.
const SUMMARY: &str = "docs/SUMMARY.md";

/// Links to files or headings that do not exist below `root`, and pages that the table of contents lacks.
pub fn faults(files: &[File], root: &Path) -> Vec<String> {
    let pages: HashMap<&Path, &str> = files
        .iter()
        .filter(|file| is_page(&file.path))
        .map(|file| (file.path.as_path(), file.text.as_str()))
        .collect();
    let anchors: HashMap<&Path, HashSet<String>> = pages
        .iter()
        .map(|(path, text)| (*path, markdown::anchors(text)))
        .collect();
    let mut faults = Vec::new();
    let mut listed = HashSet::from([PathBuf::from(SUMMARY)]);
    for (page, text) in &pages {
        for link in markdown::links(text) {
            let Some((path, fragment)) = markdown::target(page, &link.destination) else {
                continue;
            };
            // A chapter of the table of contents may have no page.
            if link.destination.is_empty() && *page == Path::new(SUMMARY) {
                continue;
            }
            let headings = anchors.get(path.as_path());
            let is_there = match (headings, fragment) {
                (Some(headings), Some(fragment)) => headings.contains(fragment),
                (Some(_), None) => true,
                (None, fragment) => fragment.is_none() && root.join(&path).exists(),
            };
            if !is_there {
                faults.push(format!(
                    "{}:{} has a link to {}, which does not exist",
                    page.display(),
                    link.line,
                    link.destination
                ));
            }
            if *page == Path::new(SUMMARY) {
                listed.insert(path);
            }
        }
    }
    let documents = pages.keys().filter(|page| page.starts_with("docs"));
    let missing = documents.filter(|page| !listed.contains(**page));
    faults.extend(missing.map(|page| format!("{} is not in {SUMMARY}", page.display())));
    faults.sort();
    faults
}

/// Pages of rules are checked where `cargo xtask generate` puts them: their links are relative to that folder.
fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
        && !path.starts_with("crates/crashlens-core/src/rules")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults_of(pages: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = pages
            .iter()
            .map(|(path, text)| File {
                path: PathBuf::from(path),
                text: (*text).to_owned(),
            })
            .collect();
        faults(&files, crate::workspace::root())
    }

    #[test]
    fn a_link_to_a_file_or_a_heading_that_does_not_exist_is_a_fault() {
        let page = "# One\n\n[a](README.md) [b](nowhere.md) [c](#one)\n\n[d](#two)\n";
        assert_eq!(
            faults_of(&[("PAGE.md", page)]),
            [
                "PAGE.md:3 has a link to nowhere.md, which does not exist",
                "PAGE.md:5 has a link to #two, which does not exist",
            ]
        );
    }

    #[test]
    fn a_page_that_the_table_of_contents_lacks_is_a_fault() {
        let summary = "- [Style](style.md)\n  - [Without a page]()\n";
        assert_eq!(
            faults_of(&[
                (SUMMARY, summary),
                ("docs/style.md", ""),
                ("docs/other.md", "")
            ]),
            ["docs/other.md is not in docs/SUMMARY.md"]
        );
    }
}
