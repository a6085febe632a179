//! System calls of the tracer, each of which a test can make fail.
//!
//! Nothing is decided here. Process and thread ids are `u32` as in the capture; signals are plain
//! numbers, because `nix` has no realtime signals and would refuse to deliver one.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use crashlens_core::{Registers, Signal};
use nix::errno::Errno;
use nix::sys::ptrace;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;

use crate::arch::{self, UserRegisters};
use crate::injection::{Call, check};
use crate::siginfo::SignalRecord;
use crate::sys;

/// Signals, new threads and processes, program changes and exits of a tracee are reported.
/// Not `EXITKILL`: when crashlens is killed, the program must live on.
fn trace_options() -> ptrace::Options {
    ptrace::Options::PTRACE_O_TRACECLONE
        | ptrace::Options::PTRACE_O_TRACEFORK
        | ptrace::Options::PTRACE_O_TRACEVFORK
        | ptrace::Options::PTRACE_O_TRACEEXEC
        | ptrace::Options::PTRACE_O_TRACEEXIT
        | ptrace::Options::PTRACE_O_TRACESYSGOOD
}

fn raw(id: u32) -> Pid {
    Pid::from_raw(id as i32)
}

/// Starts tracing a thread without stopping it.
pub(crate) fn seize(thread: u32) -> nix::Result<()> {
    check(Call::Seize)?;
    ptrace::seize(raw(thread), trace_options())
}

/// Asks a tracee to stop.
pub(crate) fn interrupt(thread: u32) -> nix::Result<()> {
    check(Call::Interrupt)?;
    ptrace::interrupt(raw(thread))
}

/// How a stopped tracee goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resume {
    /// Until the next signal or event.
    Run,
    /// Until the next system call, signal or event.
    ToSystemCall,
    /// It stays in its group stop, and events are reported.
    Listen,
}

/// Lets a stopped tracee go on, with `signal` delivered (0 for none).
pub(crate) fn resume(thread: u32, how: Resume, signal: i32) -> nix::Result<()> {
    check(Call::Resume)?;
    let request = match how {
        Resume::Run => libc::PTRACE_CONT,
        Resume::ToSystemCall => libc::PTRACE_SYSCALL,
        Resume::Listen => libc::PTRACE_LISTEN,
    };
    sys::ptrace_with_signal(request, thread, signal)
}

/// Stops tracing a stopped tracee; it goes on with `signal` delivered (0 for none).
pub(crate) fn detach(thread: u32, signal: i32) -> nix::Result<()> {
    check(Call::Detach)?;
    sys::ptrace_with_signal(libc::PTRACE_DETACH, thread, signal)
}

/// The registers of a stopped tracee.
pub(crate) fn registers(thread: u32) -> nix::Result<Registers> {
    user_registers(thread).map(|user| arch::registers(&user))
}

/// The registers of a stopped tracee as the kernel has them, the system call number included.
pub(crate) fn user_registers(thread: u32) -> nix::Result<UserRegisters> {
    check(Call::Registers)?;
    ptrace::getregs(raw(thread))
}

/// Changes the registers of a stopped tracee.
pub(crate) fn set_user_registers(thread: u32, user: UserRegisters) -> nix::Result<()> {
    check(Call::Registers)?;
    ptrace::setregs(raw(thread), user)
}

/// The signal a tracee is stopped on.
pub(crate) fn signal_record(thread: u32) -> nix::Result<SignalRecord> {
    check(Call::SignalRecord)?;
    let info = ptrace::getsiginfo(raw(thread))?;
    let (address, sender) = sys::siginfo_parts(&info);
    Ok(SignalRecord::from_parts(
        Signal(info.si_signo),
        info.si_code,
        address,
        sender,
    ))
}

/// What came with the event a tracee is stopped on.
pub(crate) fn event_message(thread: u32) -> nix::Result<u64> {
    check(Call::EventMessage)?;
    ptrace::getevent(raw(thread)).map(|message| message as u64)
}

/// Whether `waitpid` is allowed, before there is anything to wait for.
pub(crate) fn may_wait() -> nix::Result<()> {
    // A number that no process has.
    match sys::wait(i32::MAX, libc::WNOHANG) {
        Ok(_) | Err(Errno::ECHILD) => Ok(()),
        Err(errno) => Err(errno),
    }
}

/// The next change of any tracee or child of this thread; `None` when there is none now. Stops of children that are
/// not traced are only reported on request.
pub(crate) fn wait_any(reports_stops: bool) -> nix::Result<Option<(u32, i32)>> {
    check(Call::Wait)?;
    let stops = if reports_stops {
        libc::WUNTRACED | libc::WCONTINUED
    } else {
        0
    };
    sys::wait(-1, libc::__WALL | libc::__WNOTHREAD | libc::WNOHANG | stops)
}

/// Reads memory of another process; returns how many bytes came before the first that could not be read.
pub(crate) fn read_memory(process: u32, address: u64, buffer: &mut [u8]) -> nix::Result<usize> {
    check(Call::ReadMemory)?;
    let remote = RemoteIoVec {
        base: address as usize,
        len: buffer.len(),
    };
    process_vm_readv(raw(process), &mut [io::IoSliceMut::new(buffer)], &[remote])
}

/// Opens a file for reading.
pub(crate) fn open(path: impl AsRef<Path>) -> io::Result<File> {
    check(Call::Open)?;
    File::open(path)
}

/// Opens a file in a chosen way.
pub(crate) fn open_with(options: &OpenOptions, path: &Path) -> io::Result<File> {
    check(Call::Open)?;
    options.open(path)
}
