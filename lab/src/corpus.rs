//! `cargo lab corpus`: runs the live corpus under crashlens and scores the answers.
//!
//! Works only through the command line and the JSON report, as a user's own tools would.

mod case;
mod causes;
mod committed;
mod compare;
mod knowledge;
mod live;
mod names;
mod rates;
mod score;
mod varies;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use nix::sys::resource::{Resource, setrlimit};

pub use self::case::Case;
use self::causes::Verdict;
use self::committed::{Committed, Run};
use self::score::{Row, Score};
use crate::majority::{self, Standing};
use crate::{python, side_by_side, workspace};

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
    /// Run the programs this many times without crashlens, and show how often each ending comes
    #[arg(long, value_name = "N")]
    pub bare: Option<usize>,
    /// Run them this many times under crashlens, and show how often each answer comes
    #[arg(long, value_name = "N", conflicts_with_all = ["bare", "update"])]
    pub repeat: Option<usize>,
    /// Keep nothing of standard error, as on a terminal, and show the answers without comparing them
    #[arg(long, conflicts_with_all = ["bare", "repeat", "update", "kept"])]
    pub without_stderr: bool,
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
    let wanted: Vec<_> = all.iter().filter(|(_, case)| is_wanted(case)).collect();
    if let Some(kept) = &options.kept {
        return judge_kept(options, &wanted, &crashlens, kept);
    }
    let python = match &options.python {
        Some(path) => std::path::absolute(path)?,
        None => environment(&options.tensorflow, &all)?,
    };
    // Core files of gigabytes would be written where the machine's core_pattern is a plain file name.
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    for (folder, case) in &wanted {
        if let Some(times) = options.bare {
            rates::bare(folder, case, &python, times)?;
        } else if let Some(times) = options.repeat {
            rates::supervised(folder, case, options, &python, &crashlens, times)?;
        }
    }
    if options.bare.or(options.repeat).is_some() {
        return Ok(());
    }
    if options.without_stderr {
        let work = |(folder, case): &&(PathBuf, Case)| {
            live::run_case(folder, case, options, &python, &crashlens)
        };
        let mut verdicts = Vec::new();
        side_by_side::in_order(&wanted, work, |_, run| {
            verdicts.extend(run.verdict);
            Ok(())
        })?;
        causes::print(&verdicts);
        return Ok(());
    }
    let committed = committed(options)?;
    let mut taken = Vec::new();
    let mut differing = Vec::new();
    println!("{}", Row::HEADING);
    let work = |(folder, case): &&(PathBuf, Case)| {
        majority::count(
            || live::run_case(folder, case, options, &python, &crashlens),
            |run| committed.standing(case, &options.tensorflow, run),
        )
    };
    side_by_side::in_order(&wanted, work, |(_, case), runs| {
        let row = &runs.taken().0.row;
        print!("{row}");
        for remark in &row.remarks {
            println!("    (not scored: {remark})");
        }
        for remark in runs.remarks() {
            println!("    {}", remark.replace('\n', "\n    "));
        }
        if !runs.is_same() {
            differing.push(case.id.clone());
        }
        taken.push(runs.into_taken());
        Ok(())
    })?;
    settle(options, taken, &differing)
}

/// The rows that a run is compared with.
fn committed(options: &Options) -> Result<Committed> {
    let score = options
        .set
        .is_none()
        .then(|| snapshot_path(&options.tensorflow));
    if let Some(score) = score.as_ref().filter(|_| !options.update) {
        ensure!(
            score.is_file(),
            "there is no committed score for TensorFlow {}; --update writes one",
            options.tensorflow
        );
    }
    let facts = knowledge_path(&options.tensorflow);
    Ok(Committed::read(
        score.as_deref(),
        &facts,
        &causes_path(options),
    ))
}

/// What is said today of captures that an earlier run kept. They cannot be run again.
fn judge_kept(
    options: &Options,
    cases: &[&(PathBuf, Case)],
    crashlens: &Path,
    kept: &Path,
) -> Result<()> {
    let committed = committed(options)?;
    let mut verdicts = Vec::new();
    let mut worse = Vec::new();
    for (_, case) in cases {
        let Some(verdict) = live::judge_kept(case, options, crashlens, kept)? else {
            continue;
        };
        let before = committed.causes.get(&case.id);
        let is_worse = |before: &Verdict| !verdict.is_within(before, case.least_certainty());
        if verdict.is_wrong_certain() || before.is_some_and(is_worse) {
            worse.push(case.id.clone());
        }
        verdicts.push(verdict);
    }
    causes::print(&verdicts);
    if options.update {
        return causes::update(&verdicts, &causes_path(options));
    }
    ensure!(
        worse.is_empty(),
        "causes are worse than committed, or wrong and called certain: {}",
        worse.join(", ")
    );
    Ok(())
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

/// Prints the tables of the runs that count; then says which cases differ from the committed rows, or writes them. A
/// row that only varies as its case says stays as it is committed.
fn settle(options: &Options, taken: Vec<(Run, Standing)>, differing: &[String]) -> Result<()> {
    let mut score = Score::default();
    let mut facts = Vec::new();
    let mut verdicts = Vec::new();
    let mut fails = Vec::new();
    for (run, standing) in taken {
        if matches!(standing, Standing::Fails(_)) {
            fails.push(run.row.id.clone());
        }
        if options.update && matches!(standing, Standing::Varies(_)) {
            continue;
        }
        score.rows.push(run.row);
        facts.extend(run.facts);
        verdicts.extend(run.verdict);
    }
    println!("\n{}", score.summary());
    causes::print(&verdicts);
    if options.set.is_none() {
        knowledge::print(&facts);
    }
    if options.update {
        causes::update(&verdicts, &causes_path(options))?;
        if options.set.is_none() {
            knowledge::update(&facts, &knowledge_path(&options.tensorflow))?;
            score.update(&snapshot_path(&options.tensorflow))?;
        }
    }
    ensure!(
        fails.is_empty(),
        "causes are wrong and called certain: {}",
        fails.join(", ")
    );
    ensure!(
        differing.is_empty() || options.update,
        "{} cases differ from their committed rows: {}",
        differing.len(),
        differing.join(", ")
    );
    if !options.update {
        println!("as committed, in all cases");
    }
    Ok(())
}

fn knowledge_path(tensorflow: &str) -> PathBuf {
    workspace::root().join(format!("corpus/knowledge-{tensorflow}.txt"))
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
