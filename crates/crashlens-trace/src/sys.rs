//! Every system call of the project that Rust cannot check, each behind a safe function.
#![expect(
    unsafe_code,
    reason = "the one place where the kernel is spoken to directly"
)]

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{BorrowedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

use libc::c_int;
use memmap2::Mmap;
use nix::errno::Errno;
use nix::sys::signal::SigSet;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork};

use crate::own_limits::Limit;

/// Starts `run` in a process of its own that is nobody's child, so that it outlives its maker and
/// no `waitpid(-1)` ever meets it. When `run` returns, that process ends.
///
/// Call it before any thread is started: only the calling thread exists in the new process, and a
/// lock that another thread held at this moment stays locked there for ever. `run` should not
/// allocate for the same reason.
pub(crate) fn fork_detached(run: impl FnOnce()) -> Result<(), Errno> {
    // SAFETY: the child uses only the calling thread's own state and ends in `_exit`.
    match unsafe { fork() }? {
        ForkResult::Child => {
            let mut end = EndOfProcess(0);
            // SAFETY: as above.
            match unsafe { fork() } {
                Ok(ForkResult::Child) => run(),
                Ok(ForkResult::Parent { .. }) => {}
                Err(errno) => end.0 = errno as c_int,
            }
            drop(end);
            Ok(())
        }
        ForkResult::Parent { child } => first_child_ended(child),
    }
}

