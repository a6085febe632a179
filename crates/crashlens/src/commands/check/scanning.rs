//! `check data` and `check model`: every file is examined, judged and told of as it comes.

use std::num::NonZero;
use std::thread;

use crashlens_core::files::{FileFacts, Flaw, FlawKind, Setting};
use crashlens_files::{
    Found, Limits, Listed, Options, Purpose, Subject, Writers, examine, in_trouble, scan,
};

use super::asked;
use super::duplicates::Duplicates;
use super::ledger::{Known, Ledger};
use super::own_files::OwnFiles;
use super::progress::ScanBar;
use super::results::Results;
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
    let mut results = Results::of(job)?;
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
        return results.finish_early(failure);
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
        labels: job.setting.label_names(),
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
    let own = OwnFiles::of(job, paths);
    let find = |found: &mut Found<'_>| {
        for path in paths {
            let mut go_on = true;
            crashlens_files::find(stores.of(path), path, job.purpose, &mut |subject| {
                if own.contains(&subject.path) {
                    return true;
                }
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
