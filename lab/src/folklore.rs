//! `cargo lab folklore`: runs the programs that test popular beliefs, and writes the page about them.
//!
//! A belief is a folder: `belief.toml` says what is believed and what holds, `program.py` puts it to the test, and what
//! the program did on each version of TensorFlow is kept below `[outcomes]`, where this command writes it.

mod belief;
mod page;
mod run;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use nix::sys::resource::{Resource, setrlimit};

use self::belief::Belief;
use crate::majority::{self, Standing};
use crate::{corpus, side_by_side, workspace};

const PAGE: &str = "docs/folklore.md";

#[derive(clap::Args)]
pub struct Options {
    /// The version of tensorflow-cpu
    #[arg(long, value_name = "VERSION", default_value = corpus::DEFAULT_TENSORFLOW)]
    pub tensorflow: String,
    /// Test only this belief; may be given several times
    #[arg(long = "belief", value_name = "NAME")]
    pub beliefs: Vec<String>,
    /// Write what happened, and the page
    #[arg(long)]
    pub update: bool,
    /// Use this crashlens instead of building one
    #[arg(long, value_name = "PATH")]
    pub crashlens: Option<PathBuf>,
    /// Use this interpreter, which has TensorFlow, instead of making an environment
    #[arg(long, value_name = "PATH")]
    pub python: Option<PathBuf>,
}

pub fn run(options: &Options) -> Result<()> {
    let python = match &options.python {
        Some(path) => std::path::absolute(path)?,
        None => corpus::environment_of(&options.tensorflow)?,
    };
    let crashlens = workspace::crashlens(options.crashlens.as_deref())?;
    // Core files would be written where the machine's core_pattern is a plain file name.
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    let tested: Vec<_> = Belief::all()?
        .into_iter()
        .filter(Belief::is_run)
        .filter(|belief| options.beliefs.is_empty() || options.beliefs.contains(&belief.name))
        .collect();
    let mut different = 0;
    let work = |belief: &Belief| {
        majority::count(
            || run::outcome(belief, &python, &crashlens),
            |outcome| standing(belief, &options.tensorflow, outcome),
        )
    };
    side_by_side::in_order(&tested, work, |belief, runs| {
        let outcome = &runs.taken().0;
        println!("{:<34}{outcome}", belief.name);
        for remark in runs.remarks() {
            println!("    {remark}");
        }
        if runs.is_same() {
            return Ok(());
        }
        if options.update {
            return belief.record(&options.tensorflow, outcome);
        }
        different += 1;
        Ok(())
    })?;
    if options.update {
        fs_err::write(workspace::root().join(PAGE), page::page(&Belief::all()?)?)?;
        println!("wrote {PAGE}");
    }
    ensure!(different == 0, "{different} programs did something else");
    Ok(())
}

/// What one outcome means beside the recorded one. Where runs differ, all that was seen is recorded.
fn standing(belief: &Belief, tensorflow: &str, outcome: &str) -> Standing {
    let before = belief.outcomes.get(tensorflow).map(String::as_str);
    let before = before.unwrap_or("nothing");
    if before.split(" or ").any(|one| one == outcome) {
        Standing::Same
    } else {
        Standing::Differs(format!(
            "{outcome}; {before} is recorded for TensorFlow {tensorflow}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_as_the_beliefs_tell() {
        let committed = fs_err::read_to_string(workspace::root().join(PAGE)).unwrap();
        assert!(
            committed == page::page(&Belief::all().unwrap()).unwrap(),
            "{PAGE} is stale; `cargo lab folklore --update` writes it"
        );
    }

    #[test]
    fn every_belief_is_put_to_the_test_or_says_why_not() {
        for belief in Belief::all().unwrap() {
            let ways = [
                belief.has_program(),
                belief.corpus.is_some(),
                belief.untested.is_some(),
            ];
            let ways = ways.into_iter().filter(|way| *way).count();
            assert_eq!(ways, 1, "{}", belief.name);
            assert!(
                !belief.is_run() || belief.outcomes.contains_key(corpus::DEFAULT_TENSORFLOW),
                "{} was not run",
                belief.name
            );
        }
    }

    #[test]
    fn no_crash_is_called_false_where_one_happened_as_believed() {
        let is_believed = |outcome: &String| outcome.starts_with("SIGSEGV");
        for belief in Belief::all().unwrap() {
            if belief.kind == "cause" && belief.verdict == "false" {
                assert!(
                    !belief.outcomes.values().any(is_believed),
                    "{} did happen",
                    belief.name
                );
            }
        }
    }
}
