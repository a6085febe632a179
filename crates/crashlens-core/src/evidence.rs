//! Evidence: a claim, for or against, and the recorded fact it rests on.

use serde::{Deserialize, Serialize};

use crate::capture::Resource;

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// Which way it points.
    pub stance: Stance,
    /// How far.
    pub weight: Weight,
    /// What is claimed, as a sentence.
    pub claim: String,
    /// Where the fact is.
    pub fact: FactRef,
}

impl Evidence {
    /// Evidence for a cause.
    pub fn supports(weight: Weight, fact: FactRef, claim: impl Into<String>) -> Self {
        Self {
            stance: Stance::For,
            weight,
            claim: claim.into(),
            fact,
        }
    }

    /// Evidence against a cause.
    pub fn opposes(weight: Weight, fact: FactRef, claim: impl Into<String>) -> Self {
        Self {
            stance: Stance::Against,
            weight,
            claim: claim.into(),
            fact,
        }
    }
}

/// Which way evidence points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Stance {
    /// To the cause.
    For,
    /// Away from it.
    Against,
}

word_enum! {
    /// How far evidence carries.
    pub enum Weight {
        /// It fits, and it fits much else.
        Weak,
        /// It is seldom seen otherwise.
        Strong,
        /// It settles the matter.
        Decisive,
    }
}

/// The place of a fact in the report of a death.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FactRef {
    /// `ending`: the signal, its code, its sender.
    Ending,
    /// `fault`: the instruction and the address.
    Fault,
    /// `exception`.
    Exception,
    /// `foreign_call`.
    ForeignCall,
    /// `running_op`.
    RunningOp,
    /// `culprit`.
    Culprit,
    /// `phase`.
    Phase,
    /// `lineage`.
    Lineage,
    /// An entry of `messages`.
    Message {
        /// Its index.
        index: usize,
    },
    /// A line of `output.stderr`, or of the text that was given.
    StderrLine {
        /// Its index, from 0.
        line: usize,
    },
    /// A line of `kernel_log`.
    KernelLog {
        /// Its index, from 0.
        line: usize,
    },
    /// A frame of a thread.
    Frame {
        /// The thread's id.
        thread: u32,
        /// Index of the frame, innermost first.
        index: usize,
    },
    /// A variable of a Python frame.
    Local {
        /// The thread's id.
        thread: u32,
        /// Index of the frame.
        index: usize,
        /// Name of the variable.
        name: String,
    },
    /// A thread other than the crashed one, as a whole.
    Thread {
        /// Its id.
        thread: u32,
    },
    /// A loaded library.
    Module {
        /// Its path.
        path: String,
    },
    /// An installed Python package.
    Package {
        /// Its name.
        name: String,
    },
    /// An environment variable.
    Variable {
        /// Its name.
        name: String,
    },
    /// An entry of `resources`.
    Resource {
        /// Which.
        resource: Resource,
    },
    /// A resource limit of the environment that was checked.
    Limit {
        /// Name as in `/proc/PID/limits`.
        name: String,
    },
    /// `memory.oom`.
    Oom,
    /// `memory.timeline`.
    Timeline,
    /// `host`, one of its fields.
    Host {
        /// Name of the field.
        field: String,
    },
    /// `environment.python`.
    Python,
    /// A file that was checked.
    File {
        /// Its path.
        path: String,
    },
    /// Something found in `inspections`.
    Hazard {
        /// Id of the rule that found it.
        rule: String,
    },
    /// An entry of crashlens's own tables, or of a file of advisories that was given.
    KnownIssue {
        /// Its id.
        id: String,
    },
}

impl FactRef {
    /// How directly the process or the system spoke here: words before frames, frames before surroundings,
    /// surroundings before a bare signal.
    pub fn directness(&self) -> Directness {
        match self {
            Self::Message { .. }
            | Self::StderrLine { .. }
            | Self::KernelLog { .. }
            | Self::Exception
            | Self::Oom => Directness::Words,
            Self::Fault
            | Self::ForeignCall
            | Self::RunningOp
            | Self::Culprit
            | Self::Frame { .. }
            | Self::Local { .. }
            | Self::Thread { .. }
            | Self::Resource { .. } => Directness::Observation,
            Self::Phase
            | Self::Lineage
            | Self::Module { .. }
            | Self::Package { .. }
            | Self::Variable { .. }
            | Self::Timeline
            | Self::Limit { .. }
            | Self::Host { .. }
            | Self::Python
            | Self::Hazard { .. }
            | Self::File { .. }
            | Self::KnownIssue { .. } => Directness::Surroundings,
            Self::Ending => Directness::Signal,
        }
    }
}

/// How directly a fact speaks of the cause, most directly last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Directness {
    /// The signal alone.
    Signal,
    /// What was around.
    Surroundings,
    /// What was seen in the process.
    Observation,
    /// What the process or the system said.
    Words,
}
