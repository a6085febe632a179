//! The page that is committed: `docs/files.md`.

use super::compare::{Class, Comparison, Count, Miss};

pub const PAGE: &str = "docs/files.md";
/// Misses of one kind that are named; the rest is counted.
const NAMED: usize = 20;

const HEAD: &str = "\
# Damaged files, put to the test

Undamaged files of every format, written by the real tools, are in [`corpus/files/base`](../corpus/files/base).
`cargo xtask files` damages them in seeded ways: cut, flipped, zeroed, swapped, inserted, doubled, changed in transfer,
and header fields edited with right checksums. Each damaged file was read by real TensorFlow, in processes that may die;
[`corpus/files/truth-*.tsv`](../corpus/files) say what came of it. This page holds what `crashlens check data` and
`crashlens check model` say of the same files against that; it is written by `cargo xtask files --update`.

A file is *flagged* where something is found at `can-crash` or above, which makes the exit status 1. Cells have the files
flagged by structure and checksums, then those flagged with `--full`, *of* all. *Breaks*: TensorFlow dies of a signal or
hangs. *Rejects*: an exception, in reading or at the first use. *Other values*: it reads something else than what was
written, without a word; where a format has no checksum nothing but a manifest shows that. *Reads*: it gives what the
undamaged file gives, so that flagging it is a false alarm. Bases that a version cannot read undamaged are left out.
";

/// The page of all versions.
pub fn page(comparisons: &[(&'static str, Comparison<'_>)]) -> String {
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
    lines.push("## Misses\n".to_owned());
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

fn named(class: Class, comparisons: &[(&'static str, Comparison<'_>)]) -> Vec<String> {
    let misses: Vec<&Miss<'_>> = comparisons
        .iter()
        .flat_map(|(_, comparison)| &comparison.misses)
        .filter(|miss| miss.class == class)
        .collect();
    if misses.is_empty() {
        return vec!["None.\n".to_owned()];
    }
    let mut lines: Vec<String> = misses.iter().take(NAMED).map(|miss| line(miss)).collect();
    if misses.len() > NAMED {
        lines.push(format!("- and {} more", misses.len() - NAMED));
    }
    lines.push(String::new());
    lines
}

/// One miss, in words.
pub fn line(miss: &Miss<'_>) -> String {
    let said = &miss.file.said[1];
    let said = if said.rules.is_empty() {
        "nothing".to_owned()
    } else {
        said.rules.join(", ")
    };
    format!(
        "- `{}`, {}: {}; said: {said}",
        miss.file.label(),
        miss.version,
        miss.outcome
    )
}