fn first_child_ended(child: Pid) -> Result<(), Errno> {
    loop {
        match waitpid(child, None) {
            Ok(WaitStatus::Exited(_, errno)) if errno != 0 => return Err(Errno::from_raw(errno)),
            Ok(WaitStatus::Signaled(..)) => return Err(Errno::ECHILD),
            // With SIGCHLD ignored (inherited from some service managers) the kernel reaps by itself.
            Ok(WaitStatus::Exited(..)) | Err(Errno::ECHILD) => return Ok(()),
            Ok(_) | Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}

/// Ends the process when dropped, also when a panic unwinds: a forked copy must never return into
/// the code of its maker.
struct EndOfProcess(c_int);

impl Drop for EndOfProcess {
    fn drop(&mut self) {
        exit_at_once(self.0);
    }
}

/// Ends this process; nothing is flushed or cleaned up.
pub(crate) fn exit_at_once(status: c_int) -> ! {
    // SAFETY: `_exit` has no preconditions; it runs no handlers and flushes nothing.
    unsafe { libc::_exit(status) }
}

/// Copies this process, which has one thread alone; whether this is the copy.
pub(crate) fn fork_single() -> Result<bool, Errno> {
    // SAFETY: there is no other thread that could hold a lock; both sides use only their own state.
    Ok(matches!(unsafe { fork() }?, ForkResult::Child))
}

/// Closes every file descriptor of this process except `keep`.
///
/// Only for a process that was just forked and whose other descriptors nobody owns any more.
pub(crate) fn close_all_except<const N: usize>(mut keep: [RawFd; N]) {
    keep.sort_unstable();
    let mut first = 0;
    for fd in keep {
        if first < fd {
            close_range(first, fd - 1);
        }
        first = first.max(fd.saturating_add(1));
    }
    close_range(first, RawFd::MAX);
}

fn close_range(first: RawFd, last: RawFd) {
    // SAFETY: the callers own no descriptor in the range, or give up owning it.
    let result = unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
    if result == 0 {
        return;
    }
    // Before Linux 5.9, and under seccomp filters that do not know the call, one by one. Numbers
    // above the usual hard limit of such systems are not looked for.
    for fd in first..=last.min(65_536) {
        // SAFETY: as above.
        unsafe { libc::close(fd) };
    }
}

/// Maps a whole file for reading.
pub(crate) fn map_file(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is read as bytes that may change at any time: every reader checks bounds on each
    // access. A file cut short while it is mapped would raise SIGBUS; cores and loaded libraries are
    // replaced, not cut, by all who write them.
    unsafe { Mmap::map(file) }
}

/// A ptrace request whose data is a signal to deliver, 0 for none.
pub(crate) fn ptrace_with_signal(
    request: libc::c_uint,
    thread: u32,
    signal: i32,
) -> nix::Result<()> {
    // SAFETY: these requests take a number as data and touch no memory of ours.
    let result =
        unsafe { libc::ptrace(request, thread as libc::pid_t, 0_usize, i64::from(signal)) };
    Errno::result(result).map(drop)
}

/// `si_addr` and `si_pid`, of which signal and code tell what is meant.
pub(crate) fn siginfo_parts(info: &libc::siginfo_t) -> (u64, u32) {
    // SAFETY: the member is read as a plain number, which any bytes are.
    let address = unsafe { info.si_addr() };
    // SAFETY: as above.
    let sender = unsafe { info.si_pid() };
    (address.addr() as u64, sender as u32)
}

/// The next change of a child or tracee; `None` when there is none now.
pub(crate) fn wait(pid: i32, flags: c_int) -> nix::Result<Option<(u32, i32)>> {
    let mut status = 0;
    // SAFETY: `status` lives across the call, which writes one int there.
    let pid = unsafe { libc::waitpid(pid, &raw mut status, flags) };
    let pid = Errno::result(pid)?;
    Ok((pid > 0).then_some((pid as u32, status)))
}

/// Whether a program file carries capabilities of its own.
pub(crate) fn has_file_capabilities(program: &Path) -> bool {
    let Ok(path) = CString::new(program.as_os_str().as_bytes()) else {
        return false;
    };
    let name = c"security.capability".as_ptr();
    // SAFETY: both strings end in a zero byte and live across the call; a size of 0 asks only whether there is a value.
    let size = unsafe { libc::getxattr(path.as_ptr(), name, std::ptr::null_mut(), 0) };
    size > 0
}

/// Sends a signal to a process.
pub(crate) fn kill(process: u32, signal: i32) -> nix::Result<()> {
    // Zero and negative numbers mean groups, and -1 means every process. It is also what `getpid` gives where it is refused.
    let process = libc::pid_t::try_from(process).map_err(|_| Errno::ESRCH)?;
    if process == 0 {
        return Err(Errno::ESRCH);
    }
    // SAFETY: takes two numbers.
    let result = unsafe { libc::kill(process, signal) };
    Errno::result(result).map(drop)
}

/// Signals whose dispositions crashlens changes for itself, each with the bit that says that it was started with the signal ignored.
const DISPOSITIONS: [(c_int, u8); 3] =
    [(libc::SIGPIPE, 1), (libc::SIGCHLD, 16), (libc::SIGXFSZ, 32)];
const INHERITED_CLOSED: [u8; 3] = [2, 4, 8];
static INHERITED: AtomicU8 = AtomicU8::new(0);

/// Notes what crashlens was started with and [`prepare_process`] or the Rust runtime changes. A supervised program would
/// inherit both changes; `yes | head` would then end with an error message instead of silently. The other signals are
/// noted because [`receive_child_signals`] and [`survive_file_size_limit`] change them.
extern "C" fn note_inherited() {
    let mut seen = 0;
    for (signal, bit) in DISPOSITIONS {
        if is_ignored(signal) {
            seen |= bit;
        }
    }
    for (stream, bit) in (0..).zip(INHERITED_CLOSED) {
        if is_closed(stream) {
            seen |= bit;
        }
    }
    INHERITED.store(seen, Ordering::Relaxed);
}

fn is_closed(stream: c_int) -> bool {
    // SAFETY: asks for a flag of a descriptor number, open or not.
    let flags = unsafe { libc::fcntl(stream, libc::F_GETFD) };
    // Any other error says nothing about the stream.
    flags == -1 && Errno::last() == Errno::EBADF
}

/// Does what the Rust runtime does before `main`: SIGPIPE becomes an error of the write, and standard streams that are
/// closed become `/dev/null`, so that no file that is opened later is taken for one. The runtime itself aborts where
/// `poll` or `sigaction` is refused.
pub fn prepare_process() {
    // SAFETY: ignoring runs no code of ours.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    for stream in 0..3 {
        if is_closed(stream) {
            // SAFETY: the path ends in a zero byte. The lowest free number, which the new descriptor gets, is that of the stream.
            unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) };
        }
    }
}

fn is_ignored(signal: c_int) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: with no new action given, the call only writes the old one to `action`.
    let result = unsafe { libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: all-zero bytes are a valid `sigaction`, and the call can only have replaced them by another.
    let action = unsafe { action.assume_init() };
    result == 0 && action.sa_sigaction == libc::SIG_IGN
}

/// Makes the kernel send SIGCHLD to this process again if it was started with the signal ignored, as some
/// service managers and web servers start their children. It would send none, not even to a descriptor,
/// and the tracer would wait for ever. The program still gets what crashlens was started with.
pub(crate) fn receive_child_signals() {
    if is_ignored(libc::SIGCHLD) {
        // SAFETY: the default action runs no code of ours.
        unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    }
}

