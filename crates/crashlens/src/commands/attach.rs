//! `crashlens attach`: watch a process that is running already, or look at it once.

use std::io::{self, Read as _, Write as _};

use crashlens_core::Report;
use crashlens_trace::{Attached, KeepTail, Options, Ready};

use crate::cli::AttachArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::report::{Destination, Stream};
use crate::saved::Shelf;
use crate::watcher::{Looking, Watcher, run_of};

/// Watches until the process ends or is let go.
pub(crate) fn run(args: &AttachArgs) -> Result<ExitStatus, Failure> {
    if args.detach {
        return detach(args);
    }
    let destination = Destination::new(&args.report, Stream::Stdout);
    destination.check(ExitStatus::Failed)?;
    if args.now {
        return look(args, &destination);
    }
    watch(args, destination, None)
}

/// Has another process watch. It says itself why it cannot.
fn detach(args: &AttachArgs) -> Result<ExitStatus, Failure> {
    let process = Stream::of_process(args.pid, args.report_fd);
    Destination::new(&args.report, process).check(ExitStatus::Failed)?;
    let launcher = std::process::id();
    let is_watching = crashlens_trace::detach(|ready| {
        if args.ask && !is_allowed() {
            return;
        }
        let destination = Destination::new(&args.report, process);
        if let Err(failure) = watch(args, destination, Some((ready, launcher))) {
            failure.show();
        }
    });
    match is_watching {
        Ok(true) => Ok(ExitStatus::Success),
        Ok(false) => Ok(ExitStatus::Failed),
        Err(error) => {
            let message = format!("cannot go on in the background: {error}");
            Err(Failure::new(message, ExitStatus::Failed))
        }
    }
}

/// Says who will watch, and waits for a line: whether it came.
fn is_allowed() -> bool {
    let mut stdout = io::stdout();
    let said = writeln!(stdout, "{}", std::process::id()).and_then(|()| stdout.flush());
    // Not up to the end: the writer may keep the stream open.
    let mut answer = [0];
    said.is_ok() && io::stdin().read_exact(&mut answer).is_ok()
}

/// `background`: how to say that the process is watched, and the process that waits for it.
fn watch(
    args: &AttachArgs,
    destination: Destination,
    background: Option<(Ready, u32)>,
) -> Result<ExitStatus, Failure> {
    let program = crashlens_trace::program_of(args.pid);
    let (ready, ours) = background.unzip();
    let looking = if args.checking.is_on() && crashlens_trace::sees_our_files(args.pid) {
        Looking::Afterwards
    } else {
        Looking::Never
    };
    let mut watcher = Watcher::new(program, destination, Shelf::new(&args.saving), looking)
        .with_hook(&args.hook)
        .announcing(ready);
    // The streams of a process that runs already are where they are.
    let options = Options {
        tail: KeepTail::No,
        locals: args.reading.locals(),
        hang_after: args.hangs.hang_after,
        ours,
    };
    let attached = crashlens_trace::attach(args.pid, &options, &mut watcher)
        .map_err(|error| Failure::supervising(&error))?;
    match attached {
        Attached::Ended(outcome) => {
            let status = ExitStatus::Program(outcome.exit_code());
            watcher.finish(|run| run_of(run, &outcome));
            Ok(status)
        }
        Attached::Detached(gaps) => {
            watcher.finish(|run| run.gaps = gaps.0);
            Ok(ExitStatus::Success)
        }
    }
}

/// Prints all stacks once. Only `--save` saves: nobody has died.
fn look(args: &AttachArgs, destination: &Destination) -> Result<ExitStatus, Failure> {
    let file = crashlens_trace::look_at(args.pid, args.reading.locals())
        .map_err(|error| Failure::supervising(&error))?;
    let mut report = Report::of_capture(&file.capture);
    if let (Some(path), Some(death)) = (&args.saving.save, report.deaths.first_mut()) {
        Shelf::Named {
            path: path.clone(),
            taken: 0,
        }
        .keep(&file, death);
    }
    destination.write(&report, ExitStatus::Failed)?;
    Ok(ExitStatus::Success)
}
