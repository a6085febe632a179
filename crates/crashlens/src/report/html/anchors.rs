//! Where each fact stands on the page, so that evidence leads to what it rests on.

use std::collections::HashSet;

use crashlens_core::Death;
use crashlens_core::evidence::{Evidence, FactRef};

/// Maximum number of frames on the page, of a thread that did not crash.
pub(super) const FRAMES_OF_OTHERS: usize = 30;
/// The same for the thread that crashed.
pub(super) const FRAMES_OF_CRASHED: usize = 400;

/// The places of one process on the page.
pub(super) struct Anchors {
    /// What the ids of this process begin with: there may be several on a page.
    prefix: String,
    /// Frames that evidence rests on: only these have an id.
    cited: HashSet<(u32, usize)>,
}

impl Anchors {
    pub(super) fn of(death: &Death, index: usize) -> Self {
        let cited = evidence(death).filter_map(|evidence| match evidence.fact {
            FactRef::Frame { thread, index } | FactRef::Local { thread, index, .. } => {
                Some((thread, index))
            }
            _ => None,
        });
        Self {
            prefix: format!("p{index}-"),
            cited: cited.collect(),
        }
    }

    /// The id of a section.
    pub(super) fn section(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    pub(super) fn thread(&self, id: u32) -> String {
        format!("{}t{id}", self.prefix)
    }

    /// The id of a frame, where evidence rests on it.
    pub(super) fn frame(&self, thread: u32, index: usize) -> Option<String> {
        let is_cited = self.cited.contains(&(thread, index));
        is_cited.then(|| format!("{}t{thread}-f{index}", self.prefix))
    }

    /// The id of a line of the last words.
    pub(super) fn line(&self, line: usize) -> String {
        format!("{}w{line}", self.prefix)
    }

    /// Where the fact stands; `None` where the page does not show it.
    pub(super) fn place(&self, fact: &FactRef, death: &Death) -> Option<String> {
        let section = |name: &str| Some(self.section(name));
        match fact {
            FactRef::Ending => section("top"),
            FactRef::Fault
            | FactRef::Exception
            | FactRef::ForeignCall
            | FactRef::RunningOp
            | FactRef::Phase => section("details"),
            FactRef::Culprit => section("where"),
            FactRef::Lineage => death.lineage.as_ref().and_then(|_| section("processes")),
            FactRef::Message { index } => {
                let message = death.messages.get(*index)?;
                let line = message.line.filter(|line| *line < last_words(death));
                line.map(|line| self.line(line))
                    .or_else(|| section("messages"))
            }
            FactRef::StderrLine { line } => (*line < last_words(death)).then(|| self.line(*line)),
            FactRef::KernelLog { .. } => death.kernel_log.as_ref().and_then(|_| section("kernel")),
            FactRef::Frame { thread, index } | FactRef::Local { thread, index, .. } => {
                self.frame_place(*thread, *index, death)
            }
            FactRef::Thread { thread } => {
                let mut threads = death.threads.iter();
                let entry = threads.find(|it| it.id == *thread || it.also.contains(thread))?;
                Some(self.thread(entry.id))
            }
            FactRef::Module { .. } | FactRef::Package { .. } => {
                death.modules.as_ref().and_then(|_| section("modules"))
            }
            FactRef::Variable { .. }
            | FactRef::Limit { .. }
            | FactRef::Resource { .. }
            | FactRef::Host { .. }
            | FactRef::Python => section("environment"),
            FactRef::Oom | FactRef::Timeline => {
                death.memory.as_ref().and_then(|_| section("memory"))
            }
            FactRef::Hazard { .. } | FactRef::File { .. } | FactRef::KnownIssue { .. } => None,
        }
    }

    fn frame_place(&self, thread: u32, index: usize, death: &Death) -> Option<String> {
        let mut threads = death.threads.iter();
        let entry = threads.find(|it| it.id == thread || it.also.contains(&thread))?;
        let most = if entry.crashed {
            FRAMES_OF_CRASHED
        } else {
            FRAMES_OF_OTHERS
        };
        if entry.id == thread && index < entry.frames.len().min(most) {
            self.frame(thread, index)
        } else {
            Some(self.thread(entry.id))
        }
    }
}

/// How many last lines there are.
fn last_words(death: &Death) -> usize {
    death
        .output
        .stderr
        .as_ref()
        .map_or(0, |tail| tail.lines.len())
}

fn evidence(death: &Death) -> impl Iterator<Item = &Evidence> {
    let findings = death.diagnosis.findings.iter();
    let ruled_out = death.diagnosis.ruled_out.iter();
    findings
        .flat_map(|it| &it.evidence)
        .chain(ruled_out.flat_map(|it| &it.evidence))
}
