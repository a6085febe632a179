//! `crashlens check`: what will crash or fail, before it does.

mod saved_survey;
mod surveying;

use crashlens_core::{Inspection, Report, Survey, inspection};

use crate::cli::{CheckArgs, CheckFormat, EnvironmentArgs};
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::report::{Destination, Verbosity, json, write_inspection};

/// Checks what is asked for; findings decide the exit status.
pub(crate) fn run(args: &CheckArgs) -> Result<ExitStatus, Failure> {
    let args = args.environment();
    let verbosity = Verbosity::of_flags(args.quiet, args.verbose);
    let destination = Destination::on_stdout(args.color)
        .or_to(args.output.clone())
        .with_verbosity(verbosity);
    destination.check(ExitStatus::NoReport)?;
    let survey = survey(args)?;
    if let Some(file) = &args.save {
        saved_survey::write(file, &survey)?;
    }
    let inspection = inspection::inspect(&survey);
    let status = status(&inspection, args);
    write(inspection, args.format, &destination)?;
    Ok(status)
}

fn survey(args: &EnvironmentArgs) -> Result<Survey, Failure> {
    match &args.from {
        Some(file) => saved_survey::read(file),
        None => surveying::survey(args),
    }
}

fn status(inspection: &Inspection, args: &EnvironmentArgs) -> ExitStatus {
    let counts = |severity| inspection.at_least(severity).next().is_some();
    if args.fail_on.severity().is_some_and(counts) {
        ExitStatus::Found
    } else {
        ExitStatus::Success
    }
}

fn write(
    inspection: Inspection,
    format: CheckFormat,
    destination: &Destination,
) -> Result<(), Failure> {
    let report = Report::of_inspections(vec![inspection]);
    destination.send(ExitStatus::NoReport, &|view, out| match format {
        CheckFormat::Text => report
            .inspections
            .iter()
            .try_for_each(|inspection| write_inspection(inspection, view, out)),
        CheckFormat::Json => json::write(&report, out),
    })
}
