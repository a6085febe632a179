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
use crashlens_core::{Report, Survey, inspection};
use crashlens_files::Purpose;

use self::scanning::Job;
use self::surveying::Wanted;
use crate::cli::{CheckArgs, DataArgs, EnvironmentArgs, ModelArgs, Subject, SurveyArgs};
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::report::Destination;

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
    let destination = Destination::of_check(&args.report);
    destination.check(ExitStatus::NoReport)?;
    let survey = survey(&args.survey)?;
    if let Some(file) = &args.survey.save {
        saved_survey::write(file, &survey)?;
    }
    let inspection = inspection::inspect(&survey);
    let status = ExitStatus::of_findings(&inspection, args.report.fail_on.severity());
    let report = Report::of_inspections(vec![inspection]);
    match destination.write(&report, ExitStatus::NoReport) {
        // Nobody reads any more (`| head`); what was found counts all the same.
        Err(failure) if failure.status == ExitStatus::Success => Ok(status),
        Err(failure) => Err(failure),
        Ok(()) => Ok(status),
    }
}

fn survey(args: &SurveyArgs) -> Result<Survey, Failure> {
    match &args.from {
        Some(file) => saved_survey::read(file),
        None => surveying::survey(Wanted {
            python: args.python.clone(),
            verify: args.verify,
            uses_cache: !args.no_cache,
        }),
    }
}
