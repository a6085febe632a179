//! What the memory of the dead process tells beyond its stacks.

use serde::{Deserialize, Serialize};

use super::{Address, FaultSite, Observed, Value};

/// What the memory of the dead process tells beyond its stacks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Testimony {
    /// The fault; `Absent` where no instruction was at fault.
    pub fault: Observed<FaultSite>,
    /// A call through ctypes or cffi on the crashed thread.
    pub foreign_call: Observed<ForeignCall>,
    /// The C++ exception that was in flight.
    pub exception: Observed<CppException>,
    /// The C library's own words before it gave up: `free(): invalid pointer`. Secrets masked.
    pub abort_message: Observed<String>,
    /// The line with which a logger ended the process, as its own object holds it. Secrets masked.
    pub fatal_log: Observed<String>,
    /// The TensorFlow op that was running on the crashed thread, as the runtime's own records name it.
    pub op: Observed<RunningOp>,
    /// The C library's `errno` of the crashed thread, left there by the last call that failed, whenever that was.
    pub errno: Observed<i32>,
}

/// A call from Python into a function of a shared library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ForeignCall {
    /// By which means.
    pub api: ForeignApi,
    /// Name of the function, where it is known.
    pub function: Option<String>,
    /// Address of the function.
    pub address: Option<Address>,
    /// Name of the library it is in.
    pub library: Option<String>,
    /// Its arguments, as far as they were found.
    pub arguments: Vec<ForeignArgument>,
    /// Whether the function declares the types of its arguments; `None` when that could not be read. Without, ctypes
    /// passes every number as a C `int`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<bool>,
}

/// A way to call C from Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ForeignApi {
    /// The standard library's.
    Ctypes,
    /// The package of that name.
    Cffi,
}

impl std::fmt::Display for ForeignApi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Ctypes => "ctypes",
            Self::Cffi => "cffi",
        })
    }
}

/// One argument of a foreign call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ForeignArgument {
    /// What Python passed; `None` where it was not found or is not to be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Its declared type: `c_void_p`, `char *`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<String>,
    /// What it became on the way: `pointer`, `int32`, `double`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed_as: Option<String>,
    /// Whether the number that Python passed has more bits than reached the function.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The pointer that reached the function, where the argument is one.
    pub pointer: Option<Address>,
    /// What is at the pointer.
    pub target: Option<PointerTarget>,
}

/// What is at a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PointerTarget {
    /// It is null, or so small that it can be none.
    Null,
    /// Nothing.
    Unmapped,
    /// Memory.
    Mapped,
}

/// A C++ exception.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CppException {
    /// Its type, demangled: `std::bad_alloc`.
    #[serde(rename = "type")]
    pub type_name: String,
    /// What `what()` returns, or the value where a text or a number was thrown; secrets masked. `None` where it
    /// could not be read.
    pub what: Option<String>,
    /// Whether it was still looking for a handler or had reached one.
    pub state: ExceptionState,
    /// The thread it belongs to.
    pub thread: u32,
    /// Functions it was thrown through, innermost first, where they survive on the stack.
    #[serde(default)]
    pub thrown_from: Vec<String>,
}

/// How far an exception had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ExceptionState {
    /// On its way, without a handler.
    Uncaught,
    /// In a handler.
    Caught,
    /// Its object is still there; how far it had come is not known.
    Unknown,
}

/// A TensorFlow op as the runtime's records have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunningOp {
    /// Registered name: `IRFFT2D`.
    pub op: String,
    /// Name of the node in its graph, where it has one.
    pub node: Option<String>,
    /// The thread that ran it.
    pub thread: u32,
}
