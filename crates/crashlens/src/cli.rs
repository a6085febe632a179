//! The arguments of every command: the only text about flags.

mod check;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use crashlens_trace::KeepTail;

pub(crate) use check::{
    CheckArgs, CheckReportArgs, DataArgs, EnvironmentArgs, ModelArgs, ScanArgs, Subject, SurveyArgs,
};

use crate::report::Format;

/// Tells why a Python process died in native code, where, and what to do.
#[derive(Debug, Parser)]
#[command(name = "crashlens", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(RunArgs),
    Attach(AttachArgs),
    Diagnose(DiagnoseArgs),
    Check(CheckArgs),
    Rules(RulesArgs),
    Completions(CompletionsArgs),
    #[command(name = "__generate", hide = true)]
    Generate(GenerateArgs),
    #[command(name = "__last", hide = true)]
    Last(LastArgs),
}

/// Run a program and report any native death in its process tree.
///
/// The program sees, does and returns what it would alone. The report goes to standard error, when a
/// process dies; after an ordinary end there is none. The program's own output is not touched.
#[derive(Debug, Args)]
#[command(override_usage = "crashlens run [OPTIONS] -- <COMMAND>...")]
#[command(
    after_help = "Exit status: the program's own; a signal that ended it ends crashlens too. 125 when crashlens failed, \
126 when the program cannot be started, 127 when it is not found."
)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) saving: SavingArgs,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) hangs: HangArgs,

    #[command(flatten)]
    pub(crate) hook: HookArgs,

    #[command(flatten)]
    pub(crate) checking: CheckingArgs,

    #[command(flatten)]
    pub(crate) tail: TailArgs,

    #[command(flatten)]
    pub(crate) report: ReportArgs,

    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<OsString>,
}

/// Watch a running process and everything below it.
///
/// Reports deaths as `run` does, on standard output. Ctrl-C lets the process go and leaves it running.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: the program's own, or 128+N when signal N ended it; 0 when it was let go. \
125 when crashlens failed."
)]
pub(crate) struct AttachArgs {
    /// The process
    pub(crate) pid: u32,

    /// Print the stacks of all threads once and let the process go; for a program that hangs
    #[arg(long, conflicts_with = "hang_after")]
    pub(crate) now: bool,

    /// Return as soon as the process is watched, and go on in the background until it ends
    ///
    /// Reports then go to the standard error of the process, unless `--output` names a file. To let the process go, end
    /// the crashlens that watches it: its number is `TracerPid` in `/proc/PID/status`.
    #[arg(long, conflicts_with = "now")]
    pub(crate) detach: bool,

    /// With `--detach`: write reports to this descriptor of the process
    #[arg(long, value_name = "N", default_value_t = 2, requires = "detach")]
    pub(crate) report_fd: i32,

    /// With `--detach`: print the number of the process that will watch, and wait for a line on standard input
    ///
    /// Where Yama restricts tracing, a process is traced only by one that it has named with `prctl(PR_SET_PTRACER)`. This
    /// is the time to do so. Without a line, nothing is watched.
    #[arg(long, requires = "detach")]
    pub(crate) ask: bool,

    #[command(flatten)]
    pub(crate) saving: SavingArgs,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) hangs: HangArgs,

    #[command(flatten)]
    pub(crate) hook: HookArgs,

    #[command(flatten)]
    pub(crate) checking: CheckingArgs,

    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// Report on a core file, on a capture that `run` has saved, on a report as HTML, or on text that tells of a death.
///
/// The file type is detected from the content. Core files may be packed with zstd. Text is what there is when nothing
/// else was kept: a log, a terminal's last lines, a debugger's backtrace; it may be cut and mixed with other output.
#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 when a report was made, 2 when not.")]
pub(crate) struct DiagnoseArgs {
    /// A saved capture, an ELF core file, a report as HTML, or text; `-` for standard input, `last` for the newest capture
    ///
    /// `last` is the newest of the captures that were saved in `$XDG_STATE_HOME/crashlens` (`~/.local/state/crashlens`).
    /// A file of that name is `./last`.
    pub(crate) file: PathBuf,

    /// Write the report as HTML, and open it in a browser
    ///
    /// The page is written beside the file, as `FILE.html`, or to the file of `--output`; only its owner can read it. Its
    /// path is printed. It is opened with `$BROWSER`, or with `xdg-open` where there is a desktop.
    #[arg(long, conflicts_with = "format")]
    pub(crate) open: bool,

    /// Also hold the death against these advisories, in the OSV format; may be given several times
    ///
    /// One advisory, an array of them, or the answer of a query to osv.dev. Packages are those of PyPI.
    #[arg(long, value_name = "FILE")]
    pub(crate) advisories: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// Show the rules by which causes are told and environments are checked, or the page of one.
///
/// A page says what happened or what is found, which evidence speaks for the cause and against it, what to do and at which risk.
#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0; 2 when there is no such rule.")]
pub(crate) struct RulesArgs {
    /// Id or name of a rule, or a cause: `MEM001`, `null-pointer`
    #[arg(value_name = "RULE")]
    pub(crate) rule: Option<String>,

    /// Form of the answer
    #[arg(long, value_parser = Format::among(Format::OF_RULES), default_value = "text")]
    pub(crate) format: Format,

