//! The system calls of crashlens, and what it means that one is refused.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The program is supervised, and its crash is reported.
    Supervised,
    /// The program runs as if crashlens were not there, and crashlens says so.
    Unsupervised,
    /// The same, and there is no way to say so.
    Speechless,
    /// The dynamic loader needs the call: neither program starts.
    NotLoaded,
    /// crashlens cannot start the program, and says so.
    NotStarted,
}

impl Effect {
    /// The name of its count.
    pub fn key(self) -> &'static str {
        match self {
            Self::Supervised => "denied, supervised",
            Self::Unsupervised => "denied, unsupervised",
            Self::Speechless => "denied, speechless",
            Self::NotLoaded => "denied, not loaded",
            Self::NotStarted => "denied, not started",
        }
    }

    /// What must be so in every run.
    pub fn title(self) -> &'static str {
        match self {
            Self::Supervised => "the program ends as alone; a crash is reported",
            Self::Unsupervised => {
                "the program ends as alone; crashlens says that it runs without supervision"
            }
            Self::Speechless => {
                "the program ends as alone; crashlens cannot write that it runs without supervision"
            }
            Self::NotLoaded => "neither `sh` nor crashlens can be loaded; both end the same way",
            Self::NotStarted => {
                "crashlens ends with status 126 and says that it cannot execute the program"
            }
        }
    }
}

/// Its name, and its number on x86-64.
pub type Call = (&'static str, i32);

/// What `strace` and `strace -f` show of `crashlens run -- sh -c PROGRAM` with the programs of the trial, up to the start of
/// `sh`, with standard error as a pipe and as a file; and what crashlens uses where one of these is refused.
pub const CALLS: [(Effect, &[Call]); 5] = [
    (
        Effect::Supervised,
        &[
            ("poll", 7),
            ("lseek", 8),
            ("munmap", 11),
            ("brk", 12),
            ("rt_sigaction", 13),
            ("ioctl", 16),
            ("access", 21),
            ("mremap", 25),
            ("madvise", 28),
            ("dup2", 33),
            ("getpid", 39),
            ("sendto", 44),
            ("recvfrom", 45),
            ("socketpair", 53),
            ("setsockopt", 54),
            ("exit", 60),
            ("kill", 62),
            ("uname", 63),
            ("fcntl", 72),
            ("chdir", 80),
            ("mkdir", 83),
            ("readlink", 89),
            ("fchmod", 91),
            ("getrusage", 98),
            ("ptrace", 101),
            ("setpgid", 109),
            ("statfs", 137),
            ("prctl", 157),
            ("gettid", 186),
            ("futex", 202),
            ("sched_getaffinity", 204),
            ("getdents64", 217),
            ("set_tid_address", 218),
            ("clock_gettime", 228),
            ("clock_nanosleep", 230),
            ("exit_group", 231),
            ("tgkill", 234),
            ("renameat", 264),
            ("ppoll", 271),
            ("set_robust_list", 273),
            ("prlimit64", 302),
            ("process_vm_readv", 310),
            ("getrandom", 318),
            ("memfd_create", 319),
            ("statx", 332),
            ("rseq", 334),
            ("clone3", 435),
            ("close_range", 436),
        ],
    ),
    (
        Effect::Unsupervised,
        &[
            ("rt_sigprocmask", 14),
            ("clone", 56),
            ("wait4", 61),
            ("signalfd4", 289),
            ("pipe2", 293),
        ],
    ),
    (Effect::Speechless, &[("write", 1)]),
    (
        Effect::NotLoaded,
        &[
            ("read", 0),
            ("close", 3),
            ("mmap", 9),
            ("mprotect", 10),
            ("pread64", 17),
            ("arch_prctl", 158),
            ("openat", 257),
            ("newfstatat", 262),
        ],
    ),
    (Effect::NotStarted, &[("execve", 59)]),
];
