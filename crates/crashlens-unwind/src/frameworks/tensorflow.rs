//! Which TensorFlow op was running, as the runtime's own objects name it.
//!
//! A thread that runs a kernel has pointers to it on its stack, and a kernel knows the op it was made for. But
//! stacks also keep pointers to kernels that ran before and are kept for the next time, so a pointer alone says
//! nothing: a kernel counts when a frame of the thread runs code of its class. That needs the frames' names, so
//! what was seen is kept ([`Kernels`]) and the choice is made once they are known ([`choose`]).

mod classes;
mod kernel;
mod search;

use crashlens_core::{Frame, RunningOp, Thread, ThreadRole};
use serde::{Deserialize, Serialize};

use crate::testimony::{Answer, Scene};

/// Bases of so many kernels that a frame of theirs says nothing about which one runs.
const COMMON_BASES: [&str; 2] = ["tensorflow::OpKernel", "tensorflow::AsyncOpKernel"];

/// Every kernel that could be found from the threads' stacks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kernels {
    records: Vec<KernelRecord>,
    sightings: Vec<Sighting>,
    /// Whether there may be more that could not be looked at.
    #[serde(default)]
    incomplete: bool,
}

/// One kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KernelRecord {
    op: String,
    node: String,
    /// Its class and bases, as names of functions spell them.
    classes: Vec<String>,
    /// Frames, by thread and number from the innermost, that run one of its virtual functions.
    methods: Vec<(u32, u32)>,
}

/// Where a kernel was seen first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Sighting {
    thread: u32,
    /// Number of the frame from the innermost.
    frame: u32,
    way: Way,
    /// Index of its record.
    kernel: usize,
}

/// How a kernel was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Way {
    /// A word on the stack or a register.
    Word,
    /// A word next to the device it is to run on: the parameters of a run.
    Parameters,
    /// Through a closure.
    Reached,
}

/// Looks at the stacks of all threads.
pub(crate) fn look(scene: &Scene<'_>) -> Answer<Kernels> {
    let is_tensorflow = |module: &crashlens_core::Module| search::is_tensorflow(&module.name);
    if !scene.images.modules().iter().any(is_tensorflow) {
        return Ok(None);
    }
    search::Search::new(scene).run()
}

/// The op that the crashed thread ran, or that another thread ran with its help.
pub(crate) fn choose(kernels: &Kernels, threads: &[Thread]) -> Option<RunningOp> {
    let crashed = threads.iter().find(|thread| thread.crashed)?;
    let found = match kernels.innermost(crashed) {
        Innermost::Kernel(record) => Some((record, crashed)),
        Innermost::Ambiguous => None,
        Innermost::None => kernels.only_other(crashed, threads),
    };
    let (choice, thread) = found?;
    Some(RunningOp {
        node: choice
            .node
            .filter(|node| !node.is_empty() && *node != choice.op),
        op: choice.op,
        thread: thread.id,
    })
}

/// What is sure of the kernel a frame runs.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Choice {
    op: String,
    node: Option<String>,
}

enum Innermost {
    Kernel(Choice),
    /// A kernel runs, but not which.
    Ambiguous,
    None,
}

impl Kernels {
    /// The kernel of the innermost frame of `thread` that runs code of one.
    fn innermost(&self, thread: &Thread) -> Innermost {
        for (frame, function) in functions(thread) {
            let runs = |record: &KernelRecord| {
                record.methods.contains(&(thread.id, frame))
                    || function.is_some_and(|function| record.is_named_in(function))
            };
            let here = |index: usize| {
                self.sightings
                    .iter()
                    .any(|sighting| (sighting.thread, sighting.kernel) == (thread.id, index))
            };
            let running: Vec<usize> = (0..self.records.len())
                .filter(|index| runs(&self.records[*index]))
                .collect();
            if running.is_empty() {
                continue;
            }
            // A part of a kernel's work that was given to another thread has the kernel's name, not its pointer.
            let own: Vec<usize> = running
                .iter()
                .copied()
                .filter(|index| here(*index))
                .collect();
            let choice = if own.is_empty() {
                self.agreed(&running)
            } else {
                self.agreed(&own)
                    .filter(|choice| choice.node.is_some())
                    .or_else(|| {
                        self.by_parameters(&own, thread.id, frame)
                            .or_else(|| self.agreed(&own))
                    })
            };
            return choice.map_or(Innermost::Ambiguous, Innermost::Kernel);
        }
        Innermost::None
    }

