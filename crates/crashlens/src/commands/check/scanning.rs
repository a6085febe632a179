//! `check data` and `check model`: every file is examined, judged and told of as it comes.

use std::collections::HashSet;
use std::num::NonZero;
use std::thread;

use crashlens_core::files::{
    FileFacts, FileFinding, Flaw, FlawKind, Gathering, Setting, forecast, judge,
};
use crashlens_core::inspection::InspectionKind;
use crashlens_core::{Inspection, Report};
use crashlens_files::{
    Found, Limits, Listed, Options, Purpose, Subject, Writers, examine, in_trouble, scan,
};

use super::asked;
use super::duplicates::Duplicates;
use super::ledger::{Known, Ledger};
use super::lines::Lines;
use super::progress::ScanBar;
use super::removal;
use super::stores::{Stores, is_object};
use super::watching::Watching;
use crate::cli::{CheckReportArgs, ScanArgs};
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

/// Threads that read objects, where no number was asked for.
const OBJECT_JOBS: NonZero<usize> = NonZero::new(8).unwrap();

/// What is to be done.
pub(super) struct Job<'a> {
    pub(super) purpose: Purpose,
    pub(super) scan: &'a ScanArgs,
    pub(super) report: &'a CheckReportArgs,
    pub(super) setting: Setting,
    pub(super) watch: Option<std::time::Duration>,
    pub(super) move_to: Option<&'a std::path::Path>,
}

/// Examines everything, tells what was found, and does with bad files what was asked for.
pub(super) fn run(job: &Job<'_>) -> Result<ExitStatus, Failure> {
    let destination = super::destination(job.report);
    destination.check(ExitStatus::NoReport)?;
    let (paths, stores) = asked::paths(job.scan)?;
    if job.move_to.is_some() && paths.iter().any(|path| is_object(path)) {
        return Err(unmovable());
    }
    keep_decoders_quiet();
    let known = Known::read(job.scan.manifest.as_deref(), &stores)?;
    let mut ledger = Ledger::open(&known)?;
    let mut results = Results {
        job,
        gathering: Gathering::default(),
        lines: Lines::open(job.report)?,
        bad: Vec::new(),
        known_bad: HashSet::new(),
        failure: None,
    };
    let mut duplicates = Duplicates::default();
    let mut watching = Watching::new(job.watch);
    examine_all(job, &paths, &stores, &known, |listed| {
        let facts = &listed.facts;
        if job.purpose == Purpose::Data {
            duplicates.note(facts);
        }
        watching.note(&facts.path, &stores);
        results.take(facts);
        results.keep(ledger.write(&listed));
        results.failure.is_none()
    });
    if let Some(failure) = results.failure.take() {
        return finish_early(failure, &results);
    }
    for facts in ledger
        .missing()
        .into_iter()
        .chain(duplicates.found(&stores))
        .chain(watching.changed(&stores))
    {
        results.take_late(&facts);
    }
    ledger.close()?;
    results.finish(&destination, &paths)
}

fn unmovable() -> Failure {
    let message = "cannot move objects: crashlens only ever reads object storage";
    Failure::new(message, ExitStatus::NoReport)
        .with_help("--quarantine FILE lists the bad ones for the tool that moves them.")
}

/// Nobody reads any more (`| head`): what was found so far counts.
fn finish_early(failure: Failure, results: &Results<'_>) -> Result<ExitStatus, Failure> {
    if failure.status != ExitStatus::Success {
        return Err(failure);
    }
    Ok(results.status(&results.inspection("")))
}

fn examine_all(
    job: &Job<'_>,
    paths: &[String],
    stores: &Stores,
    manifest: &Known<'_>,
    take: impl FnMut(Listed) -> bool,
) {
    let options = Options {
        purpose: job.purpose,
        full: job.scan.full,
        limits: Limits {
            pixels: job.scan.max_pixels.saturating_mul(1_000_000),
            unpacked: job.scan.max_unpacked.saturating_mul(1_000_000_000),
            time: job.scan.timeout,
            ..Limits::default()
        },
    };
    let cores = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    // A store is waited for more than it is worked for.
    let usual = if paths.iter().any(|path| is_object(path)) {
        cores.max(OBJECT_JOBS)
    } else {
        cores
    };
    let jobs = job.scan.jobs.unwrap_or(usual);
    let writers = Writers::now();
    let bar = ScanBar::new();
    let find = |found: &mut Found<'_>| {
        for path in paths {
            let mut go_on = true;
            crashlens_files::find(stores.of(path), path, job.purpose, &mut |subject| {
                bar.found(subject.size);
                go_on = found(subject);
                go_on
            });
            if !go_on {
                return;
            }
        }
    };
    let read = |subject: &Subject| {
        let listed = match (&subject.trouble, manifest.facts(subject, job.scan.full)) {
            (Some(trouble), _) => manifest.hashed(in_trouble(subject, trouble)),
            (None, Some(listed)) => listed.clone(),
            (None, None) => {
                let mut facts = examine(stores.of(&subject.path), &subject.path, &options);
                note_writer(&mut facts, stores, &writers);
                manifest.hashed(facts)
            }
        };
        bar.read(subject.size);
        listed
    };
    scan(jobs, find, read, take);
}

