//! `cargo lab links`: holds what is predicted of native files against a real loader.

mod make;
mod page;
mod plan;
mod truth;
mod verdict;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use crashlens_core::Observed;
use crashlens_inspect::Question;

use crate::workspace;
use make::Places;
use plan::{Candidate, Plan};
use verdict::{Pair, Verdict};

#[derive(clap::Args)]
pub struct Options {
    /// Compare everything that the plan names, and write the tables
    #[arg(long)]
    update: bool,
    /// An environment of the plan that is there already; may be given several times
    #[arg(long = "environment", value_name = "NAME=FOLDER")]
    environments: Vec<String>,
    /// A folder with wheels that were downloaded already
    #[arg(long, value_name = "FOLDER")]
    wheels: Option<PathBuf>,
}

pub fn run(options: &Options) -> Result<()> {
    let plan = Plan::read()?;
    let live = !options.update;
    let places = Places::make(
        plan.environment.iter().filter(|one| one.live || !live),
        &options.environments,
        options.wheels.clone(),
    )?;
    let mut pairs = Vec::new();
    for (environment, files) in plan.candidates(live, &places)? {
        let compared = compare(&environment, &files, &places)?;
        let agreeing = compared.iter().filter(|pair| pair.agrees()).count();
        println!("{environment}: {agreeing} of {} agree", compared.len());
        pairs.extend(compared);
    }
    let disagreeing = pairs.iter().filter(|pair| !pair.agrees());
    for pair in disagreeing.clone() {
        let first = pair.predicted.first().unwrap_or(&Verdict::Opened);
        println!(
            "{}: {}: predicted: {first}; the loader: {}",
            pair.environment, pair.file, pair.observed
        );
    }
    if options.update {
        let root = workspace::root();
        fs_err::write(root.join("docs/links.md"), page::page(&pairs))?;
        fs_err::write(root.join("corpus/links.tsv"), page::table(&pairs))?;
        return Ok(());
    }
    let count = disagreeing.count();
    ensure!(count == 0, "{count} predictions disagree with the loader");
    Ok(())
}

/// Predicts all files of an environment, and asks its loader.
fn compare(environment: &str, files: &[Candidate], places: &Places) -> Result<Vec<Pair>> {
    let python = places.python(environment)?;
    let question = Question {
        python: Some(python.clone()),
        ..Question::default()
    };
    let paths: Vec<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
    let (links, _) = crashlens_inspect::links(&question, &paths)?;
    let asked: Vec<_> = paths
        .iter()
        .zip(&links)
        .map(|(path, link)| {
            let before = link.known().map_or(&[][..], |link| &link.opened_before);
            (path.as_path(), before)
        })
        .collect();
    let answers = truth::ask(&python, &asked)?;
    let pairs = files.iter().zip(&links).zip(answers);
    Ok(pairs
        .map(|((file, link), answer)| Pair {
            environment: environment.to_owned(),
            file: file.label.clone(),
            into_tensorflow: link.known().is_some_and(|link| link.into_tensorflow),
            predicted: verdict::predicted(link),
            missing_symbols: match link {
                Observed::Known(link) => link.missing_symbol_count,
                Observed::Absent | Observed::Unknown(_) => 0,
            },
            observed: verdict::observed(
                answer.map(|words| portable(&words, &file.path)).as_deref(),
            ),
        })
        .collect())
}

/// The loader's words without the folders of this machine.
fn portable(words: &str, file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    words.replace(&*file.to_string_lossy(), &name)
}
