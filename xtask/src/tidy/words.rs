//! The ratchet of `docs/style.md`: quaint forms are counted over all text, and no count may rise.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::prose::{self, Line};
use super::rule_book::File;
use crate::{command, workspace};

/// The committed counts.
const COUNTS: &str = "xtask/src/tidy/words.toml";

/// Pages that quote the forms in order to explain them, and a list of titles that are counted where they are written.
const EXEMPT: [&str; 3] = [
    "docs/style.md",
    "xtask/src/tidy/words.rs",
    "docs/SUMMARY.md",
];

/// Maximum number of places that are listed for one form.
const PLACES_LISTED: usize = 20;

/// A way of writing that new text avoids.
struct Form {
    name: &'static str,
    better: &'static str,
    phrases: &'static [&'static str],
    /// Words before or after a phrase that make it ordinary English.
    fine_after: &'static [&'static str],
    fine_before: &'static [&'static str],
}

const fn form(name: &'static str, better: &'static str, phrases: &'static [&'static str]) -> Form {
    Form {
        name,
        better,
        phrases,
        fine_after: &[],
        fine_before: &[],
    }
}

#[rustfmt::skip]
static FORMS: [Form; 22] = [
    form("told", "report, detect, show, say", &["told", "tells"]),
    Form {
        // "There is no GPU" and "is no longer" are what the style page asks for.
        fine_after: &["there"],
        fine_before: &["longer", "more"],
        ..form("is-no", "is not a, there is no", &["is no", "are no", "was no", "were no", "is none", "are none", "was none"])
    },
    form("anew", "again, re-", &["anew"]),
    form("behind", "after; past the end", &["behind"]),
    form("goes-with", "compatible, match", &["go with", "goes with", "go together", "goes together"]),
    form("whoever", "users, the caller", &["whoever", "whomever"]),
    form("nobody", "users, another process, anonymous", &["nobody", "anybody", "somebody", "everybody"]),
    form("mend", "fix", &["mend", "mends", "mended", "mending"]),
    Form {
        fine_before: &["as"],
        ..form("so-many", "at most, maximum number of, this long", &["so many", "so long"])
    },
    form("lest", "so that … not", &["lest"]),
    form("riskless", "without risk", &["riskless"]),
    form("without-a-word", "silently", &["without a word"]),
    form("seldom", "rarely", &["seldom"]),
    form("speaks", "says, is evidence for", &["speak", "speaks", "speaking"]),
    form("lend", "provide", &["lend", "lends", "lent"]),
    form("confess", "show, report", &["confess", "confesses", "confessed", "deed", "deeds"]),
    form("let-go", "detach, release", &["let go", "lets go", "letting go"]),
    form("control-group", "cgroup", &["control group", "control groups"]),
    form("processor-time", "CPU time", &["processor time"]),
    form("first-number", "major version", &["first number", "first numbers"]),
    form("folder-of-packages", "site-packages", &["folder of packages", "folders of packages"]),
    form("line-end", "newline", &["line's end", "line end", "line ends"]),
];

/// Where a form stands in the tree.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Place {
    path: PathBuf,
    line: usize,
}

/// Forms that became more frequent, as faults. With `update`, lower counts are written instead of asked for.
pub fn faults(files: &[File], update: bool) -> Result<Vec<String>> {
    let places = places(files);
    let path = workspace::root().join(COUNTS);
    let allowed: BTreeMap<String, usize> = toml::from_str(&fs_err::read_to_string(&path)?)
        .with_context(|| format!("{COUNTS} is not a table of counts"))?;
    let mut faults = Vec::new();
    let mut falls = 0;
    for form in &FORMS {
        let found = places.get(form.name).map_or(&[][..], Vec::as_slice);
        let Some(&most) = allowed.get(form.name) else {
            faults.push(format!("{COUNTS} has no count for \"{}\"", form.name));
            continue;
        };
        if found.len() > most {
            faults.push(rise(form, found, most));
        }
        falls += most.saturating_sub(found.len());
    }
    let unknown = allowed
        .keys()
        .filter(|name| FORMS.iter().all(|form| form.name != *name));
    faults.extend(unknown.map(|name| format!("{COUNTS} counts \"{name}\", which is not a form")));
    match falls {
        0 => {}
        _ if update => fs_err::write(&path, lowered(&allowed, &places))?,
        _ => println!(
            "note: {falls} old forms fewer than {COUNTS} allows; `cargo xtask tidy --update` lowers its counts"
        ),
    }
    Ok(faults)
}

