//! One process's death.

use serde::{Deserialize, Serialize};

use super::{Machine, Memory, Surroundings, ThreadReport, Words};
use crate::capture::{
    CaptureSource, CppException, CrashCapture, Ending, FaultSite, ForeignCall, Gap, Lineage,
    Message, Module, Observed, Phase, Registers, ResourceUse, Role, RunningOp,
};
use crate::culprit::Culprit;
use crate::diagnosis::{Diagnosis, Environment, Judgement};
use crate::facts::Facts;
use crate::inspection::Inspection;
use crate::known_issues::KnownIssues;

/// One process that died, or that was looked at while it ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Death {
    /// Where the facts come from, which says how much could be known at all.
    #[serde(default)]
    pub source: CaptureSource,
    /// Process id; 0 where a text does not tell it.
    pub pid: u32,
    /// Parent's process id; 0 when unknown.
    pub parent_pid: u32,
    /// Whether it is the program that was started or a process below it.
    pub role: Role,
    /// Command line, secrets masked.
    pub command: Vec<String>,
    /// How it ended.
    pub ending: Ending,
    /// Where it happened.
    pub culprit: Culprit,
    /// What is concluded.
    pub diagnosis: Diagnosis,
    /// What the instruction at fault was doing, and what is at the address; null where no instruction was at fault.
    #[serde(default)]
    pub fault: Option<FaultSite>,
    /// The C++ exception that was in flight.
    #[serde(default)]
    pub exception: Option<CppException>,
    /// The call through ctypes or cffi that the crashed thread was in.
    #[serde(default)]
    pub foreign_call: Option<ForeignCall>,
    /// The TensorFlow op that was running, as the runtime's own records name it.
    #[serde(default)]
    pub running_op: Option<RunningOp>,
    /// The C library's `errno` of the crashed thread, left there by the last call that failed, whenever that was.
    #[serde(default)]
    pub errno: Option<i32>,
    /// What the process, its libraries and the interpreter said about the end.
    #[serde(default)]
    pub messages: Vec<Message>,
    /// What the program was busy with.
    #[serde(default)]
    pub phase: Option<Phase>,
    /// Where the process came from, and what its parent was doing.
    #[serde(default)]
    pub lineage: Option<Lineage>,
    /// What it used of everything that is limited.
    #[serde(default)]
    pub resources: Option<Vec<ResourceUse>>,
    /// Lines of the kernel's log about this death.
    #[serde(default)]
    pub kernel_log: Option<Vec<String>>,
    /// Registers of the crashed thread at the fault.
    pub registers: Option<Registers>,
    /// The crashed thread first; threads in the same idle place are one entry.
    pub threads: Vec<ThreadReport>,
    /// Loaded ELF files.
    pub modules: Option<Vec<Module>>,
    /// What came with the process.
    pub environment: Surroundings,
    /// The machine.
    pub host: Machine,
    /// Memory of the machine and of the control group; null when none of it could be read.
    pub memory: Option<Memory>,
    /// What the program had written last.
    pub output: Words,
    /// What could not be observed.
    pub gaps: Vec<Gap>,
    /// The file that holds the capture, where it was saved.
    pub saved: Option<String>,
    /// Saved captures of earlier crashes that were removed when this one was saved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
}

impl Death {
    /// Describes the death in `capture` and judges it by the built-in tables.
    pub fn new(capture: &CrashCapture) -> Self {
        Self::judged_by(capture, KnownIssues::built_in())
    }

    /// Describes the death in `capture` and judges it, with what is known of published versions.
    pub fn judged_by(capture: &CrashCapture, issues: &KnownIssues) -> Self {
        Self::judge(capture, issues).0
    }

    /// Describes the death in `capture` and judges it. With the judgement more can be concluded when the environment of
    /// the process has been looked at ([`super::Report::add_environment`]).
    pub fn judge(capture: &CrashCapture, issues: &KnownIssues) -> (Self, Judgement) {
        let facts = Facts::new(capture, issues);
        let mut death = Self::describe(capture, &facts);
        let judgement = Judgement::of(facts);
        death.diagnosis = judgement.conclude(None);
        (death, judgement)
    }

    /// Concludes again, now that the environment of the process is known.
    pub(super) fn learn(&mut self, judgement: &Judgement, inspection: &Inspection, index: usize) {
        let environment = Environment {
            inspection,
            index,
            modules: self.modules.as_deref(),
        };
        self.diagnosis = judgement.conclude(Some(&environment));
    }

    /// The death without what is concluded.
    fn describe(capture: &CrashCapture, facts: &Facts<'_>) -> Self {
        let process = &capture.process;
        Self {
            source: capture.source,
            pid: process.pid,
            parent_pid: process.parent_pid,
            role: process.role,
            command: process.command.clone(),
            ending: capture.ending.clone(),
            culprit: facts.culprit().clone(),
            diagnosis: Diagnosis::default(),
            fault: value(&capture.testimony.fault),
            exception: value(&capture.testimony.exception),
            foreign_call: value(&capture.testimony.foreign_call),
            running_op: value(&capture.testimony.op),
            errno: value(&capture.testimony.errno),
            messages: facts.messages().to_vec(),
            phase: facts.phase().cloned(),
            lineage: facts.lineage().cloned(),
            resources: value(&capture.circumstances.resources),
            kernel_log: value(&capture.circumstances.kernel_log),
            registers: value(&capture.registers),
            threads: ThreadReport::fold(&capture.threads),
            modules: value(&capture.modules),
            environment: Surroundings::new(process, &capture.environment),
            host: Machine::new(&capture.host),
            memory: Memory::new(capture),
            output: Words {
                stderr: value(&capture.output.stderr),
            },
            gaps: capture.gaps.0.clone(),
            saved: None,
            removed: Vec::new(),
        }
    }
}

/// The value, where it was observed.
pub(super) fn value<T: Clone>(observed: &Observed<T>) -> Option<T> {
    observed.known().cloned()
}
