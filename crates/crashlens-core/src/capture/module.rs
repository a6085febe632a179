//! Loaded libraries and the address space.

use serde::{Deserialize, Serialize};

use super::Address;

/// An ELF file that was mapped into the process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Module {
    /// File name: `libtensorflow_cc.so.2`.
    pub name: String,
    /// Full path as the process saw it.
    pub path: String,
    /// Lowest mapped address.
    pub start: Address,
    /// End of the highest mapping.
    pub end: Address,
    /// What to add to an address in the file to get an address in the process.
    pub bias: Address,
    /// GNU build id, in hexadecimal.
    pub build_id: Option<String>,
    /// The Python package that installed the file.
    pub package: Option<Package>,
}

/// An installed Python package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Package {
    /// Name as its metadata has it: `tensorflow-cpu`.
    pub name: String,
    /// Version as its metadata has it.
    pub version: String,
}

/// One mapping of the address space.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mapping {
    /// First address.
    pub start: Address,
    /// First address after it.
    pub end: Address,
    /// `r-xp` as in `/proc/PID/maps`.
    pub permissions: String,
    /// Offset in the file.
    pub offset: u64,
    /// Inode; 0 for anonymous memory.
    pub inode: u64,
    /// File, or the kernel's name such as `[stack]`.
    pub path: Option<String>,
}

impl Mapping {
    /// Whether the address lies in it.
    pub fn contains(&self, address: u64) -> bool {
        (self.start.0..self.end.0).contains(&address)
    }

    /// Whether code may run here.
    pub fn is_executable(&self) -> bool {
        self.permissions.as_bytes().get(2) == Some(&b'x')
    }

    /// Whether it may be read.
    pub fn is_readable(&self) -> bool {
        self.permissions.as_bytes().first() == Some(&b'r')
    }

    /// Whether it may be written.
    pub fn is_writable(&self) -> bool {
        self.permissions.as_bytes().get(1) == Some(&b'w')
    }
}
