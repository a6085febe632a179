//! The page that is committed: `docs/files.md`.

use std::collections::BTreeMap;

use super::compare::{Class, Comparison, Count, Miss};

pub const PAGE: &str = "docs/files.md";

const HEAD: &str = "\
# Damaged files, put to the test

Undamaged files of every format, written by the real tools, are in [`corpus/files/base`](../corpus/files/base).
`cargo lab files` damages them in seeded ways: cut, flipped, zeroed, swapped, inserted, doubled, changed in transfer,
and header fields edited with right checksums. Each damaged file was read by real TensorFlow, in processes that may die;
[`corpus/files/truth-*.tsv`](../corpus/files) say what came of it. This page holds what `crashlens check data` and
`crashlens check model` say of the same files against that; it is written by `cargo lab files --update`.

A file is *flagged* where something is found at `can-crash` or above, which makes the exit status 1; what is said of other
versions alone (\"raises in 2.12.1, is read by 2.21.0\") counts for those. Cells have the files
flagged by structure and checksums, then those flagged with `--full`, *of* all. *Breaks*: TensorFlow dies of a signal or
hangs. *Rejects*: an exception, in reading or at the first use. *Other values*: it reads something else than what was
written, without a word; where a format has no checksum nothing but a manifest shows that. *Reads*: it gives what the
undamaged file gives, so that flagging it is a false alarm. Bases that a version cannot read undamaged are left out.
";

const PEERS: &str = "\
## Beside other checkers

The same files, and what TensorFlow 2.21.0 does with them: how many each checker flags. Pillow 10.3.0, `tfrecord` 1.14.6,
h5py 3.16.0 (every dataset and attribute read), modelscan 0.8.8 with TensorFlow, picklescan 1.0.5. The last two look for
code that a model runs, not for damage; they are here because they are what people run on models. An exception of the
checker counts as flagged, and so do the errors that modelscan and picklescan tell of.

| checker | format | breaks | rejects | other values | reads | crashlens: breaks | rejects | other values | reads |
|---|---|---|---|---|---|---|---|---|---|";

/// What another checker flags of one format, with what crashlens flags of the same files.
#[derive(Debug)]
pub struct Beside {
    pub tool: String,
    pub format: String,
    /// All files of a class, those that the tool flags, and those that crashlens flags with `--full`.
    pub counts: BTreeMap<Class, [usize; 3]>,
}

impl Beside {
    fn row(&self) -> String {
        let cells = |place: usize| {
            Class::ALL.map(|class| {
                let count = self.counts.get(&class);
                count.map_or_else(String::new, |count| {
                    format!("{} of {}", count[place], count[0])
                })
            })
        };
        let (theirs, ours) = (cells(1).join(" | "), cells(2).join(" | "));
        format!("| {} | {} | {theirs} | {ours} |", self.tool, self.format)
    }
}

/// The page of all versions.
pub fn page(comparisons: &[(&'static str, Comparison<'_>)], beside: &[Beside]) -> String {
    let mut lines = vec![HEAD.to_owned()];
    for (version, comparison) in comparisons {
        lines.push(format!("## TensorFlow {version}\n"));
        lines.push("| format | breaks | rejects | other values | reads |".to_owned());
        lines.push("|---|---|---|---|---|".to_owned());
        for (format, counts) in &comparison.counts {
            let cells = Class::ALL.map(|class| cell(counts.get(&class).copied()));
            lines.push(format!("| {format} | {} |", cells.join(" | ")));
        }
        let cells = Class::ALL.map(|class| percent(comparison.total(class)));
        lines.push(format!("| **all** | {} |\n", cells.join(" | ")));
    }
    lines.push(PEERS.to_owned());
    lines.extend(beside.iter().map(Beside::row));
    lines.push("\n## Misses\n".to_owned());
    for (class, title) in [
        (Class::Breaks, "Breaks TensorFlow, and is not flagged"),
        (Class::Rejects, "Rejected, and not flagged"),
        (Class::Reads, "Read, and flagged"),
    ] {
        lines.push(format!("### {title}\n"));
        lines.extend(named(class, comparisons));
    }
    lines.join("\n") + "\n"
}

fn cell(count: Option<Count>) -> String {
    count.map_or_else(String::new, |count| {
        format!(
            "{}, {} of {}",
            count.flagged[0], count.flagged[1], count.all
        )
    })
}

fn percent(count: Count) -> String {
    let share = |part: usize| 100.0 * part as f64 / count.all.max(1) as f64;
    format!(
        "{}, {} of {} ({:.1} %, {:.1} %)",
        count.flagged[0],
        count.flagged[1],
        count.all,
        share(count.flagged[0]),
        share(count.flagged[1])
    )
}

/// Every miss of a class once, with the versions that it is one for.
fn named(class: Class, comparisons: &[(&'static str, Comparison<'_>)]) -> Vec<String> {
    let mut by_file: BTreeMap<(String, String), Vec<&Miss<'_>>> = BTreeMap::new();
    let misses = comparisons.iter().flat_map(|(_, one)| &one.misses);
    for miss in misses.filter(|miss| miss.class == class) {
        let key = (miss.file.label(), miss.outcome.to_string());
        by_file.entry(key).or_default().push(miss);
    }
    if by_file.is_empty() {
        return vec!["None.\n".to_owned()];
    }
    let mut lines: Vec<String> = by_file.values().map(|misses| line(misses)).collect();
    lines.push(String::new());
    lines
}

/// A file that several versions do the same with, in words.
fn line(misses: &[&Miss<'_>]) -> String {
    let versions: Vec<&str> = misses.iter().map(|miss| miss.version).collect();
    let first = misses.first().map_or_else(String::new, |miss| {
        let said = miss.file.said[1].rules();
        format!("{}; said: {said}", miss.outcome)
    });
    let label = misses
        .first()
        .map_or_else(String::new, |miss| miss.file.label());
    format!("- `{label}`, {}: {first}", versions.join(", "))
}

/// All misses, by format.
pub fn misses(comparisons: &[(&'static str, Comparison<'_>)]) -> String {
    let mut by_format: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for miss in comparisons.iter().flat_map(|(_, one)| &one.misses) {
        let line = format!("{} ({})", line(&[miss]), miss.file.said[1].detail());
        by_format.entry(&miss.file.format).or_default().push(line);
    }
    let chapters = by_format
        .iter()
        .map(|(format, lines)| format!("## {format}: {}\n\n{}\n", lines.len(), lines.join("\n")));
    chapters.collect::<Vec<_>>().join("\n")
}
