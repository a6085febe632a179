//! `crashlens attach`: watch a process that is running already, or look at it once.

use crashlens_core::{Report, Run};
use crashlens_trace::{Attached, Options};

use crate::cli::AttachArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::report::{Destination, Stream};
use crate::saved::Shelf;
use crate::watcher::{Watcher, run_of};

/// Watches until the process ends or is let go.
pub(crate) fn run(args: &AttachArgs) -> Result<ExitStatus, Failure> {
    let destination = Destination::new(&args.report, Stream::Stdout);
    destination.check(ExitStatus::Failed)?;
    if args.now {
        return look(args, &destination);
    }
    let run = Run {
        argv: crashlens_trace::command_of(args.pid),
        ..Run::default()
    };
    // The process may see other files under the same names, as one in a container does.
    let is_checking = false;
    let mut watcher = Watcher::new(run, destination, Shelf::new(&args.saving), is_checking);
    // The streams of a process that runs already are where they are.
    let options = Options {
        keep_tail: false,
        locals: args.reading.locals(),
        hang_after: args.hangs.hang_after,
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