/// The table with each count at most what was found. A count is only ever raised by hand.
fn lowered(
    allowed: &BTreeMap<String, usize>,
    places: &BTreeMap<&'static str, Vec<Place>>,
) -> String {
    let mut text = String::from(
        "# How often each old form of docs/style.md occurs. Counts only fall: `cargo xtask tidy --update` lowers them.\n\
         # Raise one by hand only for words that are quoted from other software.\n",
    );
    for form in &FORMS {
        let found = places.get(form.name).map_or(0, Vec::len);
        let most = allowed
            .get(form.name)
            .map_or(found, |most| found.min(*most));
        let _ = writeln!(text, "{} = {most}", form.name);
    }
    text
}

fn places(files: &[File]) -> BTreeMap<&'static str, Vec<Place>> {
    let mut places: BTreeMap<&str, Vec<Place>> = BTreeMap::new();
    for file in files {
        for Line { number, text } in lines(&file.path, &file.text) {
            for form in forms_in(&text) {
                places.entry(form.name).or_default().push(Place {
                    path: file.path.clone(),
                    line: number,
                });
            }
        }
    }
    places
}

/// The text of a file that counts: not fixtures, which hold the words of others, nor generated pages, whose sources count.
fn lines(path: &Path, text: &str) -> Vec<Line> {
    let is_foreign = path.iter().any(|part| part == "fixtures");
    let is_generated = text
        .lines()
        .take(5)
        .any(|line| line.starts_with("<!-- Generated by"));
    if is_foreign || is_generated || EXEMPT.iter().any(|exempt| path == Path::new(exempt)) {
        return Vec::new();
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("rs") => prose::of_rust(text),
        Some("md") => prose::of_page(text),
        _ => Vec::new(),
    }
}

/// The forms in a line, each as often as it occurs.
fn forms_in(line: &str) -> impl Iterator<Item = &'static Form> {
    let lower = line.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric() && letter != '\'' && letter != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let mut found = Vec::new();
    for form in &FORMS {
        for phrase in form.phrases {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            let starts = words.windows(phrase.len()).enumerate();
            let fits = starts.filter(|(start, window)| {
                let before = start.checked_sub(1).and_then(|at| words.get(at));
                let after = words.get(start + phrase.len());
                *window == phrase
                    && before.is_none_or(|word| !form.fine_after.contains(word))
                    && after.is_none_or(|word| !form.fine_before.contains(word))
            });
            found.extend(fits.map(|_| form));
        }
    }
    found.into_iter()
}

/// A count that rose, with the lines that were added since the counts were last committed.
fn rise(form: &Form, found: &[Place], most: usize) -> String {
    let mut text = format!(
        "\"{}\" occurs {} times, {most} are allowed; write: {} (docs/style.md)",
        form.name,
        found.len(),
        form.better
    );
    let added = added_lines().unwrap_or_default();
    let new: Vec<String> = found
        .iter()
        .filter(|place| added.contains(place))
        .map(|place| format!("\n  {}:{}", place.path.display(), place.line))
        .collect();
    if new.is_empty() {
        text.push_str(&per_file(found));
    }
    text.extend(new.into_iter().take(PLACES_LISTED));
    text
}

