//! `cargo xtask corpus`: runs the live corpus under crashlens and scores the answers.
//!
//! Works only through the command line and the JSON report, as a user's own tools would.

mod case;
mod causes;
mod compare;
mod knowledge;
mod live;
mod names;
mod score;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use nix::sys::resource::{Resource, setrlimit};

pub use self::case::Case;
use self::knowledge::Facts;
use self::score::{Row, Score};
use crate::{python, workspace};

/// The version that the committed score and the project's tests are about.
pub const DEFAULT_TENSORFLOW: &str = "2.15.1";

#[derive(clap::Args)]
pub struct Options {
    /// The version of tensorflow-cpu
    #[arg(long, value_name = "VERSION", default_value = DEFAULT_TENSORFLOW)]
    pub tensorflow: String,
    /// Run only this case; may be given several times
    #[arg(long = "case", value_name = "ID")]
    pub cases: Vec<String>,
    /// Run the cases of this folder of the corpus, and score only the causes named
    #[arg(long, value_name = "FOLDER")]
    pub set: Option<String>,
    /// Write the score as the snapshot that later runs are compared with
    #[arg(long)]
    pub update: bool,
    /// Use this crashlens instead of building one
    #[arg(long, value_name = "PATH")]
    pub crashlens: Option<PathBuf>,
    /// Use this interpreter, which has TensorFlow, instead of making an environment
    #[arg(long, value_name = "PATH")]
    pub python: Option<PathBuf>,
    /// Judge again the captures that an earlier run kept here, instead of running the programs
    #[arg(long, value_name = "FOLDER", conflicts_with = "keep")]
    pub kept: Option<PathBuf>,
    /// Keep each case's folder (report, capture, output) here
    #[arg(long, value_name = "FOLDER")]
    pub keep: Option<PathBuf>,
}

pub fn run(options: &Options) -> Result<()> {
    let all: Vec<_> = Case::all_in(&folder(options))?
        .into_iter()
        .filter(|(_, case)| !case.expected(&options.tensorflow).is_empty())
        .collect();
    for id in &options.cases {
        ensure!(
            all.iter().any(|(_, case)| case.id == *id),
            "no case {id} on TensorFlow {}",
            options.tensorflow
        );
    }
    let crashlens = workspace::crashlens(options.crashlens.as_deref())?;
    let is_wanted = |case: &Case| options.cases.is_empty() || options.cases.contains(&case.id);
    if let Some(kept) = &options.kept {
        let cases = all.iter().filter(|(_, case)| is_wanted(case));
        let verdicts: Vec<_> = cases
            .map(|(_, case)| live::judge_kept(case, options, &crashlens, kept))
            .collect::<Result<_>>()?;
        let verdicts: Vec<_> = verdicts.into_iter().flatten().collect();
        return causes::settle(&verdicts, &causes_path(options), options.update);
    }
    let python = match &options.python {
        Some(path) => std::path::absolute(path)?,
        None => environment(&options.tensorflow, &all)?,
    };
    // Core files of gigabytes would be written where the machine's core_pattern is a plain file name.
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;

    println!("{}", Row::HEADING);
    let mut score = Score::default();
    let mut table = Vec::new();
    let mut verdicts = Vec::new();
    for (folder, case) in &all {
        if is_wanted(case) {
            let (row, facts, verdict) = live::run_case(folder, case, options, &python, &crashlens)?;
            print!("{row}");
            for remark in &row.remarks {
                println!("    (not scored: {remark})");
            }
            score.rows.push(row);
            table.extend(facts);
            verdicts.extend(verdict);
        }
    }
    println!("\n{}", score.summary());
    let causes = causes::settle(&verdicts, &causes_path(options), options.update);
    if options.set.is_some() {
        return causes;
    }
    let knowledge = settle_knowledge(options, &table);
    settle(options, &score).and(knowledge).and(causes)
}

/// Where the cases are.
fn folder(options: &Options) -> PathBuf {
    let corpus = workspace::root().join("corpus");
    options
        .set
        .as_ref()
        .map_or(corpus.clone(), |set| corpus.join(set))
}

fn causes_path(options: &Options) -> PathBuf {
    folder(options).join(format!("confusion-{}.txt", options.tensorflow))
}

