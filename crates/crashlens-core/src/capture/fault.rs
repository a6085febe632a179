//! What an instruction was doing when the processor refused it, and what is at the address.

use serde::{Deserialize, Serialize};

use super::{Address, Mapping};

/// The fault of the crashed thread, as its registers, its code and the address space tell it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FaultSite {
    /// The instruction; `None` where its bytes could not be read or are none.
    #[serde(default)]
    pub instruction: Option<Instruction>,
    /// The access that failed, for SIGSEGV and SIGBUS.
    #[serde(default)]
    pub access: Option<Access>,
    /// What is at the address that was accessed.
    #[serde(default)]
    pub place: Option<Place>,
    /// The operands of a division that failed.
    #[serde(default)]
    pub division: Option<Division>,
    /// The thread's stack, where it was full.
    #[serde(default)]
    pub stack: Option<StackUse>,
}

/// One machine instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Instruction {
    /// As an assembler writes it: `mov rax,[rdi+138h]`.
    pub text: String,
    /// Its bytes, in hexadecimal.
    pub bytes: String,
    /// Processor features it needs, as the kernel lists them: `avx512f`.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Those of them that the processor does not have; `None` when the processor is not known.
    #[serde(default)]
    pub missing: Option<Vec<String>>,
}

/// One access to memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Access {
    /// Read, write or execute.
    pub kind: AccessKind,
    /// The address, from the registers where the kernel gave none.
    pub address: Address,
    /// Whether the kernel named the address too; it does not where the address has a form that none has.
    pub confirmed: bool,
    /// Bytes, where the instruction says how many.
    #[serde(default)]
    pub width: Option<u32>,
    /// The register that held the pointer, and what it held.
    #[serde(default)]
    pub base: Option<RegisterValue>,
    /// The register that held an index into it, and what it held.
    #[serde(default)]
    pub index: Option<RegisterValue>,
    /// For a call or jump to a bad target, where it came from: the return address on the stack, or the call itself
    /// where the processor refused to leave it.
    #[serde(default)]
    pub called_from: Option<Address>,
}

/// What was done to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AccessKind {
    /// Read from it.
    Read,
    /// Written to it.
    Write,
    /// Run as code.
    Execute,
}

impl AccessKind {
    /// What the instruction did, as a verb.
    pub fn done(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "wrote",
            Self::Execute => "called",
        }
    }
}

/// A register and what it held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegisterValue {
    /// The processor's name of it.
    pub name: String,
    /// What it held.
    pub value: Address,
    /// The mapping that the value points into, where it does.
    #[serde(default)]
    pub points_into: Option<Mapping>,
}

/// What is at an address that could not be accessed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Place {
    /// The first pages, which the kernel lets nobody map: a field `offset` bytes into an object that is not there.
    NullPage {
        /// Bytes from address 0.
        offset: u64,
    },
    /// An address of a form that none has: not a pointer at all.
    NonCanonical,
    /// The kernel's half of the addresses: a small negative number, or garbage.
    KernelSpace,
    /// The thread's stack is full: [`FaultSite::stack`] has the numbers.
    StackOverflow,
    /// Right behind the end of memory where the access would have been allowed, as it is for an overrun. Where other
    /// mappings are near, the thread had a pointer into that memory too.
    PastEnd {
        /// The memory before it.
        mapping: Mapping,
        /// Bytes behind its end.
        distance: u64,
        /// Whether a register, or a word on top of the stack, pointed into that memory, as for a loop that runs out
        /// of it.
        #[serde(default)]
        pointed_into: bool,
    },
    /// Nothing is mapped there.
    Unmapped {
        /// The nearest mapping below, where there is one.
        below: Option<Mapping>,
        /// The nearest mapping above, where there is one.
        above: Option<Mapping>,
    },
    /// Memory that was mapped earlier in this run and is not any more.
    Released {
        /// The mapping as it was.
        mapping: Mapping,
        /// When it was last seen, in milliseconds before the death.
        last_seen_milliseconds: u64,
    },
    /// A write to memory that may only be read.
    ReadOnly {
        /// The memory.
        mapping: Mapping,
    },
    /// Memory that may not be touched at all.
    NoAccess {
        /// The memory.
        mapping: Mapping,
    },
    /// Memory that may not be run as code.
    NotExecutable {
        /// The memory.
        mapping: Mapping,
    },
    /// A mapping of a file, behind the end that the file has now.
    BeyondFile {
        /// The mapping.
        mapping: Mapping,
        /// Size of the file when the process died.
        file_size: u64,
        /// The place in the file that was accessed.
        file_offset: u64,
    },
    /// A mapping of a file whose file system had no room for the page.
    NoSpace {
        /// The mapping.
        mapping: Mapping,
        /// Bytes the file system had left.
        free_bytes: u64,
        /// Bytes it has in all.
        total_bytes: u64,
        /// Whether it keeps its files in memory, as `/dev/shm` does; `None` when that could not be told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        in_memory: Option<bool>,
    },
    /// Memory at an address that the instruction needs aligned.
    Misaligned {
        /// The memory.
        mapping: Mapping,
        /// Bytes of which the address had to be a multiple.
        alignment: u32,
    },
    /// Mapped, and the permissions do not explain the fault.
    Mapped {
        /// The memory.
        mapping: Mapping,
    },
}

/// The operands of a division that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Division {
    /// The operand that divides: a register's name, or `memory`.
    pub divisor: String,
    /// Its value: 0, or another where the result was too large. `None` when it could not be read.
    pub value: Option<i64>,
    /// Width of the operand in bits.
    pub bits: u32,
}

/// A stack that was full.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StackUse {
    /// Bytes the thread's stack had, its guard page not counted.
    #[serde(default)]
    pub size: Option<u64>,
    /// `RLIMIT_STACK`, where it could be read and the thread is the first one.
    #[serde(default)]
    pub limit: Option<u64>,
    /// Native frames on the thread, judged by the size of those that were seen.
    #[serde(default)]
    pub depth: Option<u64>,
    /// Python frames on the thread, those left out of the report included.
    #[serde(default)]
    pub python_frames: Option<u64>,
    /// `sys.getrecursionlimit()`.
    #[serde(default)]
    pub recursion_limit: Option<u64>,
    /// The frames that repeat, innermost first, as `function (file:line)` or `function (library)`.
    #[serde(default)]
    pub cycle: Vec<String>,
    /// How often they were seen to repeat.
    #[serde(default)]
    pub repeats: u64,
}