/// Where history does not show what is new: the files with the most of it.
fn per_file(found: &[Place]) -> String {
    let mut counts: BTreeMap<&Path, usize> = BTreeMap::new();
    for place in found {
        *counts.entry(&place.path).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut text = String::new();
    for (path, count) in counts.iter().take(PLACES_LISTED) {
        let _ = write!(text, "\n  {} has {count}", path.display());
    }
    text
}

/// Lines of the working tree that the commit of the present counts does not have.
fn added_lines() -> Result<HashSet<Place>> {
    let git = |arguments: &[&str]| {
        command::output(
            Command::new("git")
                .args(arguments)
                .current_dir(workspace::root()),
        )
    };
    let commit = git(&["log", "-1", "--format=%H", "--", COUNTS])?;
    let diff = git(&[
        "diff",
        "-U0",
        "-M",
        "--no-color",
        "--no-ext-diff",
        commit.trim(),
        "--",
    ])?;
    Ok(added_in(&diff))
}

/// Lines that a diff without context adds, but for those that it only moves.
fn added_in(diff: &str) -> HashSet<Place> {
    let removed: HashSet<&str> = diff
        .lines()
        .filter(|line| !line.starts_with("---"))
        .filter_map(|line| line.strip_prefix('-'))
        .map(str::trim)
        .collect();
    let mut added = HashSet::new();
    let mut path = PathBuf::new();
    let mut number = 0;
    for line in diff.lines() {
        if let Some(name) = line.strip_prefix("+++ b/") {
            path = PathBuf::from(name);
        } else if let Some(hunk) = line.strip_prefix("@@ ") {
            number = first_added(hunk).unwrap_or(0);
        } else if let Some(text) = line.strip_prefix('+').filter(|_| !line.starts_with("+++")) {
            if !removed.contains(text.trim()) {
                added.insert(Place {
                    path: path.clone(),
                    line: number,
                });
            }
            number += 1;
        }
    }
    added
}

/// `-1,2 +3,4 @@`: 3.
fn first_added(hunk: &str) -> Option<usize> {
    let (_, added) = hunk.split_once('+')?;
    let end = added.find(|letter: char| !letter.is_ascii_digit())?;
    added[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(line: &str) -> Vec<&'static str> {
        forms_in(line).map(|form| form.name).collect()
    }

    #[test]
    fn an_old_form_is_found_whatever_its_case_and_neighbors() {
        assert_eq!(
            names("So many files: this is no (real) file."),
            ["is-no", "so-many"]
        );
        assert_eq!(names("told, told"), ["told", "told"]);
        assert_eq!(names("`Line's end`"), ["line-end"]);
    }

    #[test]
    fn ordinary_english_with_the_same_letters_is_not_counted() {
        let fine = [
            "there is no GPU",
            "the file is no longer there",
            "as long as it runs, so long as it runs",
            "the amendment was retold",
            "fn is_told_behind_it()",
        ];
        for line in fine {
            assert_eq!(names(line), [""; 0], "{line}");
        }
    }

    #[test]
    fn fixtures_generated_pages_and_names_in_code_do_not_count() {
        let count = |path: &str, text: &str| {
            let file = File {
                path: PathBuf::from(path),
                text: text.to_owned(),
            };
            places(&[file]).values().map(Vec::len).sum::<usize>()
        };
        assert_eq!(count("docs/page.md", "made anew"), 1);
        assert_eq!(count("crates/x/fixtures/page.md", "made anew"), 0);
        assert_eq!(
            count("docs/rules/x.md", "# x\n\n<!-- Generated by x -->\nanew"),
            0
        );
        assert_eq!(count("src/a.rs", "let anew = 1; // made anew"), 1);
        assert_eq!(count("src/a.toml", "anew"), 0);
    }

    #[test]
    fn an_added_line_is_named_and_a_moved_one_is_not() {
        let diff = "--- a/x.md\n+++ b/x.md\n@@ -4 +4,2 @@ head\n-old\n+new\n+newer\n--- a/y.md\n+++ b/y.md\n@@ -0,0 +9 @@\n+  old\n";
        let place = |line| Place {
            path: PathBuf::from("x.md"),
            line,
        };
        assert_eq!(added_in(diff), HashSet::from([place(4), place(5)]));
    }

    #[test]
    fn an_update_never_raises_a_count() {
        let allowed = BTreeMap::from([("anew".to_owned(), 1), ("told".to_owned(), 5)]);
        let place = |line| Place {
            path: PathBuf::from("a.md"),
            line,
        };
        let places = BTreeMap::from([("anew", vec![place(1), place(2)]), ("told", vec![place(1)])]);
        let text = lowered(&allowed, &places);
        assert!(text.contains("\nanew = 1\n"), "{text}");
        assert!(text.contains("\ntold = 1\n"), "{text}");
    }
}
