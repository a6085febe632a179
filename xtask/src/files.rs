//! `cargo xtask files`: whether `crashlens check data` and `check model` tell the truth about damaged files.
//!
//! Undamaged files of every format are committed; damaged ones are made of them, the same ones on every machine. What
//! real TensorFlow does with each was recorded; what crashlens says of each is held against that.

mod base;
mod fields;
mod mutation;
mod plan;
mod seal;
mod sums;

use std::path::PathBuf;

use anyhow::{Result, ensure};

use self::base::Base;

#[derive(clap::Args)]
pub struct Options {
    /// Only files of this format, which is a folder below `corpus/files/base`; may be given several times
    #[arg(long, value_name = "FORMAT")]
    only: Vec<String>,
    /// Write the damaged files into this folder, and do nothing else
    #[arg(long, value_name = "FOLDER")]
    write: Option<PathBuf>,
    /// Other damage than that which was recorded
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
}

pub fn run(options: &Options) -> Result<()> {
    let bases: Vec<_> = Base::all()?
        .into_iter()
        .filter(|base| options.only.is_empty() || options.only.contains(&base.format))
        .collect();
    ensure!(!bases.is_empty(), "there are no such files");
    if let Some(folder) = &options.write {
        let mut counts = [0; 2];
        for base in &bases {
            for mutant in base.mutants(options.seed)? {
                mutant.write(folder)?;
                counts[usize::from(base.is_model())] += 1;
            }
        }
        println!(
            "{} data files and {} models in {}",
            counts[0],
            counts[1],
            folder.display()
        );
    }
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
}
