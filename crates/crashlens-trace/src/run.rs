//! `supervise`: starts a program and stays with it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

use crashlens_core::Gaps;
use nix::errno::Errno;

use crate::error::SuperviseError;
use crate::outcome::{Observer, Options, Outcome, Supervision};
use crate::output::Relay;
use crate::own_limits::{self, Limit};
use crate::spawn::{self, Started};
use crate::supervisor::{Aim, End, Supervisor};
use crate::watch::Watch;
use crate::{degraded, last_resort};

/// Starts `command` and supervises it and everything below it until it ends.
///
/// Call it from the first thread of a process that has no others: signals that other threads do not block
/// would go astray. The soft limits of the process that would hinder this are raised for good; the program has those that it
/// would have alone.
///
/// After [`SuperviseError::Prepare`] the program was not started, and limits and signals are as before: it can be given to
/// [`crate::run_unsupervised`].
pub fn supervise(
    command: &[OsString],
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, SuperviseError> {
    let inherited_limits = own_limits::raise();
    let result = supervise_with(&inherited_limits, command, options, observer);
    if let Err(SuperviseError::Prepare { .. }) = result {
        for limit in &inherited_limits {
            let _ = limit.set();
        }
    }
    result
}

fn supervise_with(
    inherited_limits: &[Limit],
    command: &[OsString],
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, SuperviseError> {
    let program = PathBuf::from(command.first().ok_or(SuperviseError::NoCommand)?);
    let mut watch = Watch::start().map_err(|source| SuperviseError::Prepare { program, source })?;
    let mut gaps = Gaps::default();
    let (relay, stderr) =
        Relay::start(options.tail).unwrap_or_else(|error| (Relay::off(error), None));
    let begin = Instant::now();
    let started = spawn::start(command, stderr, watch.inherited_mask(), inherited_limits)?;
    watch.block_for_good();
    last_resort::is_to_end_as(started.pid);
    let result = watch_started(&started, options, &mut watch, &relay, observer, &mut gaps);
    if let Ok((status, _)) = result {
        last_resort::has_ended(status);
    }
    let duration = begin.elapsed();
    relay.finish();
    result.map(|(wait_status, supervision)| Outcome {
        wait_status,
        duration,
        supervision,
        gaps,
    })
}

fn watch_started(
    started: &Started,
    options: &Options,
    watch: &mut Watch,
    relay: &Relay,
    observer: &mut dyn Observer,
    gaps: &mut Gaps,
) -> Result<(i32, Supervision), SuperviseError> {
    if let Some(errno) = started.refused {
        if options.hang_after.is_some() {
            let reason = format!("the program could not be traced: {}", errno.desc());
            gaps.add("whether the program makes progress", reason, None);
        }
        let status = degraded::watch(started, errno, watch, relay, observer, gaps)?;
        return Ok((status, Supervision::Degraded));
    }
    let mut supervisor = Supervisor::new(started.pid, Aim::Run, options, watch, relay, observer);
    let end = supervisor.run()?;
    gaps.0.append(&mut supervisor.gaps.0);
    if !supervisor.began
        && let Some(failure) = started.failure()
    {
        return Err(failure);
    }
    match end {
        End::Ended(status) => Ok((status, Supervision::Traced)),
        End::LetGo => Err(SuperviseError::Wait {
            pid: started.pid,
            source: Errno::ECANCELED,
        }),
    }
}
