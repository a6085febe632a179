//! Starts the program, traced from its first instruction on.
//!
//! The new process waits on a pipe until it is traced, or until tracing has been refused, and only then
//! becomes the program. It has the streams, environment, signal mask, dispositions, session and process
//! group that crashlens was started with.

use std::ffi::{CString, OsString};
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::signal::SigSet;

use crate::calls::{self, Resume};
use crate::error::SuperviseError;
use crate::own_limits::Limit;
use crate::supervisor::privilege::may_trace_privileged;
use crate::sys::{self, ExecPlan};

/// Makes Python write its stack when it dies: the only stack there is where tracing is refused.
const FAULTHANDLER: &str = "PYTHONFAULTHANDLER";
/// How much of a file the kernel looks at to find the interpreter of a script.
const SCRIPT_HEAD: u64 = 256;

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
    let arguments = arguments_of(command)?;
    let untraced_environment = environment_where_untraced(&program);
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
    if let Err(errno) = nix::unistd::write(&go_write, &[u8::from(refused.is_none())]) {
        drop(go_write);
        end_unbegun(pid);
        return Err(prepare(errno));
    }
    Ok(Started {
        pid,
        refused,
        program,
        failure: failure_read,
    })
}

/// Waits for the end of a process that has not become the program and, without a go, will not.
fn end_unbegun(pid: u32) {
    let _ = sys::kill(pid, libc::SIGKILL);
    while let Ok(Some((_, status))) = sys::wait(pid as i32, libc::__WALL)
        && libc::WIFSTOPPED(status)
    {
        let _ = calls::resume(pid, Resume::Run, 0);
    }
}

/// Makes this process the program: the last resort where it cannot be started under supervision. Returns only when that
/// fails too.
pub fn run_unsupervised(command: &[OsString]) -> SuperviseError {
    let Some(program) = command.first().map(PathBuf::from) else {
        return SuperviseError::NoCommand;
    };
    match arguments_of(command) {
        Ok(arguments) => not_started(program, sys::exec(&arguments)),
        Err(error) => error,
    }
}

fn not_started(program: PathBuf, source: Errno) -> SuperviseError {
    match source {
        Errno::ENOENT => SuperviseError::NotFound { program, source },
        _ => SuperviseError::NotExecutable { program, source },
    }
}

fn arguments_of(command: &[OsString]) -> Result<Vec<CString>, SuperviseError> {
    let words = command
        .iter()
        .map(|word| c_string(word.as_bytes().to_vec()));
    words.collect()
}

impl Started {
    /// Why the process ended without ever becoming the program. Call only after its end: waits for it otherwise.
    pub(crate) fn failure(&self) -> Option<SuperviseError> {
        let mut errno = [0; 4];
        let read = nix::unistd::read(&self.failure, &mut errno);
        if read != Ok(errno.len()) {
            return None;
        }
        let errno = Errno::from_raw(i32::from_ne_bytes(errno));
        Some(not_started(self.program.clone(), errno))
    }
}

/// The environment of crashlens, with faulthandler switched on if `program` is Python and the user has not decided about it.
fn environment_where_untraced(program: &Path) -> Vec<CString> {
    let mut variables: Vec<_> = std::env::vars_os().collect();
    if !variables.iter().any(|(name, _)| name == FAULTHANDLER) && is_python(program) {
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

/// Whether the program is an interpreter of Python, or a script that names one as its own: `pytest`, `torchrun`.
fn is_python(program: &Path) -> bool {
    let is_interpreter = program
        .file_name()
        .is_some_and(|name| name.as_bytes().starts_with(b"python"));
    is_interpreter || on_search_path(program).is_some_and(|script| names_python(&script))
}

/// The file that `execvp` takes for `program`, as far as a script is looked for.
fn on_search_path(program: &Path) -> Option<PathBuf> {
    if program.as_os_str().as_bytes().contains(&b'/') {
        return program.is_file().then(|| program.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// Whether the file begins with `#!` and a Python, also by way of a shell, as pip writes it where paths are long.
fn names_python(script: &Path) -> bool {
    let mut head = Vec::new();
    let read =
        std::fs::File::open(script).and_then(|file| file.take(SCRIPT_HEAD).read_to_end(&mut head));
    read.is_ok() && head.starts_with(b"#!") && head.windows(6).any(|word| word == b"python")
}

fn c_string(bytes: Vec<u8>) -> Result<CString, SuperviseError> {
    CString::new(bytes).map_err(|_| SuperviseError::ZeroByte)
}
