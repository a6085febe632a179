//! Starts the program, traced from its first instruction on.
//!
//! The new process waits on a pipe until it is traced, or until tracing has been refused, and only then
//! becomes the program. It has the streams, environment, signal mask, dispositions, session and process
//! group that crashlens was started with.

use std::ffi::{CString, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::signal::SigSet;

use crate::calls;
use crate::error::SuperviseError;
use crate::own_limits::Limit;
use crate::supervisor::privilege::may_trace_privileged;
use crate::sys::{self, ExecPlan};

/// Makes Python write its stack when it dies: the only stack there is where tracing is refused.
const FAULTHANDLER: &str = "PYTHONFAULTHANDLER";

/// A program that was started.
#[derive(Debug)]
pub(crate) struct Started {
    /// Its process.
    pub(crate) pid: u32,
    /// Why it is not traced, if it is not.
    pub(crate) refused: Option<Errno>,
    program: PathBuf,
    failure: OwnedFd,
}

/// Starts `command`, with `stderr` as its standard error unless it is to be inherited.
pub(crate) fn start(
    command: &[OsString],
    stderr: Option<OwnedFd>,
    mask: &SigSet,
    limits: &[Limit],
) -> Result<Started, SuperviseError> {
    let program = PathBuf::from(command.first().ok_or(SuperviseError::NoCommand)?);
    let arguments = command
        .iter()
        .map(|word| c_string(word.as_bytes().to_vec()))
        .collect::<Result<Vec<_>, _>>()?;
    let untraced_environment = environment_with_faulthandler();
    let prepare = |source| SuperviseError::Prepare {
        program: program.clone(),
        source,
    };
    let (go_read, go_write) = nix::unistd::pipe2(OFlag::O_CLOEXEC).map_err(prepare)?;
    let (failure_read, failure_write) = nix::unistd::pipe2(OFlag::O_CLOEXEC).map_err(prepare)?;
    let plan = ExecPlan {
        arguments: &arguments,
        untraced_environment: &untraced_environment,
        stderr: stderr.as_ref().map(AsFd::as_fd),
        mask,
        limits,
        go: go_read.as_fd(),
        failure: failure_write.as_fd(),
    };
    let pid = sys::fork_to_exec(&plan).map_err(prepare)?;
    // With our copy open, the relay would never see the end of what the program writes.
    drop(stderr);
    let refused = calls::seize(pid).err();
    if refused.is_none() && !may_trace_privileged() {
        // It stops before it can go on to the program, and is stepped from there.
        let _ = calls::interrupt(pid);
    }
    nix::unistd::write(&go_write, &[u8::from(refused.is_none())]).map_err(prepare)?;
    Ok(Started {
        pid,
        refused,
        program,
        failure: failure_read,
    })
}

impl Started {
    /// Why the process ended without ever becoming the program. Call only after its end: waits for it otherwise.
    pub(crate) fn failure(&self) -> Option<SuperviseError> {
        let mut errno = [0; 4];
        let read = nix::unistd::read(&self.failure, &mut errno);
        if read != Ok(errno.len()) {
            return None;
        }
        let program = self.program.clone();
        Some(match Errno::from_raw(i32::from_ne_bytes(errno)) {
            source @ Errno::ENOENT => SuperviseError::NotFound { program, source },
            source => SuperviseError::NotExecutable { program, source },
        })
    }
}

/// The environment of crashlens, with faulthandler switched on if the user has not decided about it.
fn environment_with_faulthandler() -> Vec<CString> {
    let mut variables: Vec<_> = std::env::vars_os().collect();
    if !variables.iter().any(|(name, _)| name == FAULTHANDLER) {
        variables.push((FAULTHANDLER.into(), "1".into()));
    }
    let lines = variables.into_iter().map(|(name, value)| {
        let mut line = name.into_vec();
        line.push(b'=');
        line.extend(value.into_vec());
        line
    });
    lines.filter_map(|line| CString::new(line).ok()).collect()
}

fn c_string(bytes: Vec<u8>) -> Result<CString, SuperviseError> {
    CString::new(bytes).map_err(|_| SuperviseError::ZeroByte)
}