    /// When to use colour
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,
}

/// Print a completion script for a shell.
///
/// The script completes commands, options and their values. To load it:
///
///   bash: source <(crashlens completions bash), in ~/.bashrc;
///
///   zsh: source <(crashlens completions zsh), in ~/.zshrc after compinit;
///
///   fish: crashlens completions fish | source, in ~/.config/fish/config.fish;
///
///   elvish: eval (crashlens completions elvish | slurp), in rc.elv;
///
///   PowerShell: crashlens completions powershell | Out-String | Invoke-Expression, in $PROFILE.
#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0; 2 when the script could not be written.")]
pub(crate) struct CompletionsArgs {
    /// The shell that reads the script
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    pub(crate) what: Generated,
}

/// Print the report of the last death in the program that a process runs, for the Python package.
#[derive(Debug, Args)]
pub(crate) struct LastArgs {
    /// The process
    pub(crate) pid: u32,

    /// Look at the captures of `--save FILE` instead of those that are saved by default
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Generated {
    /// Command-line reference in Markdown
    Cli,
    /// The rule book in Markdown: a JSON object of file names and texts
    Rules,
    /// The rule book's part of the documentation's table of contents
    Summary,
}

/// What becomes of captures.
#[derive(Debug, Args)]
pub(crate) struct SavingArgs {
    /// Save the capture of a death to this file; further deaths get `.2`, `.3`…
    ///
    /// By default every death is saved in `$XDG_STATE_HOME/crashlens` (`~/.local/state/crashlens`), or in the
    /// working directory where that cannot be written. Captures are removed from that folder when they are older than
    /// 30 days or take more than 500 MB in all, but never the newest of each program; the report says so.
    #[arg(long, value_name = "FILE", conflicts_with = "no_save")]
    pub(crate) save: Option<PathBuf>,

    /// Do not save captures
    #[arg(long)]
    pub(crate) no_save: bool,
}

/// What is done about hangs.
#[derive(Debug, Args)]
pub(crate) struct HangArgs {
    /// Report all stacks when the program makes no progress for so long: 90s, 10m, 2h
    ///
    /// No progress means that the processes of the tree used almost no processor time (up to 0.5 % is allowed), read and
    /// wrote no file or pipe, and started nothing. What they send and receive by sockets is not seen. The program goes
    /// on, and its exit status is its own. A program that sleeps, or a server that waits for requests, makes no
    /// progress either; so nothing is reported unless this is given.
    #[arg(long, value_name = "DURATION", value_parser = crate::duration::parse)]
    pub(crate) hang_after: Option<Duration>,
}

/// What is kept of standard error.
#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    /// Leave standard error alone: do not keep its last lines for the report
    #[arg(long)]
    no_tail: bool,

    /// Keep the last lines of standard error also where it is a terminal
    ///
    /// Usually the program has the terminal to itself, and what it wrote there is not in the report. With this option it
    /// writes to a second terminal, and crashlens copies that to yours. Programs that read keys from standard error, as
    /// pagers and shells do, cannot be used then.
    #[arg(long, conflicts_with = "no_tail")]
    tail_terminal: bool,
}

impl TailArgs {
    pub(crate) fn kept(&self) -> KeepTail {
        match (self.no_tail, self.tail_terminal) {
            (true, _) => KeepTail::No,
            (false, false) => KeepTail::UnlessTerminal,
            (false, true) => KeepTail::AlsoOfTerminal,
        }
    }
}

/// What is run at a death.
#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// Run this shell command at every death, before the dead process is gone
    ///
    /// In its environment, `CRASHLENS_REPORT` is a file with the report as JSON, `CRASHLENS_PID` the process, and
    /// `CRASHLENS_CAPTURE` the saved capture, if there is one. The process is held for two seconds at most until the
    /// command has ended. The main process of `run` has already ended when the command starts.
    #[arg(long, value_name = "COMMAND")]
    pub(crate) on_death: Option<String>,
}

/// What is looked at after a death.
#[derive(Debug, Args)]
pub(crate) struct CheckingArgs {
    /// Do not look at the environment after a death
    ///
    /// Once the program has ended, what the dead process had loaded is looked at as `check` does, for two seconds at
    /// most.
    #[arg(long)]
    no_check: bool,
}

impl CheckingArgs {
    /// Whether to look.
    pub(crate) fn is_on(&self) -> bool {
        !self.no_check
    }
}

/// What is read of a process.
#[derive(Debug, Args)]
pub(crate) struct ReadingArgs {
    /// Do not read the values of Python variables
    #[arg(long)]
    no_locals: bool,
}

impl ReadingArgs {
    /// Whether to read the values of variables.
    pub(crate) fn locals(&self) -> bool {
        !self.no_locals
    }
}

/// How the report looks and where it goes.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Form of the report; that of `json` is in schema/report.v1.json
    #[arg(long, value_parser = Format::among(Format::OF_DEATHS), default_value = "text")]
    pub(crate) format: Format,

    /// Write the report to this file instead; with `run` it is renewed at every death
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// When to use colour
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,

    /// Only say what happened, where, why, and what to do first
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Show every frame, thread and gap in full
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    Always,
    Never,
}
