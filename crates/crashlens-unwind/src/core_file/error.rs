//! Why a file cannot be read as a core at all.

/// Why a file cannot be read as a core at all. Damage further in is a gap, not an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CoreError {
    /// There is not one byte in it.
    #[error("the core file is empty")]
    Empty,
    /// It does not start as an ELF file does.
    #[error("not an ELF core file")]
    NotElf,
    /// It ends before its first header does.
    #[error("the core file ends after {length} bytes, within its first header")]
    TooShort {
        /// Its length in bytes.
        length: usize,
    },
    /// A core of a 32-bit process.
    #[error("a core file of a 32-bit process; only x86-64 cores can be read")]
    Bits32,
    /// A core of another processor.
    #[error("a core file of another processor ({machine}); only x86-64 cores can be read")]
    OtherProcessor {
        /// As in the ELF header: a name where the number is well known.
        machine: String,
    },
    /// An ELF file of another kind.
    #[error("an ELF file, but not a core: it is {kind}")]
    NotACore {
        /// What it is instead.
        kind: &'static str,
    },
}

impl CoreError {
    /// What the user can do, when there is something.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Empty | Self::TooShort { .. } => {
                Some("Check `ulimit -c` and the free disk space, then let the program crash again.")
            }
            Self::NotACore { .. } => {
                Some("Give the core file itself, not the program that made it.")
            }
            Self::NotElf | Self::Bits32 | Self::OtherProcessor { .. } => None,
        }
    }
}
