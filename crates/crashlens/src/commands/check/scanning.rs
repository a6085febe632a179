//! `check data` and `check model`: every file is examined, judged and told of as it comes.

use std::path::Path;
use std::time::Duration;

use crashlens_core::files::Setting;
use crashlens_files::{
    Limits, ManifestError, Options, Plan, Purpose, Session, is_object, silence_decoders,
};

use super::asked;
use super::progress::ScanBar;
use super::results::Results;
use crate::cli::{CheckReportArgs, ScanArgs};
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::report::Destination;

/// What is to be done.
pub(super) struct Job<'a> {
    pub(super) purpose: Purpose,
    pub(super) scan: &'a ScanArgs,
    pub(super) report: &'a CheckReportArgs,
    pub(super) setting: Setting,
    pub(super) watch: Option<Duration>,
    pub(super) move_to: Option<&'a Path>,
}

/// Examines everything, tells what was found, and does with bad files what was asked for.
pub(super) fn run(job: &Job<'_>) -> Result<ExitStatus, Failure> {
    let destination = Destination::of_check(job.report);
    destination.check(ExitStatus::NoReport)?;
    let asked = asked::paths(job.scan)?;
    if job.move_to.is_some() && asked.paths.iter().any(|path| is_object(path)) {
        return Err(unmovable());
    }
    silence_decoders();
    let plan = plan(job, &asked.paths);
    let session = Session::open(&plan, &asked.stores).map_err(|error| failed(&error))?;
    let setting = Setting {
        manifest: session.compares(),
        ..job.setting.clone()
    };
    let mut results = Results::of(job, setting)?;
    let scanned = session.run(&ScanBar::new(), |seen| results.take(seen));
    if let Some(failure) = results.failure.take() {
        return results.finish_early(failure);
    }
    scanned.map_err(|error| failed(&error))?;
    results.finish(&destination, &asked)
}

fn plan<'a>(job: &Job<'a>, paths: &'a [String]) -> Plan<'a> {
    let written = [
        &job.scan.manifest,
        &job.report.form.output,
        &job.scan.quarantine,
    ];
    Plan {
        paths,
        options: Options {
            purpose: job.purpose,
            full: job.scan.full,
            limits: Limits {
                pixels: job.scan.max_pixels.saturating_mul(1_000_000),
                unpacked: job.scan.max_unpacked.saturating_mul(1_000_000_000),
                time: job.scan.timeout,
                ..Limits::default()
            },
            labels: job.setting.label_names(),
        },
        jobs: job.scan.jobs,
        manifest: job.scan.manifest.as_deref(),
        watch: job.watch,
        written: written.into_iter().flatten().map(AsRef::as_ref).collect(),
        moved_to: job.move_to,
    }
}

fn unmovable() -> Failure {
    let message = "cannot move objects: crashlens only ever reads object storage";
    Failure::new(message, ExitStatus::NoReport)
        .with_help("--quarantine FILE lists the bad ones for the tool that moves them.")
}

fn failed(error: &ManifestError) -> Failure {
    let failure = Failure::new(error.to_string(), ExitStatus::NoReport);
    match error {
        ManifestError::Read { .. } => failure
            .with_help("Name a file that crashlens has written, or one that does not exist yet."),
        ManifestError::Write { .. } => failure,
    }
}
