//! `crashlens check`: what will crash or fail, before it does.

mod against;
mod asked;
mod lines;
mod notes;
mod progress;
mod results;
mod saved_survey;
mod scanning;
mod stores;
mod surveying;

use crashlens_core::files::Setting;
use crashlens_core::{Inspection, Report, Survey, inspection};
use crashlens_files::Purpose;

use self::scanning::Job;
use crate::cli::{
    CheckArgs, CheckFormat, CheckReportArgs, DataArgs, EnvironmentArgs, ModelArgs, Subject,
    SurveyArgs,
};
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::report::{Destination, Verbosity, json, markdown, sarif, write_inspection};

/// Checks what is asked for; findings decide the exit status.
pub(crate) fn run(args: &CheckArgs) -> Result<ExitStatus, Failure> {
    match args.subject() {
        Subject::Env(args) => environment(args),
        Subject::Data(args) => data(args),
        Subject::Model(args) => model(args),
    }
}

fn data(args: &DataArgs) -> Result<ExitStatus, Failure> {
    let setting = Setting {
        labels: args.labels.clone(),
        classes: args.classes,
        ..against::setting(args.scan.against.as_deref())?
    };
    scanning::run(&Job {
        purpose: Purpose::Data,
        scan: &args.scan,
        report: &args.report,
        setting,
        watch: args.watch,
        move_to: args.move_to.as_deref(),
    })
}

fn model(args: &ModelArgs) -> Result<ExitStatus, Failure> {
    scanning::run(&Job {
        purpose: Purpose::Model,
        scan: &args.scan,
        report: &args.report,
        setting: against::setting(args.scan.against.as_deref())?,
        watch: None,
        move_to: None,
    })
}

fn environment(args: &EnvironmentArgs) -> Result<ExitStatus, Failure> {
    let destination = destination(&args.report);
    destination.check(ExitStatus::NoReport)?;
    let survey = survey(&args.survey)?;
    if let Some(file) = &args.survey.save {
        saved_survey::write(file, &survey)?;
    }
    let inspection = inspection::inspect(&survey);
    let status = status(&inspection, &args.report);
    let report = Report::of_inspections(vec![inspection]);
    match write(&report, args.report.format, &destination) {
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

fn write(report: &Report, format: CheckFormat, destination: &Destination) -> Result<(), Failure> {
    let home = std::env::var("HOME").unwrap_or_default();
    destination.send(ExitStatus::NoReport, &|view, out| match format {
        CheckFormat::Text => report
            .inspections
            .iter()
            .try_for_each(|inspection| write_inspection(inspection, view, out)),
        CheckFormat::Json => json::write(report, out),
        CheckFormat::Jsonl => json::write_line(report, out),
        CheckFormat::Sarif => sarif::write(report, out),
        CheckFormat::Md => markdown::write(report, &home, out),
    })
}