    /// The one thing that all of `kernels` say.
    fn agreed(&self, kernels: &[usize]) -> Option<Choice> {
        let mut records = kernels.iter().filter_map(|index| self.records.get(*index));
        let first = records.next()?;
        let mut node = Some(first.node.clone());
        for record in records {
            if record.op != first.op {
                return None;
            }
            if node.as_ref() != Some(&record.node) {
                node = None;
            }
        }
        Some(Choice {
            op: first.op.clone(),
            node,
        })
    }

    /// Which of `kernels` the nearest caller of `frame` set up to run.
    fn by_parameters(&self, kernels: &[usize], thread: u32, frame: u32) -> Option<Choice> {
        let set_up = |sighting: &&Sighting| {
            sighting.way == Way::Parameters
                && sighting.thread == thread
                && sighting.frame >= frame
                && kernels.contains(&sighting.kernel)
        };
        let nearest = self
            .sightings
            .iter()
            .filter(set_up)
            .map(|sighting| sighting.frame)
            .min()?;
        let there: Vec<usize> = self
            .sightings
            .iter()
            .filter(set_up)
            .filter(|sighting| sighting.frame == nearest)
            .map(|sighting| sighting.kernel)
            .collect();
        self.agreed(&there)
    }

    /// The kernel that some other thread runs, if there is but one: a worker of a pool does its work.
    fn only_other<'threads>(
        &self,
        crashed: &Thread,
        threads: &'threads [Thread],
    ) -> Option<(Choice, &'threads Thread)> {
        // One that was not seen may be the one.
        if crashed.role != ThreadRole::Pool || self.incomplete {
            return None;
        }
        let mut found = None;
        for thread in threads.iter().filter(|thread| !thread.crashed) {
            let choice = match self.innermost(thread) {
                Innermost::None => continue,
                Innermost::Ambiguous => return None,
                Innermost::Kernel(choice) => choice,
            };
            if found.is_some() || self.is_of_pipelines(&choice.op) {
                return None;
            }
            found = Some((choice, thread));
        }
        found
    }

    /// What waits for a pipeline's worker is `IteratorGetNext`, whatever the worker does.
    fn is_of_pipelines(&self, op: &str) -> bool {
        self.records.iter().any(|record| {
            record.op == op
                && record
                    .classes
                    .iter()
                    .any(|class| class.starts_with("tensorflow::data::"))
        })
    }
}

impl KernelRecord {
    /// Whether `function` is a member of one of the kernel's classes, or made from one.
    fn is_named_in(&self, function: &str) -> bool {
        self.classes
            .iter()
            .filter(|class| !COMMON_BASES.contains(&class.as_str()))
            .any(|class| {
                function.match_indices(class.as_str()).any(|(at, _)| {
                    let before = function[..at].chars().next_back();
                    let after = &function[at + class.len()..];
                    after.starts_with("::")
                        && before.is_none_or(|letter| {
                            !letter.is_ascii_alphanumeric() && !matches!(letter, '_' | ':')
                        })
                })
            })
    }
}

/// Names of a thread's functions by the number of their frame; functions expanded in a frame share its number.
fn functions(thread: &Thread) -> impl Iterator<Item = (u32, Option<&str>)> {
    let mut next = 0;
    thread.frames.iter().filter_map(move |frame| match frame {
        Frame::Python(_) => None,
        Frame::Native(native) => {
            let number = next;
            if !native.inlined {
                next += 1;
            }
            Some((number, native.function.as_deref()))
        }
    })
}

/// A class as names of functions spell it: `tensorflow::MatMulOp<…>` of `N10tensorflow8MatMulOpI…E`.
fn spelled(mangled: &str) -> String {
    let text = crashlens_core::demangle(&format!("_ZTS{mangled}"));
    text.strip_prefix("typeinfo name for ")
        .unwrap_or(mangled)
        .to_owned()
}

#[cfg(test)]
mod tests;
