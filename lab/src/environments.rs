//! `cargo lab environments`: whether `crashlens check` tells the truth.
//!
//! Each environment is made of real packages, as a file in `environments/` describes it. A program uses it, which shows
//! what really happens; then the check says what it sees, without running anything. Both are compared with the
//! description, and written side by side into a page.

mod build;
mod compare;
mod description;
mod observe;
mod page;
mod record;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use nix::sys::resource::{Resource, setrlimit};

use self::description::{Base, Environment};
use self::page::Seen;
use crate::majority::{self, Standing};
use crate::workspace;

#[derive(clap::Args, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub struct Options {
    /// Make and check only this one; may be given several times
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Only the small ones, which are part of the project's tests
    #[arg(long)]
    pub ci: bool,
    /// Write what happened, and the page
    #[arg(long)]
    pub update: bool,
    /// Keep the surveys of those that say so, as test cases of the rules
    #[arg(long)]
    pub record: bool,
    /// Do one half only; the other is taken to be as it was last seen
    #[arg(long, value_enum, value_name = "HALF")]
    pub only: Option<Half>,
    /// Leave the environments in place
    #[arg(long)]
    pub keep: bool,
    /// Use this crashlens instead of building one
    #[arg(long, value_name = "PATH")]
    pub crashlens: Option<PathBuf>,
}

/// What is done with an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Half {
    Programs,
    Checks,
}

pub fn run(options: &Options) -> Result<()> {
    let bases = Base::all()?;
    let wanted: Vec<_> = Environment::all()?
        .into_iter()
        .filter(|one| options.names.is_empty() || options.names.contains(&one.name))
        .filter(|one| one.ci || !options.ci)
        .collect();
    ensure!(!wanted.is_empty(), "there is no such environment");
    let crashlens = match &options.crashlens {
        None if options.only == Some(Half::Programs) => PathBuf::new(),
        given => workspace::crashlens(given.as_deref())?,
    };
    // Core files would be written where the machine's core_pattern is a plain file name.
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    let mut seen = page::read()?;
    let mut different = 0;
    for environment in &wanted {
        let before = seen.get(&environment.name).cloned();
        match one(environment, &bases, &crashlens, options, before) {
            Ok((now, faults)) => {
                println!(
                    "{:<44}{:<10}{} found",
                    environment.name,
                    now.outcome.ended,
                    now.findings.len()
                );
                for fault in &faults {
                    println!("    {fault}");
                }
                different += usize::from(!faults.is_empty());
                seen.insert(environment.name.clone(), now);
                if options.update {
                    page::write(&seen)?;
                }
            }
            Err(error) => {
                println!("{:<44}{error:#}", environment.name);
                different += 1;
            }
        }
    }
    println!("{} environments, {different} differ", wanted.len());
    ensure!(
        different == 0,
        "{different} environments differ from their description"
    );
    Ok(())
}

/// Makes one environment, uses and checks it; what was seen, and what differs from the description.
fn one(
    environment: &Environment,
    bases: &[Base],
    crashlens: &Path,
    options: &Options,
    before: Option<Seen>,
) -> Result<(Seen, Vec<String>)> {
    let place = build::build(environment, bases)?;
    let before = before.unwrap_or_default();
    let mut faults = Vec::new();
    let mut seen = before;
    if options.only != Some(Half::Checks) {
        let runs = majority::count(
            || observe::really(environment, &place),
            |outcome| {
                let faults = compare::outcome(environment, outcome);
                if faults.is_empty() {
                    Standing::Same
                } else {
                    Standing::Differs(faults.join("; "))
                }
            },
        )?;
        for remark in runs.remarks() {
            println!("    {}: {remark}", environment.name);
        }
        seen.outcome = runs.into_taken().0;
        faults.extend(compare::outcome(environment, &seen.outcome));
    }
    if options.only != Some(Half::Programs) {
        let saved = tempfile::tempdir()?;
        let survey = saved.path().join("survey");
        let is_recorded = options.record && environment.record;
        let save = is_recorded.then_some(survey.as_path());
        seen.findings = observe::checked(environment, &place, crashlens, save)?;
        faults.extend(compare::findings(environment, &seen.findings));
        if is_recorded {
            record::keep(environment, &place, &survey)?;
        }
    }
    if let Some(folder) = place.folder.as_ref().filter(|_| !options.keep) {
        fs_err::remove_dir_all(folder)?;
    }
    Ok((page::anonymous(&seen, &place)?, faults))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_as_it_was_seen() {
        let committed = fs_err::read_to_string(workspace::root().join(page::PAGE)).unwrap();
        assert!(
            committed == page::page(&Environment::all().unwrap(), &page::read().unwrap()),
            "{} is stale; `cargo lab environments --update` writes it",
            page::PAGE
        );
    }

    #[test]
    fn every_environment_was_seen_as_it_is_described() {
        let seen = page::read().unwrap();
        for environment in Environment::all().unwrap() {
            let seen = seen.get(&environment.name);
            let seen = seen.unwrap_or_else(|| panic!("{} was never run", environment.name));
            assert!(
                environment.ends.contains(&seen.outcome.ended),
                "{} ended with {}",
                environment.name,
                seen.outcome.ended
            );
            let faults = compare::findings(&environment, &seen.findings);
            assert!(faults.is_empty(), "{}: {faults:?}", environment.name);
        }
    }

    #[test]
    fn a_healthy_environment_does_its_work_and_nothing_is_found() {
        for environment in Environment::all().unwrap() {
            if environment.chapter == "healthy" {
                assert_eq!(environment.ends, ["exit 0"], "{}", environment.name);
                assert!(environment.findings.is_empty(), "{}", environment.name);
            }
        }
    }
}
