//! Why a core file could not be read.

use std::io;
use std::path::PathBuf;

use crashlens_unwind::CoreError;

/// Why a core file could not be read at all. A part that is missing is a gap of the capture instead.
#[derive(Debug, thiserror::Error)]
pub enum CoreReadError {
    /// The file cannot be opened.
    #[error("cannot open {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It is packed in a way that is not read here.
    #[error("cannot read {}: it is packed with {packer}", path.display())]
    Packed {
        /// The file.
        path: PathBuf,
        /// The program that unpacks it.
        packer: &'static str,
    },
    /// It is packed with zstd, but not one byte of it can be unpacked, or nowhere to.
    #[error("cannot unpack {}", path.display())]
    Unpack {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It is not a core that can be read.
    #[error("cannot read {} as a core", path.display())]
    Core {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: CoreError,
    },
}

impl CoreReadError {
    /// What the user can do, when there is something.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Open { .. } => None,
            Self::Packed { path, packer } => {
                Some(format!("Run `{packer} -d {}` first.", path.display()))
            }
            Self::Unpack { .. } => Some("Point TMPDIR at a folder with enough room.".to_owned()),
            Self::Core { source, .. } => source.help().map(str::to_owned),
        }
    }
}
