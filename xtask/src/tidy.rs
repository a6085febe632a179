//! `cargo xtask tidy`: rules of the tree that no compiler checks.

mod arch;
mod joins;
mod links;
mod map;
mod prose;
mod rule_book;
mod tracing;
mod words;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use xtask::machine_paths;

use crate::{command, workspace};

/// A file above this is listed; one above [`MOST_LINES`] is refused.
const SOURCE_LINES: usize = 400;
const MOST_LINES: usize = 600;
/// A rule above this is refused: it does more than one thing. Its head takes ten lines of them.
const RULE_LINES: usize = 125;

/// The only files that may contain unsafe code: system calls; the `main` of C and the allocator.
const UNSAFE_FILES: [&str; 2] = [
    "crates/crashlens-trace/src/sys.rs",
    "crates/crashlens/src/main.rs",
];

/// Which of our crates each may use. No other edge exists.
const DIRECTIONS: [(&str, &[&str]); 9] = [
    ("crashlens-core", &[]),
    ("crashlens-unwind", &["crashlens-core"]),
    ("crashlens-files", &["crashlens-core"]),
    ("crashlens-objects", &["crashlens-files"]),
    ("crashlens-inspect", &["crashlens-core"]),
    (
        "crashlens-trace",
        &["crashlens-core", "crashlens-unwind", "crashlens-inspect"],
    ),
    (
        "crashlens",
        &[
            "crashlens-core",
            "crashlens-trace",
            "crashlens-inspect",
            "crashlens-files",
            "crashlens-objects",
        ],
    ),
    // For the form of captures, which `record` rewrites, and for predictions, which `links` compares.
    ("lab", &["crashlens-core", "crashlens-inspect", "xtask"]),
    ("xtask", &[]),
];

#[derive(clap::Args, Default)]
pub struct Options {
    /// Lower the counts of old forms (docs/style.md) to what the text has now
    #[arg(long)]
    update: bool,
}

pub fn run(options: &Options) -> Result<()> {
    let mut faults = Vec::new();
    let files: Vec<rule_book::File> = workspace::tracked_files()?
        .into_iter()
        // Binary recordings are no text, and a file may be deleted but not yet committed so.
        .filter_map(|path| {
            let text = std::fs::read_to_string(workspace::root().join(&path)).ok()?;
            Some(rule_book::File { path, text })
        })
        .collect();
    for rule_book::File { path, text } in &files {
        faults.extend(machine_paths::find(path, text));
        if path.extension().is_some_and(|extension| extension == "rs") {
            faults.extend(oversize(path, text));
            faults.extend(misplaced_unsafe(path, text));
            faults.extend(missing_forbid(path, text));
            faults.extend(arch::misplaced(path, text));
        }
    }
    faults.extend(rule_book::faults(&files));
    faults.extend(map::faults(&files, workspace::root()));
    faults.extend(joins::faults(&files));
    faults.extend(links::faults(&files, workspace::root()));
    faults.extend(tracing::faults(&files));
    faults.extend(words::faults(&files, options.update)?);
    faults.extend(forbidden_edges()?);
    for fault in &faults {
        println!("{fault}");
    }
    ensure!(faults.is_empty(), "{} faults", faults.len());
    Ok(())
}

/// Lines of code that are no tests: a test module stands at the end of its file.
fn source_lines(text: &str) -> usize {
    let lines: Vec<_> = text.lines().collect();
    let opens_tests =
        |pair: &[&str]| pair[0].trim() == "#[cfg(test)]" && pair[1].starts_with("mod ");
    lines
        .windows(2)
        .position(opens_tests)
        .unwrap_or(lines.len())
}

fn oversize(path: &Path, text: &str) -> Option<String> {
    let lines = source_lines(text);
    let is_rule = rule_book::is_rule(path);
    let (aim, most) = if is_rule {
        (RULE_LINES, RULE_LINES)
    } else {
        (SOURCE_LINES, MOST_LINES)
    };
    if lines > aim && lines <= most {
        println!(
            "note: {} has {lines} lines; {aim} are the aim",
            path.display()
        );
    }
    (lines > most).then(|| format!("{} has {lines} lines, above {most}", path.display()))
}

fn misplaced_unsafe(path: &Path, text: &str) -> Option<String> {
    if may_be_unsafe(path) {
        return None;
    }
    let keyword = "unsafe";
    let blocks = ["{", "fn ", "impl ", "extern ", "trait "].map(|form| format!("{keyword} {form}"));
    let attribute = format!("[{keyword}(");
    let is_unsafe =
        |code: &str| code.contains(&attribute) || blocks.iter().any(|block| code.contains(block));
    let code = |line: &str| line.split("//").next().is_some_and(is_unsafe);
    let found = text.lines().position(code)?;
    Some(format!(
        "{}:{} has unsafe code, which belongs in {}",
        path.display(),
        found + 1,
        UNSAFE_FILES[0]
    ))
}

fn may_be_unsafe(path: &Path) -> bool {
    UNSAFE_FILES.iter().any(|file| path == Path::new(file))
}

/// Every crate but the tracer forbids unsafe code for good; xtask and lab do so in their manifests.
fn missing_forbid(path: &Path, text: &str) -> Option<String> {
    let crates: PathBuf = path
        .strip_prefix("crates")
        .ok()?
        .components()
        .skip(1)
        .collect();
    let is_root = crates == Path::new("src/lib.rs") || crates == Path::new("src/main.rs");
    if !is_root
        || path.starts_with("crates/crashlens-trace")
        || may_be_unsafe(path)
        || text.contains("#![forbid(unsafe_code)]")
    {
        return None;
    }
    Some(format!("{} lacks #![forbid(unsafe_code)]", path.display()))
}

fn forbidden_edges() -> Result<Vec<String>> {
    let text = command::output(workspace::cargo().args([
        "metadata",
        "--no-deps",
        "--format-version",
        "1",
    ]))?;
    let metadata: Value = serde_json::from_str(&text)?;
    let packages = metadata["packages"]
        .as_array()
        .context("cargo metadata lists no packages")?;
    let mut faults = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let Some((_, allowed)) = DIRECTIONS.iter().find(|(known, _)| *known == name) else {
            faults.push(format!(
                "{name} has no place in the direction of dependencies"
            ));
            continue;
        };
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        for used in dependencies.filter_map(|dependency| dependency["name"].as_str()) {
            if DIRECTIONS.iter().any(|(ours, _)| *ours == used) && !allowed.contains(&used) {
                faults.push(format!("{name} must not depend on {used}"));
            }
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_at_the_end_of_a_file_do_not_count_as_source() {
        assert_eq!(
            source_lines("fn a() {}\n\n#[cfg(test)]\nmod tests {\n}\n"),
            2
        );
        assert_eq!(source_lines("fn a() {}\n"), 1);
    }

    #[test]
    fn the_word_in_a_comment_is_not_unsafe_code() {
        let keyword = "unsafe";
        assert!(
            misplaced_unsafe(Path::new("a.rs"), &format!("let x = {keyword} {{ 1 }};")).is_some()
        );
        assert!(misplaced_unsafe(Path::new("a.rs"), &format!("#[{keyword}(no_mangle)]")).is_some());
        assert!(
            misplaced_unsafe(
                Path::new("a.rs"),
                &format!("// {keyword} {{ }} is elsewhere")
            )
            .is_none()
        );
    }
}
