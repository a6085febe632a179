//! Every call to the kernel that needs `unsafe`, and every one that tests must be able to fail.
//!
//! Nothing is decided here. Process and thread ids are `u32` as in the capture; signals are plain
//! numbers, because `nix` has no realtime signals and would refuse to deliver one.
#![expect(
    unsafe_code,
    reason = "the one place of the project that calls the kernel directly"
)]

use std::ffi::{CString, c_int};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

use crashlens_core::{Address, Registers, Signal};
use memmap2::Mmap;
use nix::errno::Errno;
use nix::sys::ptrace;
use nix::sys::signal::SigSet;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::{ForkResult, Pid};

use crate::injection::{Call, check};
use crate::siginfo::SignalRecord;

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
    ptrace_with_signal(request, thread, signal)
}

/// Stops tracing a stopped tracee; it goes on with `signal` delivered (0 for none).
pub(crate) fn detach(thread: u32, signal: i32) -> nix::Result<()> {
    check(Call::Detach)?;
    ptrace_with_signal(libc::PTRACE_DETACH, thread, signal)
}

fn ptrace_with_signal(request: libc::c_uint, thread: u32, signal: i32) -> nix::Result<()> {
    // SAFETY: these requests take a number as data and touch no memory of ours.
    let result =
        unsafe { libc::ptrace(request, thread as libc::pid_t, 0_usize, i64::from(signal)) };
    Errno::result(result).map(drop)
}

/// The registers of a stopped tracee.
pub(crate) fn registers(thread: u32) -> nix::Result<Registers> {
    user_registers(thread).map(|user| Registers {
        rip: Address(user.rip),
        rsp: Address(user.rsp),
        rbp: Address(user.rbp),
        rax: Address(user.rax),
        rbx: Address(user.rbx),
        rcx: Address(user.rcx),
        rdx: Address(user.rdx),
        rsi: Address(user.rsi),
        rdi: Address(user.rdi),
        r8: Address(user.r8),
        r9: Address(user.r9),
        r10: Address(user.r10),
        r11: Address(user.r11),
        r12: Address(user.r12),
        r13: Address(user.r13),
        r14: Address(user.r14),
        r15: Address(user.r15),
        eflags: Address(user.eflags),
        fs_base: Address(user.fs_base),
        gs_base: Address(user.gs_base),
    })
}

/// The registers of a stopped tracee as the kernel has them, the system call number included.
pub(crate) fn user_registers(thread: u32) -> nix::Result<libc::user_regs_struct> {
    check(Call::Registers)?;
    ptrace::getregs(raw(thread))
}

/// The signal a tracee is stopped on.
pub(crate) fn signal_record(thread: u32) -> nix::Result<SignalRecord> {
    check(Call::SignalRecord)?;
    let info = ptrace::getsiginfo(raw(thread))?;
    // SAFETY: the member is read as a plain number, which any bytes are; what it means is decided by signal and code.
    let address = unsafe { info.si_addr() };
    // SAFETY: as above, a plain number.
    let sender = unsafe { info.si_pid() };
    Ok(SignalRecord::from_parts(
        Signal(info.si_signo),
        info.si_code,
        address.addr() as u64,
        sender as u32,
    ))
}

/// What came with the event a tracee is stopped on.
pub(crate) fn event_message(thread: u32) -> nix::Result<u64> {
    check(Call::EventMessage)?;
    ptrace::getevent(raw(thread)).map(|message| message as u64)
}

/// The next change of any tracee or child of this thread; `None` when there is none now.
pub(crate) fn wait_any() -> nix::Result<Option<(u32, i32)>> {
    check(Call::Wait)?;
    wait(-1, libc::__WALL | libc::__WNOTHREAD | libc::WNOHANG)
}

fn wait(pid: i32, flags: c_int) -> nix::Result<Option<(u32, i32)>> {
    let mut status = 0;
    // SAFETY: `status` lives across the call, which writes one int there.
    let pid = unsafe { libc::waitpid(pid, &raw mut status, flags) };
    let pid = Errno::result(pid)?;
    Ok((pid > 0).then_some((pid as u32, status)))
}

