//! The first bytes of an executable: whether it is one, and for which processor.

use std::path::Path;

use crate::{bounded, elf};

/// As much as the ELF header and a script's first lines take.
const HEAD_BYTES: u64 = 1024;

/// The first bytes of an executable.
pub(crate) struct Head(Vec<u8>);

impl Head {
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let bytes = bounded::read(path, HEAD_BYTES);
        bytes.map(Self).map_err(|error| error.to_string())
    }

    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Whether a shell or another program would read it line by line.
    pub(crate) fn is_script(&self) -> bool {
        self.0.starts_with(b"#!")
    }

    pub(crate) fn is_elf(&self) -> bool {
        self.0.starts_with(b"\x7fELF")
    }

    /// The processor it is for, as ELF names it.
    pub(crate) fn architecture(&self) -> Result<String, String> {
        if !self.is_elf() {
            return Err("the interpreter is no ELF file".to_owned());
        }
        let field = |at: usize| {
            self.0
                .get(at..at + 2)
                .and_then(|bytes| bytes.try_into().ok())
        };
        let machine: [u8; 2] = field(18).ok_or("the ELF header is cut short")?;
        let is_64 = self.0.get(4) == Some(&2);
        let is_big = self.0.get(5) == Some(&2);
        let machine = if is_big {
            u16::from_be_bytes(machine)
        } else {
            u16::from_le_bytes(machine)
        };
        let machine = object::elf::Machine(machine);
        Ok(elf::architecture(machine, is_64, is_big))
    }
}
