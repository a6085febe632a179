//! The arguments of `check`.

mod files;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use crashlens_core::hazard::Severity;

use super::ReportArgs;
use crate::report::Format;
pub(crate) use files::{DataArgs, ModelArgs, ScanArgs};

/// Tell what will crash or fail before it does.
///
/// Without a subject it checks the environment, as `check env` does. Files are read; nothing is run or imported.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "Exit status: 0 when nothing was found, 1 when something was found at or above --fail-on, \
2 when crashlens failed."
)]
pub(crate) struct CheckArgs {
    #[command(subcommand)]
    subject: Option<SubjectArgs>,

    #[command(flatten)]
    environment: EnvironmentArgs,
}

impl CheckArgs {
    /// What to check.
    pub(crate) fn subject(&self) -> Subject<'_> {
        match &self.subject {
            Some(SubjectArgs::Env(environment)) => Subject::Env(environment),
            Some(SubjectArgs::Data(data)) => Subject::Data(data),
            Some(SubjectArgs::Model(model)) => Subject::Model(model),
            None => Subject::Env(&self.environment),
        }
    }
}

/// What is to be checked.
pub(crate) enum Subject<'a> {
    /// An environment.
    Env(&'a EnvironmentArgs),
    /// Training files.
    Data(&'a DataArgs),
    /// Models.
    Model(&'a ModelArgs),
}

#[derive(Debug, Subcommand)]
enum SubjectArgs {
    Env(EnvironmentArgs),
    Data(Box<DataArgs>),
    Model(Box<ModelArgs>),
}

/// Check a Python environment and the machine: packages, native files, loader, processor, limits, GPU libraries.
///
/// Files are read; nothing is run or imported, and nothing is written but the cache of what native files hold.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 when nothing was found, 1 when something was found at or above --fail-on, \
2 when crashlens failed."
)]
pub(crate) struct EnvironmentArgs {
    #[command(flatten)]
    pub(crate) survey: SurveyArgs,

    #[command(flatten)]
    pub(crate) report: CheckReportArgs,
}

/// What is read of an environment.
#[derive(Debug, Args)]
pub(crate) struct SurveyArgs {
    /// The interpreter, or the folder of its environment
    ///
    /// By default that of the virtual environment or conda environment that is active, else `python3` on `PATH`.
    #[arg(long, value_name = "PATH", conflicts_with = "from")]
    pub(crate) python: Option<PathBuf>,

    /// Compare the content of installed files with the lists of their packages, not only their sizes
    #[arg(long, conflicts_with = "from")]
    pub(crate) verify: bool,

    /// Read every native file anew, and keep nothing for the next time
    ///
    /// By default what was read of native files is kept in `$XDG_CACHE_HOME/crashlens` (`~/.cache/crashlens`).
    #[arg(long, conflicts_with = "from")]
    pub(crate) no_cache: bool,

    /// Also save what was read of the environment, secrets masked, for `--from`
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,

    /// Judge what `--save` has saved, here or elsewhere, instead of this machine
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
}

/// How the report of a check looks, where it goes, and what it makes of the exit status.
#[derive(Debug, Args)]
#[command(
    mut_arg("format", |arg| arg.value_parser(Format::among(Format::OF_CHECKS))),
    mut_arg("output", |arg| arg.help("Write the report to this file instead")),
    mut_arg("quiet", |arg| arg.help("Only say what was found and what to do first")),
    mut_arg("verbose", |arg| {
        arg.help("Show everything that was found in full, and every check that was made")
    })
)]
pub(crate) struct CheckReportArgs {
    /// Least severity that makes the exit status 1
    #[arg(long, value_enum, default_value_t = FailOn::CanCrash, value_name = "SEVERITY")]
    pub(crate) fail_on: FailOn,

    #[command(flatten)]
    pub(crate) form: ReportArgs,
}

/// Least severity that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// What fails for whoever uses it
    WillFail,
    /// Also what crashes under conditions, or gives wrong results
    CanCrash,
    /// Also what matters only when something else goes wrong
    WorthKnowing,
    /// Nothing: always 0
    Never,
}

impl FailOn {
    /// The severity; `None` where none counts.
    pub(crate) fn severity(self) -> Option<Severity> {
        match self {
            Self::WillFail => Some(Severity::WillFail),
            Self::CanCrash => Some(Severity::CanCrash),
            Self::WorthKnowing => Some(Severity::WorthKnowing),
            Self::Never => None,
        }
    }
}