/// A decoder that panics is noted as a finding against us; its own words help nobody who scans a million files.
fn keep_decoders_quiet() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // Readers have no name.
        if thread::current().name().is_some() {
            usual(panic);
        }
    }));
}

/// Notes who writes to the file right now.
fn note_writer(facts: &mut FileFacts, stores: &Stores, writers: &Writers) {
    // Of objects nobody can tell; the report says so once.
    if is_object(&facts.path) {
        return;
    }
    let Ok(Some(identity)) = stores.of(&facts.path).identity(&facts.path) else {
        return;
    };
    if let Some(writer) = writers.of(identity.device, identity.inode) {
        facts.flaws.push(Flaw {
            kind: FlawKind::OpenForWriting,
            part: "the file".to_owned(),
            at: None,
            detail: format!("{writer} has it open for writing"),
        });
    }
}

/// What came of the files so far.
struct Results<'a> {
    job: &'a Job<'a>,
    gathering: Gathering,
    lines: Option<Lines>,
    /// Paths with findings that count.
    bad: Vec<String>,
    known_bad: HashSet<String>,
    failure: Option<Failure>,
}

impl Results<'_> {
    fn take(&mut self, facts: &FileFacts) {
        let findings = judge(facts, &self.job.setting);
        self.gathering.add(facts, &findings);
        self.tell(facts, &findings);
    }

    /// What was noticed of a file after it was counted.
    fn take_late(&mut self, facts: &FileFacts) {
        let findings = judge(facts, &self.job.setting);
        self.gathering.add_late(facts, &findings);
        self.tell(facts, &findings);
    }

    fn tell(&mut self, facts: &FileFacts, findings: &[FileFinding]) {
        let least = self.job.report.fail_on.severity();
        let counts = |it: &FileFinding| Some(it.severity) >= least;
        if least.is_some()
            && findings.iter().any(counts)
            && self.known_bad.insert(facts.path.clone())
        {
            self.bad.push(facts.path.clone());
        }
        if let Some(lines) = &mut self.lines {
            let is_model = self.job.purpose == Purpose::Model;
            let forecast = is_model.then(|| forecast(facts, self.job.setting.memory));
            let written = lines.write(facts, findings, forecast.flatten());
            self.keep(written);
        }
    }

    fn keep(&mut self, done: Result<(), Failure>) {
        if let Err(failure) = done {
            self.failure.get_or_insert(failure);
        }
    }

    fn inspection(&self, subject: &str) -> Inspection {
        let kind = match self.job.purpose {
            Purpose::Data => InspectionKind::Data,
            Purpose::Model => InspectionKind::Model,
        };
        self.gathering.conclude(kind, subject, &self.job.setting)
    }

    fn status(&self, inspection: &Inspection) -> ExitStatus {
        super::status(inspection, self.job.report)
    }

    fn finish(
        mut self,
        destination: &crate::report::Destination,
        paths: &[String],
    ) -> Result<ExitStatus, Failure> {
        let mut inspection = self.inspection(&paths.join(" "));
        inspection.gaps.extend(Stores::gap(paths));
        let status = self.status(&inspection);
        if let Some(list) = &self.job.scan.quarantine {
            removal::list(list, &self.bad)?;
        }
        if let Some(folder) = self.job.move_to {
            removal::move_to(folder, &self.bad)?;
        }
        match self.lines.take() {
            Some(lines) => lines.close()?,
            None => told(super::write(
                &Report::of_inspections(vec![inspection]),
                self.job.report.format,
                destination,
            ))?,
        }
        Ok(status)
    }
}

/// Nobody reading any more (`| head`) is no failure.
fn told(written: Result<(), Failure>) -> Result<(), Failure> {
    match written {
        Err(failure) if failure.status != ExitStatus::Success => Err(failure),
        _ => Ok(()),
    }
}
