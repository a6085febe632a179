//! What the process said before it died, by kind.

use serde::{Deserialize, Serialize};

/// A line by which a library or the interpreter explained its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Message {
    /// Who speaks, and of what.
    pub kind: MessageKind,
    /// The words, secrets masked.
    pub text: String,
    /// The thread it came from, where that can be told.
    #[serde(default)]
    pub thread: Option<u32>,
    /// The line of `output.stderr` it was read from, from 0; `None` where it was read from memory.
    #[serde(default)]
    pub line: Option<usize>,
    /// Whether it can be the reason of the death: the last of its kind, and fatal by what it says.
    pub fatal: bool,
}

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MessageKind {
    /// A failed CHECK or another F line of TensorFlow, abseil or glog.
    CheckFailure,
    /// `terminate called after throwing an instance of …`.
    Terminate,
    /// The C library: `free(): invalid pointer`.
    CLibrary,
    /// `Fatal Python error: …`.
    PythonFatal,
    /// A Python exception that was printed.
    PythonException,
    /// An OpenMP runtime: `OMP: Error #15`.
    OpenMp,
    /// Protocol buffers: `[libprotobuf FATAL …]`.
    Protobuf,
    /// CUDA, cuDNN or the driver.
    Cuda,
    /// The dynamic loader.
    Loader,
    /// The kernel or the allocator about memory: `Cannot allocate memory`.
    OutOfMemory,
    /// A thread could not be started.
    ThreadLimit,
    /// Code needs instructions that the processor does not have.
    Processor,
    /// Shared memory is full.
    SharedMemory,
}
