//! `cargo lab files`: whether `crashlens check data` and `check model` tell the truth about damaged files.
//!
//! Undamaged files of every format are committed; damaged ones are made of them, the same ones on every machine. What
//! real TensorFlow does with each was recorded; what crashlens says of each is held against that.

mod base;
mod compare;
mod fields;
mod mutation;
mod page;
mod peers;
mod plan;
mod read;
mod said;
mod seal;
mod sums;
mod truth;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use self::base::{Base, Mutant};
use self::compare::{Comparison, Judged};
use self::peers::Peers;
use self::truth::Truth;
use crate::{python, workspace};

/// The damage that was recorded.
const SEED: u64 = 1;

#[derive(clap::Args, Default)]
pub struct Options {
    /// Only files of this format, which is a folder below `corpus/files/base`; may be given several times
    #[arg(long, value_name = "FORMAT")]
    only: Vec<String>,
    /// Write the damaged files into this folder, and do nothing else
    #[arg(long, value_name = "FOLDER")]
    write: Option<PathBuf>,
    /// Have this version of TensorFlow read the files, and record what it does
    #[arg(long, value_name = "VERSION")]
    truth: Option<String>,
    /// Ask other checkers about the files, and record what they say
    #[arg(long, conflicts_with = "truth")]
    peers: bool,
    /// The interpreter with that version, or with the other checkers, instead of making an environment
    #[arg(long, value_name = "PATH")]
    python: Option<PathBuf>,
    /// Other damage than that which was recorded: with `--write`
    #[arg(long, default_value_t = SEED, value_name = "NUMBER", requires = "write")]
    seed: u64,
    /// Write the page
    #[arg(long)]
    update: bool,
    /// Write all misses to this file
    #[arg(long, value_name = "FILE")]
    misses: Option<PathBuf>,
    /// Use this crashlens instead of building one
    #[arg(long, value_name = "PATH")]
    crashlens: Option<PathBuf>,
}

