//! `crashlens check`: what will crash or fail, before it does.

mod progress;
mod saved_survey;
mod surveying;

use crashlens_core::{Inspection, Report, Survey, inspection};

use crate::cli::{CheckArgs, CheckFormat, CheckReportArgs, SurveyArgs};
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::report::{Destination, Verbosity, json, markdown, sarif, write_inspection};

/// Checks what is asked for; findings decide the exit status.
pub(crate) fn run(args: &CheckArgs) -> Result<ExitStatus, Failure> {
    let args = args.environment();
    let destination = destination(&args.report);
    destination.check(ExitStatus::NoReport)?;
    let survey = survey(&args.survey)?;
    if let Some(file) = &args.survey.save {
        saved_survey::write(file, &survey)?;
    }
    let inspection = inspection::inspect(&survey);
    let status = status(&inspection, &args.report);
    match write(inspection, args.report.format, &destination) {
        // Nobody reads any more (`| head`); what was found counts all the same.
        Err(failure) if failure.status == ExitStatus::Success => Ok(status),
        Err(failure) => Err(failure),
        Ok(()) => Ok(status),
    }
}

fn destination(args: &CheckReportArgs) -> Destination {
    Destination::on_stdout(args.color)
        .or_to(args.output.clone())
        .with_verbosity(Verbosity::of_flags(args.quiet, args.verbose))
}

fn survey(args: &SurveyArgs) -> Result<Survey, Failure> {
    match &args.from {
        Some(file) => saved_survey::read(file),
        None => surveying::survey(args),
    }
}

fn status(inspection: &Inspection, args: &CheckReportArgs) -> ExitStatus {
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
    let home = std::env::var("HOME").unwrap_or_default();
    let report = Report::of_inspections(vec![inspection]);
    destination.send(ExitStatus::NoReport, &|view, out| match format {
        CheckFormat::Text => report
            .inspections
            .iter()
            .try_for_each(|inspection| write_inspection(inspection, view, out)),
        CheckFormat::Json => json::write(&report, out),
        CheckFormat::Sarif => sarif::write(&report, out),
        CheckFormat::Md => markdown::write(&report, &home, out),
    })
}
