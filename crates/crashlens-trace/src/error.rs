//! Why supervision failed, and what the user can do.

use std::path::PathBuf;

use nix::errno::Errno;

/// Why supervision failed.
#[derive(Debug, thiserror::Error)]
pub enum SuperviseError {
    /// Not written yet.
    #[error("not supported yet")]
    Unsupported,
    /// No program was named.
    #[error("no program to run")]
    NoCommand,
    /// The program's name or an argument has a zero byte in it, which no program can be given.
    #[error("the command line contains a zero byte")]
    ZeroByte,
    /// There is no such program.
    #[error("cannot find {}", program.display())]
    NotFound {
        /// As given.
        program: PathBuf,
        /// What the kernel said.
        source: Errno,
    },
    /// The program is there and cannot be started.
    #[error("cannot execute {}", program.display())]
    NotExecutable {
        /// As given.
        program: PathBuf,
        /// What the kernel said.
        source: Errno,
    },
    /// The machine refused what is needed to supervise any program.
    #[error("cannot supervise {}", program.display())]
    Prepare {
        /// As given.
        program: PathBuf,
        /// What the kernel said.
        source: Errno,
    },
    /// The kernel would not tell what became of the program.
    #[error("cannot wait for process {pid}")]
    Wait {
        /// The process.
        pid: u32,
        /// What the kernel said.
        source: Errno,
    },
    /// There is no such process.
    #[error("there is no process {pid}")]
    NoSuchProcess {
        /// The id given.
        pid: u32,
    },
    /// The kernel does not let us trace the process.
    #[error("not permitted to trace process {pid}")]
    NotPermitted {
        /// The process.
        pid: u32,
        /// What the kernel said.
        source: Errno,
    },
    /// A process can have one tracer, and has it.
    #[error("process {pid} is already traced by process {tracer} ({tracer_name})")]
    AlreadyTraced {
        /// The process.
        pid: u32,
        /// Its tracer.
        tracer: u32,
        /// The tracer's name.
        tracer_name: String,
    },
}

impl SuperviseError {
    /// The status to exit with: 127 for a program that is not there, 126 for one that cannot be started, 125
    /// for our own failures, as `env` and `timeout` have it.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::NotFound { .. } => 127,
            Self::NotExecutable { .. } => 126,
            _ => 125,
        }
    }

    /// What the user can do, where there is something.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::NotFound { .. } => {
                Some("Check the spelling and PATH, or give the program's full path.")
            }
            Self::NotExecutable {
                source: Errno::EACCES,
                ..
            } => Some(
                "Make the file executable (chmod +x), or name its interpreter: crashlens run -- python FILE",
            ),
            Self::NotPermitted { .. } => Some(
                "Run as the process's own user. If /proc/sys/kernel/yama/ptrace_scope is 1 or more, run as root or \
                 with CAP_SYS_PTRACE, or start the program with `crashlens run`. In Docker add --cap-add=SYS_PTRACE.",
            ),
            Self::AlreadyTraced { .. } => {
                Some("End the debugger or tracer that holds the process, then try again.")
            }
            _ => None,
        }
    }
}
