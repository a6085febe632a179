//! The page about all beliefs.

use anyhow::{Context, Result};

use super::belief::{Belief, sorted};
use crate::corpus::Case;
use crate::workspace;

const HEAD: &str = "\
# Folklore, put to the test

What people say makes TensorFlow crash, what they advise against it, and what really happened when a program tried.
This page is written by `cargo lab folklore --update` from the folders in [`folklore/`](../folklore), where the
programs are; a run without `--update` repeats them under crashlens and compares.

An exception is no crash: Python prints a traceback, and nothing is wrong with the memory. `exit 0` means that the
program did its work.
";

/// The kinds, and what they are called on the page.
const KINDS: [(&str, &str); 3] = [
    ("cause", "Causes"),
    ("remedy", "Remedies"),
    ("tool", "Tools"),
];

pub fn page(beliefs: &[Belief]) -> Result<String> {
    let mut lines = vec![HEAD.to_owned(), summary(beliefs)];
    for (kind, title) in KINDS {
        lines.push(format!("\n## {title}"));
        for belief in beliefs.iter().filter(|belief| belief.kind == kind) {
            lines.push(section(belief)?);
        }
    }
    Ok(lines.join("\n") + "\n")
}

fn summary(beliefs: &[Belief]) -> String {
    let mut lines = vec!["| belief | |".to_owned(), "|---|---|".to_owned()];
    for belief in beliefs {
        lines.push(format!(
            "| [{}](#{}) | {} |",
            belief.claim.trim_end_matches('.'),
            belief.name,
            belief.verdict
        ));
    }
    lines.join("\n")
}

fn section(belief: &Belief) -> Result<String> {
    let Belief { name, source, .. } = belief;
    let mut lines = vec![
        format!("\n### {name}\n"),
        format!("*{}* ({source})\n", belief.claim),
        format!("**{}.** {}\n", capitalised(&belief.verdict), belief.truth),
    ];
    if let Some(case) = &belief.corpus {
        let folder = workspace::root().join("corpus").join(case);
        let case = Case::read(&folder).with_context(|| format!("{name} names no case"))?;
        let outcomes: Vec<_> = sorted(&case.outcome_by_tensorflow)
            .into_iter()
            .map(|version| format!("{version}: {}", case.outcome_words(version).join(" or ")))
            .collect();
        lines.push(format!(
            "Tested by [`corpus/{0}`](../corpus/{0}). TensorFlow {1}.",
            case.id,
            outcomes.join("; ")
        ));
    } else if let Some(reason) = &belief.untested {
        lines.push(format!("Not tested by a program here. {reason}"));
    } else {
        let outcomes: Vec<_> = sorted(&belief.outcomes)
            .into_iter()
            .map(|version| format!("{version}: {}", belief.outcomes[version]))
            .collect();
        lines.push(format!(
            "Tested by [`folklore/{name}`](../folklore/{name}/program.py). TensorFlow {}.",
            outcomes.join("; ")
        ));
    }
    Ok(lines.join("\n"))
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}
