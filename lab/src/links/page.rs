//! The tables that are committed: `docs/links.md` and `corpus/links.tsv`.

use std::collections::BTreeMap;

use super::verdict::{Pair, Verdict};

const HEAD: &str = "\
# Predictions against the loader

`crashlens check` says which native files will not load, without loading any. This page holds it against glibc's own
loader: every file is opened with `dlopen` and all symbols bound at once (`RTLD_NOW`) by the interpreter of the
environment, each in a process of its own. Files outside TensorFlow that are linked to its libraries are opened after
those libraries, as TensorFlow does; libraries that only a package loads by their path are opened before the files that
need them. Both the prediction and the loader are asked just that.

The page is written by `cargo lab links --update` from the plan in [`corpus/links.toml`](../corpus/links.toml); all
pairs are in [`corpus/links.tsv`](../corpus/links.tsv). A plain `cargo lab links` repeats those of one environment.
The machine had glibc 2.36 and no GPU.

*Same reason*: the loader stops at the first thing that it does not find; it is among those that were predicted.
";

const ANOTHER_REASON: &str = "
## Where the loader names something else

Of many missing symbols the prediction lists the first twenty, and the loader may stop at another one.
";

/// The page.
pub fn page(pairs: &[Pair]) -> String {
    let mut lines = vec![HEAD.to_owned()];
    lines.push(
        "| environment | pairs | open | do not | agree | disagree | same reason |".to_owned(),
    );
    lines.push("|---|---|---|---|---|---|---|".to_owned());
    let mut by_environment: BTreeMap<&str, Vec<&Pair>> = BTreeMap::new();
    for pair in pairs {
        by_environment
            .entry(&pair.environment)
            .or_default()
            .push(pair);
    }
    for (name, pairs) in &by_environment {
        lines.push(summary(name, pairs));
    }
    lines.push(summary("**all**", &pairs.iter().collect::<Vec<_>>()));
    lines.push("\n## Where they disagree\n".to_owned());
    let disagreeing: Vec<&Pair> = pairs.iter().filter(|pair| !pair.agrees()).collect();
    if disagreeing.is_empty() {
        lines.push("Nowhere.".to_owned());
    } else {
        lines.extend(listing(&disagreeing));
    }
    let elsewhere: Vec<&Pair> = pairs
        .iter()
        .filter(|pair| pair.agrees() && !pair.names_the_same())
        .collect();
    if !elsewhere.is_empty() {
        lines.push(ANOTHER_REASON.to_owned());
        lines.extend(listing(&elsewhere));
    }
    lines.push("\n## What does not open\n".to_owned());
    let failing: Vec<&Pair> = pairs
        .iter()
        .filter(|pair| pair.observed != Verdict::Opened && pair.agrees() && pair.names_the_same())
        .collect();
    lines.extend(listing(&failing));
    lines.join("\n") + "\n"
}

fn summary(name: &str, pairs: &[&Pair]) -> String {
    let count = |is: &dyn Fn(&Pair) -> bool| pairs.iter().filter(|pair| is(pair)).count();
    let failing = count(&|pair| pair.observed != Verdict::Opened);
    format!(
        "| {name} | {} | {} | {failing} | {} | {} | {} of {failing} |",
        pairs.len(),
        count(&|pair| pair.observed == Verdict::Opened),
        count(&|pair| pair.agrees()),
        count(&|pair| !pair.agrees()),
        count(&|pair| pair.observed != Verdict::Opened && pair.names_the_same()),
    )
}

fn listing(pairs: &[&Pair]) -> Vec<String> {
    let mut lines = vec![
        "| environment | file | predicted | the loader |".to_owned(),
        "|---|---|---|---|".to_owned(),
    ];
    lines.extend(pairs.iter().map(|pair| {
        format!(
            "| {} | {} | {} | {} |",
            pair.environment,
            pair.file,
            cell(&foretold(pair)),
            cell(&pair.observed.to_string())
        )
    }));
    lines
}

/// The prediction in a few words: what the loader names where that was predicted, else the first thing.
fn foretold(pair: &Pair) -> String {
    let same = pair.predicted.iter().find(|one| **one == pair.observed);
    let Some(shown) = same.or(pair.predicted.first()) else {
        return Verdict::Opened.to_string();
    };
    let all = (pair.predicted.len() as u64).max(pair.missing_symbols);
    match all {
        0 | 1 => shown.to_string(),
        _ => format!("{shown} (1 of {all})"),
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// All pairs.
pub fn table(pairs: &[Pair]) -> String {
    let mut lines = vec!["environment\tfile\topened by\tpredicted\tthe loader\tagree".to_owned()];
    lines.extend(pairs.iter().map(|pair| {
        let by = if pair.into_tensorflow {
            "TensorFlow"
        } else {
            "Python"
        };
        let agree = if pair.agrees() { "yes" } else { "no" };
        format!(
            "{}\t{}\t{by}\t{}\t{}\t{agree}",
            pair.environment,
            pair.file,
            foretold(pair),
            pair.observed
        )
    }));
    lines.join("\n") + "\n"
}