/// Sends a signal to a process.
pub(crate) fn kill(process: u32, signal: i32) -> nix::Result<()> {
    // SAFETY: takes two numbers.
    let result = unsafe { libc::kill(process as libc::pid_t, signal) };
    Errno::result(result).map(drop)
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

/// Maps a whole file for reading.
pub(crate) fn map_file(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is read as bytes that may change at any time: every reader checks bounds on each
    // access. A file cut short while it is mapped would raise SIGBUS; only loaded libraries are large
    // enough to be mapped, and cutting those short kills the program that runs them as well.
    unsafe { Mmap::map(file) }
}

const INHERITED_SIGPIPE_IGNORED: u8 = 1;
const INHERITED_CLOSED: [u8; 3] = [2, 4, 8];
static INHERITED: AtomicU8 = AtomicU8::new(0);

/// Notes what crashlens was started with and the Rust runtime changes before `main`: it ignores SIGPIPE
/// and opens `/dev/null` in place of standard streams that are closed. A supervised program would
/// inherit both; `yes | head` would then end with an error message instead of silently.
extern "C" fn note_inherited() {
    let mut seen = 0;
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: with no new action given, the call only writes the old one to `action`.
    let result = unsafe { libc::sigaction(libc::SIGPIPE, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: all-zero bytes are a valid `sigaction`, and the call can only have replaced them by another.
    let action = unsafe { action.assume_init() };
    if result == 0 && action.sa_sigaction == libc::SIG_IGN {
        seen |= INHERITED_SIGPIPE_IGNORED;
    }
    for (stream, bit) in (0..).zip(INHERITED_CLOSED) {
        // SAFETY: asks for a flag of a descriptor number, open or not.
        let flags = unsafe { libc::fcntl(stream, libc::F_GETFD) };
        if flags == -1 {
            seen |= bit;
        }
    }
    INHERITED.store(seen, Ordering::Relaxed);
}

// SAFETY: the loader calls each pointer of this section once before `main`; the function uses nothing of the runtime.
#[unsafe(link_section = ".init_array")]
#[used]
static AT_LOAD: extern "C" fn() = note_inherited;

unsafe extern "C" {
    /// The environment as crashlens was given it.
    static environ: *const *const libc::c_char;
}

/// Everything a new process needs between `fork` and `exec`, made before the fork: afterwards nothing may allocate.
pub(crate) struct ExecPlan<'a> {
    /// The program and its arguments.
    pub(crate) arguments: &'a [CString],
    /// Its environment when it is not traced; otherwise it has that of crashlens, to the byte.
    pub(crate) untraced_environment: &'a [CString],
    /// Its standard error, unless inherited.
    pub(crate) stderr: Option<BorrowedFd<'a>>,
    /// Its signal mask.
    pub(crate) mask: &'a SigSet,
    /// Gives one byte once it is settled whether the process is traced: 1 if it is.
    pub(crate) go: BorrowedFd<'a>,
    /// Takes `errno` when the program cannot be started.
    pub(crate) failure: BorrowedFd<'a>,
}

/// Forks a process that waits for `go` and then becomes the program.
pub(crate) fn fork_to_exec(plan: &ExecPlan<'_>) -> nix::Result<u32> {
    std::hint::black_box(&AT_LOAD);
    let pointers = |strings: &[CString]| -> Vec<*const libc::c_char> {
        strings
            .iter()
            .map(|string| string.as_ptr())
            .chain([std::ptr::null()])
            .collect()
    };
    let arguments = pointers(plan.arguments);
    let untraced_environment = pointers(plan.untraced_environment);
    // SAFETY: the child only calls `become_program`, which allocates nothing and takes no locks.
    match unsafe { nix::unistd::fork() }? {
        ForkResult::Parent { child } => Ok(child.as_raw() as u32),
        ForkResult::Child => {
            let errno = become_program(plan, &arguments, &untraced_environment);
            let _ = nix::unistd::write(plan.failure, &(errno as i32).to_ne_bytes());
            // SAFETY: ends this process without running the parent's exit functions.
            unsafe { libc::_exit(127) }
        }
    }
}

/// Returns only when the program could not be started.
fn become_program(
    plan: &ExecPlan<'_>,
    arguments: &[*const libc::c_char],
    untraced_environment: &[*const libc::c_char],
) -> Errno {
    let mut traced = [0];
    loop {
        match nix::unistd::read(plan.go, &mut traced) {
            Ok(1) => break,
            Err(Errno::EINTR) => {}
            // crashlens ended before the program began.
            Ok(_) => return Errno::ECANCELED,
            Err(errno) => return errno,
        }
    }
    if let Some(stderr) = plan.stderr
        && let Err(errno) = nix::unistd::dup2_stderr(stderr)
    {
        return errno;
    }
    restore_inherited(plan.stderr.is_some());
    if let Err(errno) = plan.mask.thread_set_mask() {
        return errno;
    }
    // SAFETY: the C library's own variable; this process has one thread, so nothing changes it now.
    let own_environment = unsafe { environ };
    let environment = if traced == [1] {
        own_environment
    } else {
        untraced_environment.as_ptr()
    };
    // SAFETY: both arrays end with a null pointer, and the strings they point to live until this process is replaced.
    unsafe { libc::execvpe(arguments[0], arguments.as_ptr(), environment) };
    Errno::last()
}

fn restore_inherited(stderr_replaced: bool) {
    let inherited = INHERITED.load(Ordering::Relaxed);
    if inherited & INHERITED_SIGPIPE_IGNORED == 0 {
        // SAFETY: the default action runs no code of ours.
        unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    }
    for (stream, bit) in (0..).zip(INHERITED_CLOSED) {
        if inherited & bit != 0 && !(stream == 2 && stderr_replaced) {
            // SAFETY: closes a descriptor that the Rust runtime opened in this process and nothing here owns.
            unsafe { libc::close(stream) };
        }
    }
}

/// A pipe whose ends no program inherits.
pub(crate) fn pipe() -> nix::Result<(OwnedFd, OwnedFd)> {
    nix::unistd::pipe2(nix::fcntl::OFlag::O_CLOEXEC)
}