/// Makes a write beyond `RLIMIT_FSIZE` an error instead of the end of this process. The program still gets what
/// crashlens was started with.
pub(crate) fn survive_file_size_limit() {
    // SAFETY: ignoring runs no code of ours.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Ends this process by a signal, as if nothing had been arranged for it. Returns where that does not end it: the first
/// process of a PID namespace is spared.
pub(crate) fn raise_default(signal: i32) {
    // SAFETY: the default action runs no code of ours; a number that names no signal is refused.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
    let mut only = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: `only` is room for a set, which the call fills.
    unsafe { libc::sigemptyset(only.as_mut_ptr()) };
    // SAFETY: `only` is a set by now; nix has none that takes real-time signals.
    unsafe { libc::sigaddset(only.as_mut_ptr(), signal) };
    // SAFETY: reads the set, and has no place to write an old one to.
    unsafe { libc::pthread_sigmask(libc::SIG_UNBLOCK, only.as_ptr(), std::ptr::null_mut()) };
    // SAFETY: sends a signal to this thread and touches no memory.
    unsafe { libc::raise(signal) };
    // Only where `gettid` or `tgkill` is refused.
    let _ = kill(std::process::id(), signal);
}

/// Whether threads can wait for each other. Where `futex` is refused, the C library aborts a process whose threads try.
pub fn can_use_threads() -> bool {
    let word = 0_u32;
    let wake = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: wakes at most no thread at the address of a word that lives across the call.
    unsafe { libc::syscall(libc::SYS_futex, &raw const word, wake, 0) >= 0 }
}

/// Whether crashlens was started without a standard error, although it has one now.
pub(crate) fn started_without_stderr() -> bool {
    std::hint::black_box(&AT_LOAD);
    INHERITED.load(Ordering::Relaxed) & INHERITED_CLOSED[2] != 0
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
    /// Its limits, where crashlens has others.
    pub(crate) limits: &'a [Limit],
    /// Gives one byte once it is settled whether the process is traced: 1 if it is.
    pub(crate) go: BorrowedFd<'a>,
    /// Takes `errno` when the program cannot be started.
    pub(crate) failure: BorrowedFd<'a>,
}

/// As the kernel takes them: only valid as long as the strings are.
fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    let pointers = strings.iter().map(|string| string.as_ptr());
    pointers.chain([std::ptr::null()]).collect()
}

/// Makes this process the program, with what crashlens was started with. Returns only when that fails.
pub(crate) fn exec(arguments: &[CString]) -> Errno {
    std::hint::black_box(&AT_LOAD);
    let arguments = pointers(arguments);
    restore_inherited(false);
    // SAFETY: the array ends with a null pointer, and the strings live until this process is replaced.
    unsafe { libc::execvp(arguments[0], arguments.as_ptr()) };
    let errno = Errno::last();
    prepare_process();
    errno
}

/// Forks a process that waits for `go` and then becomes the program.
pub(crate) fn fork_to_exec(plan: &ExecPlan<'_>) -> nix::Result<u32> {
    std::hint::black_box(&AT_LOAD);
    let arguments = pointers(plan.arguments);
    let untraced_environment = pointers(plan.untraced_environment);
    // SAFETY: the child only calls `become_program`, which allocates nothing and takes no locks.
    match unsafe { fork() }? {
        ForkResult::Parent { child } => Ok(child.as_raw() as u32),
        ForkResult::Child => {
            let errno = become_program(plan, &arguments, &untraced_environment);
            let _ = nix::unistd::write(plan.failure, &(errno as i32).to_ne_bytes());
            exit_at_once(127)
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
    let stderr = plan.stderr.map(nix::unistd::dup2_stderr);
    // Where that is refused, the program has the standard error of crashlens, as it would have alone.
    restore_inherited(stderr.is_some_and(|replaced| replaced.is_ok()));
    let prepared =
        (plan.limits.iter().try_for_each(Limit::set)).and_then(|()| plan.mask.thread_set_mask());
    if let Err(errno) = prepared {
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
    for (signal, bit) in DISPOSITIONS {
        let action = if inherited & bit == 0 {
            libc::SIG_DFL
        } else {
            libc::SIG_IGN
        };
        // SAFETY: neither action runs code of ours.
        unsafe { libc::signal(signal, action) };
    }
    for (stream, bit) in (0..).zip(INHERITED_CLOSED) {
        if inherited & bit != 0 && !(stream == 2 && stderr_replaced) {
            // SAFETY: closes a descriptor that the Rust runtime opened in this process and nothing here owns.
            unsafe { libc::close(stream) };
        }
    }
}

#[cfg(test)]
mod tests;
