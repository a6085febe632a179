//! From arguments to exit status.

use std::ffi::OsString;
use std::io::Write as _;

use clap::Parser as _;
use clap::error::ErrorKind;
use nix::sys::resource::{Resource, getrlimit};
use nix::sys::signal::{SigSet, Signal};

use crate::cli::{Cli, Command};
use crate::commands;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

/// As the kernel gives it by default.
const STACK: usize = 8 << 20;

/// Does what `args` (with the program's name first) ask for, and says how it went.
pub fn invoke(args: impl IntoIterator<Item = OsString>) -> ExitStatus {
    let args: Vec<OsString> = args.into_iter().collect();
    let is_check = args.get(1).is_some_and(|command| command == "check");
    if is_check {
        // The signal would end a check for a few bytes that are kept for the next time.
        let mut too_large = SigSet::empty();
        too_large.add(Signal::SIGXFSZ);
        let _ = too_large.thread_block();
    }
    if is_check || has_little_stack() {
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
    let outcome = match cli.command {
        Command::Run(args) => commands::run::run(&args),
        Command::Attach(args) => commands::attach::run(&args),
        Command::Diagnose(args) => commands::diagnose::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Rules(args) => commands::rules::run(&args),
        Command::Generate(args) => commands::generate::run(&args),
    };
    outcome.unwrap_or_else(|failure| explain(&failure))
}

/// Does the work on a stack of our own size, if a thread is to be had: limits on the stack and on threads are among the
/// things that a check is to find.
fn with_room(work: impl Fn() -> ExitStatus + Sync) -> ExitStatus {
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
    if let Some(text) = failure.text() {
        // Where standard error is gone there is nobody left to tell.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
    failure.status
}

/// Shows help or a usage error. As with `env` and `timeout`, `run` used wrongly is 125, so that it cannot be mistaken
/// for an exit code of the program.
fn refuse(error: &clap::Error, args: &[OsString]) -> ExitStatus {
    let _ = error.print();
    let wraps_program = args
        .get(1)
        .is_some_and(|command| command == "run" || command == "attach");
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitStatus::Success,
        _ if wraps_program => ExitStatus::Failed,
        _ => ExitStatus::NoReport,
    }
}
