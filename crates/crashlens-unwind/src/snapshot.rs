//! The state of a stopped process that is not memory: threads, registers, mappings.

use crashlens_core::{Address, Mapping, Registers, Signal};
use serde::{Deserialize, Serialize};

/// A stopped process, apart from its memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessSnapshot {
    /// Process id.
    pub pid: u32,
    /// Threads in the order of the kernel's list, or of the core's notes.
    pub threads: Vec<ThreadState>,
    /// The thread that took the fatal signal.
    pub crashed_thread: Option<u32>,
    /// Mappings in ascending order.
    pub maps: Vec<Mapping>,
    /// The signal that explains the death, and where the thread was then.
    #[serde(default)]
    pub signal: Option<SignalAtFault>,
}

/// A signal as it struck the crashed thread: the first chance, where a handler raised it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignalAtFault {
    /// Which.
    pub signal: Signal,
    /// `si_code` by name.
    pub code: Option<String>,
    /// The address the kernel gave.
    pub address: Option<Address>,
    /// Registers at that moment.
    pub registers: Option<Registers>,
    /// What only the living system could tell.
    #[serde(default)]
    pub witnessed: Witnessed,
}

/// What the system around a living process tells of a fault, and a core file does not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Witnessed {
    /// `RLIMIT_STACK`, the soft one; `None` also when there is no limit.
    pub stack_limit: Option<u64>,
    /// Features of the processor as the kernel lists them.
    pub processor: Option<Vec<String>>,
    /// The file behind the mapping that holds the faulting address.
    pub file: Option<MappedFile>,
    /// The mapping that held the faulting address earlier in the run.
    pub earlier: Option<EarlierMapping>,
}

/// A file that is mapped, as it is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappedFile {
    /// Its size.
    pub size: u64,
    /// Free and all bytes of its file system.
    pub space: Option<(u64, u64)>,
    /// Whether its file system keeps files in memory.
    #[serde(default)]
    pub in_memory: Option<bool>,
}

/// A mapping as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierMapping {
    /// The mapping.
    pub mapping: Mapping,
    /// When it was last seen, in milliseconds before the fault was looked at.
    pub last_seen_milliseconds: u64,
}

/// One stopped thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadState {
    /// Kernel thread id.
    pub id: u32,
    /// `comm`.
    pub name: String,
    /// Its registers; `None` when the thread could not be stopped.
    pub registers: Option<Registers>,
}

impl ProcessSnapshot {
    /// The mapping that holds `address`.
    pub fn mapping_at(&self, address: u64) -> Option<&Mapping> {
        let after = self
            .maps
            .partition_point(|mapping| mapping.start.0 <= address);
        self.maps[..after]
            .last()
            .filter(|mapping| mapping.contains(address))
    }
}
