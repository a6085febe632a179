//! Joins a process that runs already.

use std::time::Instant;

use crashlens_core::{CaptureFile, Ending, Gaps, Lineage, Origin, Program, Role};
use nix::errno::Errno;

use crate::capture::{Dying, read_dying};
use crate::error::SuperviseError;
use crate::freeze::list_threads;
use crate::outcome::{Attached, Observer, Options, Outcome, Supervision};
use crate::output::Relay;
use crate::resources::Baseline;
use crate::status::ThreadStatus;
use crate::supervisor::release::release_all;
use crate::supervisor::{Aim, End, Supervisor};
use crate::timeline::MemoryWatch;
use crate::tracee::Tree;
use crate::watch::Watch;
use crate::{calls, last_resort, own_limits, procfs};

/// Threads and processes that were made while we joined are looked for this often.
const MAX_ROUNDS: usize = 16;

/// Supervises a running process and everything below it until it ends or Ctrl-C.
///
/// Call it from the first thread of a process that has no others, as [`crate::supervise`].
pub fn attach(
    pid: u32,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Attached, SuperviseError> {
    let begin = Instant::now();
    // Those of a program that has itself watched, and which no other program is to get back.
    own_limits::raise();
    let pid = process_of(pid)?;
    let mut watch = start_watch(pid)?;
    last_resort::is_to_let_go();
    let mut tree = Tree::default();
    let mut gaps = Gaps::default();
    seize_process(&mut tree, pid)?;
    seize_descendants(&mut tree, pid, options.ours, &mut gaps);
    observer.joined();

    let relay = Relay::joined(pid);
    let mut supervisor = Supervisor::new(pid, Aim::Attach, options, &mut watch, &relay, observer);
    supervisor.join(tree);
    let end = supervisor.run()?;
    gaps.0.append(&mut supervisor.gaps.0);
    Ok(match end {
        End::LetGo => Attached::Detached(gaps),
        End::Ended(wait_status) => Attached::Ended(Outcome {
            wait_status,
            duration: begin.elapsed(),
            supervision: Supervision::Traced,
            gaps,
        }),
    })
}

/// What a running process was started as; the command line is empty where it cannot be read.
pub fn program_of(pid: u32) -> Program {
    Program {
        command: procfs::command(pid).unwrap_or_default(),
        directory: procfs::working_directory(pid).ok(),
    }
}

/// Whether a process finds the same files under the same names as we do, as one in a container does not.
pub fn sees_our_files(pid: u32) -> bool {
    let seen_by = |process: &str, what| std::fs::read_link(format!("/proc/{process}/{what}")).ok();
    let pid = pid.to_string();
    ["ns/mnt", "root"]
        .iter()
        .all(|what| seen_by(&pid, what).is_some_and(|seen| Some(seen) == seen_by("self", what)))
}

/// Stops a process for a moment and reads all its stacks.
pub fn look_at(pid: u32, locals: bool) -> Result<CaptureFile, SuperviseError> {
    let pid = process_of(pid)?;
    // Before it is traced: from then on it is we who stop it.
    let ending = alive(pid);
    let mut watch = start_watch(pid)?;
    let mut tree = Tree::default();
    seize_process(&mut tree, pid)?;
    let looked_at = Dying {
        process: pid,
        role: Role::Main,
        ending,
        thread: None,
        registers_at_fault: None,
        earlier: None,
        locals,
        oom: None,
        timeline: MemoryWatch::start().timeline(std::iter::once(pid), pid, false),
        lineage: Some(Lineage::new(Origin::Joined)),
        gaps: Gaps::default(),
    };
    let unnamed = read_dying(&mut tree, &mut watch, &Baseline::default(), looked_at);
    release_all(&tree, &mut watch);
    Ok(unnamed.name(&Relay::joined(pid)))
}

/// How a process is that has not ended.
pub(crate) fn alive(pid: u32) -> Ending {
    if ThreadStatus::read(pid).is_ok_and(|status| status.is_stopped()) {
        Ending::stopped()
    } else {
        Ending::running()
    }
}

/// The process that `id`, of a process or one of its threads, belongs to.
fn process_of(id: u32) -> Result<u32, SuperviseError> {
    match ThreadStatus::read(id) {
        Ok(status) if !status.has_ended() => Ok(status.process()),
        Ok(_) | Err(_) => Err(SuperviseError::NoSuchProcess { pid: id }),
    }
}

fn start_watch(pid: u32) -> Result<Watch, SuperviseError> {
    Watch::start().map_err(|source| SuperviseError::Wait { pid, source })
}

/// Traces all threads of a process. Those that a traced thread makes are traced from their start; those made
/// by a thread before its turn came are found by listing again.
fn seize_process(tree: &mut Tree, pid: u32) -> Result<(), SuperviseError> {
    for _ in 0..MAX_ROUNDS {
        let threads = list_threads(pid).ok_or(SuperviseError::NoSuchProcess { pid })?;
        let mut found = false;
        for thread in threads {
            if tree.known_process_of(thread).is_some() {
                continue;
            }
            match calls::seize(thread) {
                Ok(()) => {
                    tree.add(thread, pid);
                    found = true;
                }
                // Made by a thread that is traced, and so already ours; or gone.
                Err(_) if tree.known_process_of(pid).is_some() => {}
                Err(errno) => return Err(refusal(pid, errno)),
            }
        }
        if !found {
            break;
        }
    }
    Ok(())
}

fn refusal(pid: u32, source: Errno) -> SuperviseError {
    let tracer = ThreadStatus::read(pid)
        .ok()
        .and_then(|status| status.tracer());
    match (source, tracer) {
        (Errno::ESRCH, _) => SuperviseError::NoSuchProcess { pid },
        (_, Some(tracer)) => SuperviseError::AlreadyTraced {
            pid,
            tracer,
            tracer_name: procfs::thread_name(tracer, tracer),
        },
        (source, None) => SuperviseError::NotPermitted { pid, source },
    }
}

/// Traces what the process has started, except ourselves: the process may have started crashlens.
fn seize_descendants(tree: &mut Tree, pid: u32, ours: Option<u32>, gaps: &mut Gaps) {
    let is_ours = |process| process == std::process::id() || Some(process) == ours;
    for _ in 0..MAX_ROUNDS {
        let mut found = false;
        for process in procfs::descendants(pid).unwrap_or_default() {
            let known = tree.known_process_of(process).is_some() || is_ours(process);
            if known || ThreadStatus::read(process).is_ok_and(|status| status.is_traced_by_us()) {
                continue;
            }
            match seize_process(tree, process) {
                Ok(()) => found = true,
                Err(SuperviseError::NoSuchProcess { .. }) => {}
                Err(error) => {
                    gaps.add(
                        format!("process {process} below process {pid}"),
                        &error,
                        error.help(),
                    );
                }
            }
        }
        if !found {
            return;
        }
    }
}
