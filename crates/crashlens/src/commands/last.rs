//! `crashlens __last`: what `crashlens.last_report()` returns.

use crashlens_core::{CaptureFile, Report};

use crate::cli::{Colour, LastArgs, ReportArgs};
use crate::commands::diagnose::read_saved;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::report::{Destination, Format, Stream};
use crate::saved::newest_first;

/// Captures that are opened. Those of other programs may be newer.
const MOST_CAPTURES: usize = 200;

/// Prints the report as JSON. A program that did not die yet has none.
pub(crate) fn run(args: &LastArgs) -> Result<ExitStatus, Failure> {
    let program = crashlens_trace::program_of(args.pid);
    let is_of_program = |file: &CaptureFile| {
        let died = file.capture.circumstances.program.as_ref();
        died.is_some_and(|died| program.is_rerun_of(died))
    };
    let captures = newest_first(args.save.as_deref());
    let found = captures.iter().take(MOST_CAPTURES).find_map(|path| {
        let file = read_saved(path).ok().filter(is_of_program)?;
        Some((path, file))
    });
    let Some((path, file)) = found else {
        return Ok(ExitStatus::NoReport);
    };
    let mut report = Report::of_capture(&file.capture);
    for death in &mut report.deaths {
        death.saved = Some(path.display().to_string());
    }
    if let Some(program) = file.capture.circumstances.program {
        report.run.argv = program.command;
    }
    let as_json = ReportArgs {
        format: Format::Json,
        output: None,
        color: Colour::Never,
        quiet: false,
        verbose: false,
    };
    Destination::new(&as_json, Stream::Stdout).write(&report, ExitStatus::NoReport)?;
    Ok(ExitStatus::Success)
}