pub fn run(options: &Options) -> Result<()> {
    let bases: Vec<_> = Base::all()?
        .into_iter()
        .filter(|base| options.only.is_empty() || options.only.contains(&base.format))
        .collect();
    ensure!(!bases.is_empty(), "there are no such files");
    let mut mutants = Vec::new();
    for base in &bases {
        mutants.extend(base.mutants(options.seed)?);
    }
    if let Some(folder) = &options.write {
        let written = write(&mutants, folder)?;
        println!("{} files in {}", written.len(), folder.display());
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let paths = write(&mutants, folder.path())?;
    if let Some(version) = &options.truth {
        return measure(
            version,
            options.python.as_deref(),
            &labelled(&mutants, paths),
        );
    }
    if options.peers {
        let files = labelled(&mutants, paths);
        let mut peers = Peers::read()?;
        peers.replace(Peers::measure(options.python.clone(), &files)?);
        return peers.write();
    }
    let crashlens = workspace::crashlens(options.crashlens.as_deref())?;
    let judged = judge(&crashlens, &mutants, &paths)?;
    drop(folder);
    report(&judged, options)
}

fn write(mutants: &[Mutant<'_>], folder: &Path) -> Result<Vec<PathBuf>> {
    mutants.iter().map(|mutant| mutant.write(folder)).collect()
}

fn labelled(mutants: &[Mutant<'_>], paths: Vec<PathBuf>) -> Vec<(String, PathBuf)> {
    mutants.iter().map(Mutant::label).zip(paths).collect()
}

fn measure(version: &str, given: Option<&Path>, files: &[(String, PathBuf)]) -> Result<()> {
    let python = match given {
        Some(python) => python.to_owned(),
        None => environment(version)?,
    };
    let mut truth = Truth::of(version)?;
    truth.replace(truth::measure(&python, files)?);
    truth.write(version)
}

fn environment(version: &str) -> Result<PathBuf> {
    let interpreter = python::of_series((3, 11)).context("no Python 3.11 here")?;
    let packages = BTreeSet::from([
        format!("tensorflow-cpu=={version}"),
        "h5py".to_owned(),
        "safetensors".to_owned(),
    ]);
    let name = format!("venv-files-{version}");
    python::environment(&name, &interpreter, &packages, None)
}

/// What crashlens says of all files, by default and with `--full`.
fn judge(crashlens: &Path, mutants: &[Mutant<'_>], paths: &[PathBuf]) -> Result<Vec<Judged>> {
    let mut said = [BTreeMap::new(), BTreeMap::new()];
    for (full, said) in [false, true].into_iter().zip(&mut said) {
        for kind in ["data", "model"] {
            let asked: Vec<_> = mutants
                .iter()
                .zip(paths)
                .filter(|(mutant, _)| mutant.base.is_model() == (kind == "model"))
                .map(|(_, path)| path.as_path())
                .collect();
            if !asked.is_empty() {
                said.extend(said::ask(crashlens, kind, full, &asked)?);
            }
        }
    }
    let of = |path: &PathBuf, said: &BTreeMap<PathBuf, said::Said>| {
        let found = said.get(path).cloned();
        found.with_context(|| format!("crashlens says nothing of {}", path.display()))
    };
    let pairs = mutants.iter().zip(paths);
    pairs
        .map(|(mutant, path)| {
            Ok(Judged {
                format: mutant.base.format.clone(),
                base: mutant.base.label(),
                deed: mutant.deed(),
                said: [of(path, &said[0])?, of(path, &said[1])?],
            })
        })
        .collect()
}

fn report(judged: &[Judged], options: &Options) -> Result<()> {
    let mut comparisons: Vec<(&'static str, Comparison<'_>)> = Vec::new();
    for version in truth::VERSIONS {
        let compared = compare::compare(judged, version, &Truth::of(version)?);
        comparisons.push((version, compared));
    }
    if let Some(path) = &options.misses {
        fs_err::write(path, page::misses(&comparisons))?;
    }
    let mut faults = Vec::new();
    for (version, comparison) in &comparisons {
        for class in compare::Class::ALL {
            let total = comparison.total(class);
            println!(
                "{version} {class:?}: {} flagged, {} with --full, of {}",
                total.flagged[0], total.flagged[1], total.all
            );
        }
        faults.extend(comparison.faults(version));
    }
    if options.only.is_empty() {
        let newest = truth::VERSIONS[0];
        let beside = compare::beside(judged, newest, &Truth::of(newest)?, &Peers::read()?);
        let page = page::page(&comparisons, &beside);
        let path = workspace::root().join(page::PAGE);
        if options.update {
            fs_err::write(&path, page)?;
        } else if fs_err::read_to_string(&path)? != page {
            faults.push(format!(
                "{} is stale; `cargo lab files --update` writes it",
                page::PAGE
            ));
        }
    }
    for fault in &faults {
        println!("{fault}");
    }
    ensure!(faults.is_empty(), "{} faults", faults.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_mutation_says_how_to_do_it_again() {
        for base in Base::all().unwrap() {
            for mutant in base.mutants(1).unwrap() {
                let name = mutant.mutation.to_string();
                let again: mutation::Mutation = name.parse().unwrap();
                assert_eq!(again, mutant.mutation);
                assert!(mutant.label().len() < 240, "{} is long", mutant.label());
            }
        }
    }

    #[test]
    fn there_are_five_thousand_of_them() {
        let bases = Base::all().unwrap();
        let counts = bases.iter().map(|base| base.mutants(1).unwrap().len());
        assert!(counts.sum::<usize>() > 5000);
    }

    #[test]
    fn every_file_was_read_by_every_version_that_reads_its_base() {
        for version in truth::VERSIONS {
            let truth = Truth::of(version).unwrap();
            for base in Base::all().unwrap() {
                let label = base.label();
                if truth.outcome(&label, "whole").is_none() {
                    continue;
                }
                for mutant in base.mutants(1).unwrap() {
                    let outcome = truth.outcome(&label, &mutant.deed());
                    assert!(outcome.is_some(), "{version}: {}", mutant.label());
                }
            }
        }
    }
}
