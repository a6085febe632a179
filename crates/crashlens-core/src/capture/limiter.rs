//! Who sets a limit.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Who sets a limit. In JSON it is the text of [`Limiter::as_str`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Limiter {
    /// A soft limit of the process itself.
    Process(Rlimit),
    /// The hard limit of CPU time, where it differs from the soft one: there the kernel kills.
    HardCpuTime,
    /// A cgroup or a file system.
    Path(String),
    /// Something that this version does not know.
    Other(String),
}

/// A limit of a process, as `setrlimit` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rlimit {
    /// Address space.
    As,
    /// CPU time.
    Cpu,
    /// Data segment.
    Data,
    /// Size of a file.
    Fsize,
    /// Locked memory.
    Memlock,
    /// Open files.
    Nofile,
    /// Threads of a user.
    Nproc,
    /// Stack of the main thread.
    Stack,
}

impl Rlimit {
    const ALL: [Self; 8] = [
        Self::As,
        Self::Cpu,
        Self::Data,
        Self::Fsize,
        Self::Memlock,
        Self::Nofile,
        Self::Nproc,
        Self::Stack,
    ];

    /// `RLIMIT_AS`.
    pub fn name(self) -> &'static str {
        match self {
            Self::As => "RLIMIT_AS",
            Self::Cpu => "RLIMIT_CPU",
            Self::Data => "RLIMIT_DATA",
            Self::Fsize => "RLIMIT_FSIZE",
            Self::Memlock => "RLIMIT_MEMLOCK",
            Self::Nofile => "RLIMIT_NOFILE",
            Self::Nproc => "RLIMIT_NPROC",
            Self::Stack => "RLIMIT_STACK",
        }
    }
}

impl Limiter {
    /// `RLIMIT_AS`, or the path of a cgroup or of a file system.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Process(limit) => limit.name(),
            Self::HardCpuTime => "RLIMIT_CPU (hard)",
            Self::Path(text) | Self::Other(text) => text,
        }
    }

    /// Whether it is a cgroup or a file system.
    pub fn is_path(&self) -> bool {
        matches!(self, Self::Path(_))
    }
}

impl From<String> for Limiter {
    fn from(text: String) -> Self {
        let limits = Rlimit::ALL.into_iter().map(Self::Process);
        let mut known = limits.chain([Self::HardCpuTime]);
        match known.find(|it| it.as_str() == text) {
            Some(known) => known,
            None if text.starts_with('/') => Self::Path(text),
            None => Self::Other(text),
        }
    }
}

impl From<Limiter> for String {
    fn from(limiter: Limiter) -> Self {
        limiter.as_str().to_owned()
    }
}

impl fmt::Display for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limiter_is_read_from_its_own_text() {
        let known = Rlimit::ALL.into_iter().map(Limiter::Process);
        let others = ["/job-17", "a limit of tomorrow"].map(|it| Limiter::from(it.to_owned()));
        for limiter in known.chain([Limiter::HardCpuTime]).chain(others) {
            assert_eq!(Limiter::from(limiter.to_string()), limiter);
        }
        assert!(Limiter::from("/dev/shm".to_owned()).is_path());
    }
}
