//! How often a program ends in which way: the rates that `varies` in `case.json` quotes.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use super::case::Case;
use super::{Options, live};

/// Runs a case many times without crashlens, and prints how often each ending came.
pub fn bare(folder: &Path, case: &Case, python: &Path, times: usize) -> Result<()> {
    if let Some(reason) = case.obstacle() {
        println!("{}: skipped, {reason}", case.id);
        return Ok(());
    }
    let mut endings = BTreeMap::new();
    for _ in 0..times {
        let ending = live::bare_ending(folder, case, python)?;
        *endings.entry(ending).or_default() += 1;
    }
    let name = format!("{}, bare (when recorded: {})", case.id, case.deterministic);
    print(&name, &endings, times);
    Ok(())
}

/// Runs a case many times under crashlens, and prints how often each answer came.
pub fn supervised(
    folder: &Path,
    case: &Case,
    options: &Options,
    python: &Path,
    crashlens: &Path,
    times: usize,
) -> Result<()> {
    let mut answers = BTreeMap::new();
    for _ in 0..times {
        let run = live::run_case(folder, case, options, python, crashlens)?;
        let verdict = run.verdict.map(|verdict| verdict.to_string());
        let facts = run.facts.map(|facts| facts.to_string());
        let answer = [
            Some(format!("by {}\n{}", run.ending, run.row)),
            verdict,
            facts,
        ];
        let answer: String = answer.into_iter().flatten().collect();
        *answers.entry(answer).or_default() += 1;
    }
    print(&format!("{}, supervised", case.id), &answers, times);
    Ok(())
}

fn print(name: &str, outcomes: &BTreeMap<String, usize>, times: usize) {
    println!("{name}:");
    for (outcome, seen) in outcomes {
        println!("  {seen}/{times} {}", outcome.trim_end());
    }
}
