//! Joins on prose: code that decides by what a sentence says. A reworded sentence would change a verdict, so
//! what one part of the program needs to know from another is data, and text is only written.

use std::path::Path;

use super::rule_book::File;
use super::source_lines;

/// Fields and variables that hold text for people.
const PROSE: [&str; 10] = [
    "action",
    "asks",
    "claim",
    "command",
    "detail",
    "headline",
    "part",
    "reason",
    "refuted_by",
    "set_by",
];

/// What compares text with a literal.
const COMPARISONS: [&str; 10] = [
    ".contains(\"",
    ".starts_with(\"",
    ".starts_with('",
    ".ends_with(\"",
    ".strip_prefix(\"",
    ".strip_suffix(\"",
    ".split_once(\"",
    ".find(\"",
    " == \"",
    " != \"",
];

/// What may stand between the text and the comparison.
const VIEWS: [&str; 4] = [".as_str()", ".as_deref()", ".to_lowercase()", ".trim()"];

/// Places that compare names of files or foreign text which happens to be in a variable of such a name.
const EXCEPTIONS: [(&str, &str); 7] = [
    ("src/diagnosis/environment.rs", "parts of a file name"),
    ("packages/altered_files.rs", "parts of a file name"),
    (
        "rules/gpu_library_older.rs",
        "the part of CUDA that a package name has, not words",
    ),
    ("src/corpus/names.rs", "parts of a C++ name"),
    ("xtask/src/tidy/arch.rs", "parts of a path"),
    ("xtask/src/tidy/words.rs", "parts of a path"),
    ("xtask/src/tidy/joins.rs", "its own examples"),
];

/// Every join on prose outside of tests.
pub fn faults(files: &[File]) -> Vec<String> {
    let sources = files.iter().filter(|file| is_source(&file.path));
    sources
        .flat_map(|file| joins(&file.path, &file.text))
        .collect()
}

fn is_source(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let is_test = text.contains("/tests/") || text.ends_with("tests.rs");
    let is_exempt = EXCEPTIONS.iter().any(|(place, _)| text.ends_with(place));
    text.ends_with(".rs") && !is_test && !is_exempt
}

fn joins(path: &Path, text: &str) -> Vec<String> {
    let end = source_lines(text);
    let lines: Vec<&str> = text.lines().take(end).collect();
    let is_join = |index: usize| {
        let line = lines[index].trim();
        if line.starts_with("//") {
            return false;
        }
        // A chain of calls may be on lines of its own.
        let begins = index.checked_sub(1).and_then(|before| lines.get(before));
        let chained = begins.filter(|_| line.starts_with('.')).map(|it| it.trim());
        let has = |text: &str| PROSE.iter().any(|name| compares(text, name));
        has(line)
            || chained
                .is_some_and(|before| !compares_any(before) && has(&format!("{before}{line}")))
    };
    let found = (0..lines.len()).filter(|index| is_join(*index));
    let fault = |index: usize| {
        let place = format!("{}:{}", path.display(), index + 1);
        format!("{place} decides by the words of a text: make what it needs to know data")
    };
    found.map(fault).collect()
}

fn compares_any(text: &str) -> bool {
    PROSE.iter().any(|name| compares(text, name))
}

/// Whether text of this name is compared with a literal.
fn compares(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(start, _)| {
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        let before = &line[..start];
        let mut rest = &line[start + name.len()..];
        while let Some(view) = VIEWS.iter().find_map(|view| rest.strip_prefix(view)) {
            rest = view;
        }
        !before.ends_with(is_name) && COMPARISONS.iter().any(|it| rest.starts_with(it))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        joins(Path::new("a.rs"), text).len()
    }

    #[test]
    fn a_decision_by_the_words_of_a_sentence_is_found() {
        assert_eq!(count("if hazard.headline.contains(\"NumPy\") {"), 1);
        assert_eq!(count("if flaw.part == \"a pointer\" {"), 1);
        assert_eq!(count("let rest = gap.part.strip_prefix(\"labels\");"), 1);
        assert_eq!(
            count("let is = remedy.action.as_str().to_lowercase().starts_with(\"x\");"),
            1
        );
        assert_eq!(count("flaw.detail\n    .contains(\"filter\")"), 1);
    }

    #[test]
    fn text_that_is_written_or_compared_with_data_is_no_join() {
        assert_eq!(count("let headline = format!(\"{part} is cut off\");"), 0);
        assert_eq!(count("hazard.headline.contains(&package.name)"), 0);
        assert_eq!(count("// a headline.contains(\"x\") in a comment"), 0);
        assert_eq!(count("department == \"x\""), 0);
        assert_eq!(
            count("#[cfg(test)]\nmod tests {\n    a.headline.contains(\"x\");\n}"),
            0
        );
    }
}
