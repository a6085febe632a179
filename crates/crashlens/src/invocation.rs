//! From arguments to exit status.

use std::ffi::OsString;
use std::io::Write as _;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};
use nix::sys::resource::{Resource, getrlimit};
use nix::sys::signal::{SigSet, Signal};

use crate::cli::{CheckArgs, Cli, Command};
use crate::commands;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::harmless;

/// As the kernel gives it by default.
const STACK: usize = 8 << 20;

/// Does what `args` (with the program's name first) ask for, and says how it went.
pub fn invoke(args: impl IntoIterator<Item = OsString>) -> ExitStatus {
    let args: Vec<OsString> = args.into_iter().collect();
    if has_little_stack() {
        with_room(|| obey(&args))
    } else {
        obey(&args)
    }
}

/// Whether our own work could end in an overflow before a program is even started.
fn has_little_stack() -> bool {
    getrlimit(Resource::RLIMIT_STACK).is_ok_and(|(soft, _)| soft < 1 << 20)
}

fn obey(args: &[OsString]) -> ExitStatus {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error, args),
    };
    match cli.command {
        Command::Run(args) => ended(commands::run::run(&args)),
        Command::Attach(args) => ended(commands::attach::run(&args)),
        Command::Diagnose(args) => ended(commands::diagnose::run(&args)),
        Command::Check(args) => check(&args),
        Command::Rules(args) => ended(commands::rules::run(&args)),
        Command::Completions(args) => ended(commands::completions::run(&args)),
        Command::Generate(args) => ended(commands::generate::run(&args)),
        Command::Last(args) => ended(commands::last::run(&args)),
    }
}

/// A check is to get through whatever limits it is there to find.
fn check(args: &CheckArgs) -> ExitStatus {
    // The signal would end a check for a few bytes that are kept for the next time.
    let mut too_large = SigSet::empty();
    too_large.add(Signal::SIGXFSZ);
    let _ = too_large.thread_block();
    with_room(|| ended(commands::check::run(args)))
}

fn ended(outcome: Result<ExitStatus, Failure>) -> ExitStatus {
    outcome.unwrap_or_else(|failure| explain(&failure))
}

/// Does the work on a stack of our own size, if a thread is to be had: limits on the stack and on threads are among the
/// things that a check is to find.
fn with_room(work: impl Fn() -> ExitStatus + Sync) -> ExitStatus {
    if !crashlens_trace::can_use_threads() {
        return work();
    }
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .name("check".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, &work);
        match worker {
            Ok(worker) => {
                // Signals are for whoever does the work, and waits for them if it waits for a program.
                let _ = SigSet::all().thread_block();
                worker.join().unwrap_or(ExitStatus::NoReport)
            }
            Err(_) => work(),
        }
    })
}

fn explain(failure: &Failure) -> ExitStatus {
    failure.show();
    failure.status
}

/// Shows help or a usage error. As with `env` and `timeout`, `run` used wrongly is 125, so that it cannot be mistaken
/// for an exit code of the program.
fn refuse(error: &clap::Error, args: &[OsString]) -> ExitStatus {
    // The error repeats arguments, and has colors of its own: where they could be mistaken, clap reads clean arguments.
    let clean: Vec<String> = args
        .iter()
        .map(|argument| harmless::escaped(&argument.to_string_lossy()).into_owned())
        .collect();
    let is_clean = args
        .iter()
        .zip(&clean)
        .all(|(argument, clean)| argument == clean.as_str());
    let _ = match Cli::try_parse_from(&clean) {
        Err(error) if !is_clean => error.print(),
        Ok(_) if !is_clean => writeln!(
            std::io::stderr(),
            "{}",
            harmless::page(&error.render().to_string())
        ),
        _ => error.print(),
    };
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitStatus::Success,
        _ if wraps_program(args) => ExitStatus::Failed,
        _ => ExitStatus::NoReport,
    }
}

/// Whether the command that was used wrongly is one whose exit status is that of a program. Errors do not say which
/// command they are about, so clap reads the arguments once more, past what is wrong with them.
fn wraps_program(args: &[OsString]) -> bool {
    let lenient = Cli::command().ignore_errors(true);
    let matches = lenient.try_get_matches_from(args).ok();
    let name = matches
        .as_ref()
        .and_then(|matches| matches.subcommand_name());
    matches!(name, Some("run" | "attach"))
}