/// Compares the table of named facts with the committed one, or writes it.
fn settle_knowledge(options: &Options, table: &[Facts]) -> Result<()> {
    let path = workspace::root().join(format!("corpus/knowledge-{}.txt", options.tensorflow));
    let committed = fs_err::read_to_string(&path).unwrap_or_default();
    let mut rows = score::blocks(&committed);
    let mut lost = 0;
    println!("\n{}", knowledge::heading());
    for facts in table {
        let now = facts.to_string();
        print!("{now}");
        let before = rows.insert(facts.id.clone(), now.clone());
        // Where an address lies changes from run to run; that something is named does not.
        let before = before.unwrap_or_default();
        let (named, missed) = knowledge::counts(&before);
        let is_worse = facts.named() < named || facts.missed() > missed;
        if !options.update && facts.deterministic && is_worse {
            println!("    less than in the committed row:\n{before}");
            lost += 1;
        }
    }
    let count = |facts: fn(&Facts) -> usize| table.iter().map(facts).sum::<usize>();
    println!(
        "{} facts named, {} missed, in {} deaths",
        count(Facts::named),
        count(Facts::missed),
        table.len()
    );
    if options.update {
        let rows: String = rows.into_values().collect();
        fs_err::write(&path, format!("{}\n{rows}", knowledge::heading()))?;
        println!("wrote {}", path.display());
    }
    ensure!(lost == 0, "{lost} rows name less than {}", path.display());
    Ok(())
}

fn settle(options: &Options, score: &Score) -> Result<()> {
    let path = snapshot_path(&options.tensorflow);
    if options.update {
        fs_err::write(
            &path,
            score.merged_into(&fs_err::read_to_string(&path).unwrap_or_default()),
        )?;
        println!("wrote {}", path.display());
        return Ok(());
    }
    let Ok(committed) = fs_err::read_to_string(&path) else {
        bail!(
            "there is no committed score for TensorFlow {}; --update writes one",
            options.tensorflow
        );
    };
    let differences = score.differences(&committed);
    for difference in &differences.tolerated {
        println!("differs from the committed score, which varies from run to run: {difference}");
    }
    for difference in &differences.failures {
        println!("differs from the committed score: {difference}");
    }
    ensure!(
        differences.failures.is_empty(),
        "{} cases differ from {}",
        differences.failures.len(),
        path.display()
    );
    println!("as in the committed score, in all cases whose runs end alike");
    Ok(())
}

fn snapshot_path(tensorflow: &str) -> PathBuf {
    workspace::root().join(format!("corpus/score-{tensorflow}.txt"))
}

/// The interpreter of an environment with this TensorFlow and what the cases need beside it.
pub fn default_environment() -> Result<PathBuf> {
    environment_of(DEFAULT_TENSORFLOW)
}

/// The same for another version.
pub fn environment_of(tensorflow: &str) -> Result<PathBuf> {
    environment(tensorflow, &Case::all()?)
}

fn environment(tensorflow: &str, cases: &[(PathBuf, Case)]) -> Result<PathBuf> {
    let series = match tensorflow {
        "2.4.1" => (3, 8),
        "2.8.0" => (3, 10),
        _ => (3, 11),
    };
    let Some(interpreter) = python::of_series(series) else {
        bail!(
            "TensorFlow {tensorflow} needs Python {}.{}, and there is none here",
            series.0,
            series.1
        );
    };
    let mut packages = BTreeSet::from([format!("tensorflow-cpu=={tensorflow}")]);
    if series < (3, 11) {
        // Generated code of these versions refuses any later protobuf.
        packages.insert("protobuf<3.21".to_owned());
    }
    for (_, case) in cases
        .iter()
        .filter(|(_, case)| !case.expected(tensorflow).is_empty())
    {
        packages.extend(case.packages.iter().cloned());
    }
    let constraints = workspace::root().join(format!("corpus/constraints-{tensorflow}.txt"));
    let constraints = constraints.is_file().then_some(constraints);
    python::environment(
        &format!("venv-{tensorflow}"),
        &interpreter,
        &packages,
        constraints.as_deref(),
    )
}

/// Copies a case's files, so that nothing a run leaves behind reaches the next one.
fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs_err::create_dir_all(to)?;
    for entry in fs_err::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs_err::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}
