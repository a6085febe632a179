//! `crashlens run`: start a program, supervise it, report its deaths.

use std::ffi::OsString;

use crashlens_core::Program;
use crashlens_trace::{Options, SuperviseError};

use crate::cli::RunArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::report::{Destination, Stream};
use crate::saved::Shelf;
use crate::watcher::{Looking, Watcher, run_of};

/// Runs the program to its end; its exit status becomes ours.
pub(crate) fn run(args: &RunArgs) -> Result<ExitStatus, Failure> {
    let destination = Destination::new(&args.report, Stream::Stderr);
    destination.check(ExitStatus::Failed)?;
    let program = Program {
        command: masked(&args.command),
        ..crashlens_trace::program_of(std::process::id())
    };
    let looking = if args.checking.is_on() {
        Looking::BeforeReporting
    } else {
        Looking::Never
    };
    let mut watcher =
        Watcher::new(program, destination, Shelf::new(&args.saving), looking).with_hook(&args.hook);
    let options = Options {
        tail: args.tail.kept(),
        locals: args.reading.locals(),
        hang_after: args.hangs.hang_after,
        ours: None,
    };
    let outcome = crashlens_trace::supervise(&args.command, &options, &mut watcher)
        .map_err(|error| Failure::supervising(&unsupervised(error, &args.command)))?;
    let code = ExitStatus::Program(outcome.exit_code());
    let status = outcome.signal().map_or(code, ExitStatus::Signal);
    watcher.finish(|run| run_of(run, &outcome));
    Ok(status)
}

/// Runs the program without us where the kernel lets us supervise none: better without a report than not at all. Returns why
/// the program did not run.
fn unsupervised(error: SuperviseError, command: &[OsString]) -> SuperviseError {
    if !matches!(error, SuperviseError::Prepare { .. }) {
        return error;
    }
    let mut failure = Failure::supervising(&error);
    failure.message += "; it runs without supervision";
    failure.show();
    crashlens_trace::run_unsupervised(command)
}

/// The command line as it may be written down.
fn masked(command: &[OsString]) -> Vec<String> {
    let words: Vec<String> = command
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    crashlens_core::secrets::mask_command(&words)
}
