//! What the supervisor and the kernel know of a process: where it came from, and what it used of what it was given.

use serde::{Deserialize, Serialize};

use super::{Limiter, Observed, PythonFrame};

/// What was around the death in time and in the process tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Circumstances {
    /// How the process came to be, and what its parent was doing.
    pub lineage: Observed<Lineage>,
    /// What the process used of everything that is limited.
    pub resources: Observed<Vec<ResourceUse>>,
    /// Memory over time.
    pub timeline: Observed<Timeline>,
    /// Lines of the kernel's log about this death.
    pub kernel_log: Observed<Vec<String>>,
    /// What speaks for and against a kill for lack of memory; `Absent` unless the process was killed.
    pub oom: Observed<OomEvidence>,
    /// The program that was watched with all it started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<Program>,
}

/// A program as its user started it, secrets masked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The command line.
    pub command: Vec<String>,
    /// The working directory when watching began; null where it could not be read.
    #[serde(default)]
    pub directory: Option<String>,
}

impl Program {
    /// Whether this is another run of the same program: the same arguments in the same folder. One interpreter has several
    /// names.
    pub fn is_rerun_of(&self, earlier: &Self) -> bool {
        let is_same_command = match (&self.command[..], &earlier.command[..]) {
            ([_, ours @ ..], [_, theirs @ ..]) if !ours.is_empty() => ours == theirs,
            (ours, theirs) => ours == theirs,
        };
        is_same_command && self.directory == earlier.directory
    }
}

/// How a process came to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lineage {
    /// How it was made.
    pub origin: Origin,
    /// The process that made it, which need not be its parent any more.
    #[serde(default)]
    pub made_by: Option<u32>,
    /// Threads the parent had when it forked; null for a process that has become another program since.
    #[serde(default)]
    pub parent_threads_at_fork: Option<u64>,
    /// Those of them that TensorFlow had started; null where that could not be told.
    #[serde(default)]
    pub tensorflow_threads_at_fork: Option<u64>,
    /// Who had started them, most threads first; the first thread and those that cannot be told are not counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub starters_at_fork: Vec<ThreadStarter>,
    /// What kind of worker it was, where that can be recognised.
    #[serde(default)]
    pub worker: Option<Worker>,
    /// What the parent was doing when the process died.
    #[serde(default)]
    pub parent: Option<Parent>,
}

/// A library that had started threads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThreadStarter {
    /// File name of the library whose function the threads began with.
    pub library: String,
    /// How many.
    pub threads: u64,
}

impl Lineage {
    /// As much as the way of being made says.
    pub fn new(origin: Origin) -> Self {
        Self {
            origin,
            made_by: None,
            parent_threads_at_fork: None,
            tensorflow_threads_at_fork: None,
            starters_at_fork: Vec::new(),
            worker: None,
            parent: None,
        }
    }
}

/// How a process was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// It is the program that was started.
    Started,
    /// A copy of its parent, which has not become another program.
    Forked,
    /// A program of its own, started by its parent.
    Spawned,
    /// It was running before it was looked at.
    Joined,
}

/// A worker process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Worker {
    /// `multiprocessing.Pool`, `concurrent.futures`, `torch DataLoader`, `Keras`, `multiprocessing.Process`, `joblib`.
    pub kind: String,
    /// Name of the process, as Python has it: `SpawnPoolWorker-1`.
    #[serde(default)]
    pub name: Option<String>,
    /// The function it was running, and what it was given, as far as frames show.
    #[serde(default)]
    pub task: Option<String>,
}

/// What the parent of a dead process was doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Parent {
    /// Process id.
    pub pid: u32,
    /// Its main thread's Python frames, innermost first, at most a few.
    pub frames: Vec<PythonFrame>,
    /// Whether it waits for something that the dead process will never do; `None` when that cannot be told.
    pub waits_for_ever: Option<bool>,
}

/// What a process used of something that is limited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResourceUse {
    /// What is limited.
    pub resource: Resource,
    /// Who sets the limit: `RLIMIT_AS`, or a control group's or file system's path.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub set_by: Limiter,
    /// How much was in use, in bytes, seconds or pieces.
    pub used: Option<u64>,
    /// The most that was in use, where it is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak: Option<u64>,
    /// The limit; `None` without one.
    pub limit: Option<u64>,
    /// How often the limit was met during the run, where it is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub met: Option<u64>,
}

word_enum! {
    /// Something that is limited.
    pub enum Resource {
        /// Memory of a control group, in bytes.
        Memory,
        /// Memory of a control group from which on its processes are slowed down, in bytes.
        MemoryHigh,
        /// Swap space of a control group, in bytes.
        Swap,
        /// Memory and swap space of a control group together, in bytes.
        MemoryAndSwap,
        /// Address space of the process, in bytes.
        AddressSpace,
        /// Private writable memory of the process, in bytes.
        Data,
        /// Threads and processes.
        Threads,
        /// Processor time, in seconds.
        CpuTime,
        /// Size of a file, in bytes.
        FileSize,
        /// Open files.
        OpenFiles,
        /// Shared memory (`/dev/shm`), in bytes.
        SharedMemory,
        /// Disk space of the working directory or the folder for temporary files, in bytes.
        Disk,
        /// Stack of the first thread, in bytes.
        Stack,
        /// Memory that may be locked, in bytes.
        LockedMemory,
    }
}

/// What the kernel says of a kill for lack of memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OomEvidence {
    /// Kills for memory counted in the process's own control group in the seconds before its death, those that
    /// explain other deaths left out.
    pub group_kills: Option<u64>,
    /// Kills for memory counted on the whole machine during the run.
    pub machine_kills: Option<u64>,
    /// Whether the kernel's log names the process as killed for memory; `None` when the log could not be read or
    /// is not complete.
    pub named_in_log: Option<bool>,
    /// The control group whose limit was met; `None` when it was no group's or cannot be told.
    pub limited_by: Option<String>,
    /// Whether the kernel kills all processes of the group together (`memory.oom.group`).
    #[serde(default)]
    pub whole_group: Option<bool>,
    /// `oom_score_adj`: by how much the process was to be spared (negative) or preferred.
    #[serde(default)]
    pub score_adjustment: Option<i32>,
}

/// Memory over time: dense at the end, sparse before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timeline {
    /// Samples, oldest first.
    pub samples: Vec<MemorySample>,
    /// Bytes by which memory grew each second at the end; `None` where too few samples tell.
    pub growth_per_second: Option<i64>,
    /// Limit of the control group, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Where the process was while memory ran out, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_top: Vec<TopLine>,
}

/// Where a process was at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TopLine {
    /// Milliseconds since the start of the run.
    pub milliseconds: u64,
    /// Process id.
    pub pid: u32,
    /// Its main thread's Python frames, innermost first, at most a few.
    pub frames: Vec<PythonFrame>,
}

/// Memory at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemorySample {
    /// Milliseconds since the start of the run.
    pub milliseconds: u64,
    /// Resident bytes of all supervised processes, added up: what two of them share is counted in both.
    pub resident: u64,
    /// Processes there were.
    pub processes: u32,
    /// Bytes in use in the control group of the largest process, page cache included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u64>,
}
