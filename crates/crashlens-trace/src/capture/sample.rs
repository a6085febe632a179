//! What `/proc` says of a process and its surroundings while it can be asked.

use crashlens_core::{
    Circumstances, Ending, Gaps, Host, Mapping, Observed, OomEvidence, Registers, Role, Signal,
    Timeline,
};

use crate::host;
use crate::live_files::LiveFiles;
use crate::procfs::{self, ProcessFacts};
use crate::resources::{self, Baseline};

/// What `/proc` says of a process and its machine.
pub(crate) struct Sample {
    pub(crate) facts: ProcessFacts,
    pub(crate) host: Host,
    pub(super) circumstances: Circumstances,
    pub(crate) files: LiveFiles,
    pub(super) gaps: Gaps,
}

impl Sample {
    /// Reads what can be read without stopping the process.
    pub(crate) fn take(process: u32, role: Role, before: &Baseline, gaps: Gaps) -> Self {
        let mut sample = Self::without_resources(process, role, before, gaps);
        sample.read_resources(process, before);
        sample
    }

    /// The same without what the process uses of its limits, which takes longer to find out.
    pub(crate) fn without_resources(
        process: u32,
        role: Role,
        before: &Baseline,
        mut gaps: Gaps,
    ) -> Self {
        let mut facts = procfs::process_facts(process, &mut gaps);
        facts.process.role = role;
        let mut host = host::host_facts(process, &mut gaps);
        if let Observed::Known(group) = &mut host.memory_group {
            group.oom_kills_before = before.oom_kills(&group.path);
        }
        let circumstances = Circumstances {
            oom: Observed::Absent,
            ..Circumstances::default()
        };
        Self {
            facts,
            host,
            circumstances,
            files: LiveFiles::of(process),
            gaps,
        }
    }

    /// Adds what `process` uses of its limits.
    pub(crate) fn read_resources(&mut self, process: u32, before: &Baseline) {
        let facts = &self.facts;
        let variables = facts.variables.known();
        let known = resources::Known {
            limits: facts.limits.known().map(Vec::as_slice).unwrap_or_default(),
            working_directory: facts.process.working_directory.known().map(String::as_str),
            temporary: variables
                .and_then(|variables| variables.get("TMPDIR"))
                .map(String::as_str),
        };
        self.circumstances.resources = Observed::Known(resources::read(process, known, before));
    }

    /// Keeps what an earlier sample found in use.
    pub(crate) fn keep_resources_of(&mut self, earlier: &mut Self) {
        self.circumstances.resources = std::mem::take(&mut earlier.circumstances.resources);
    }

    /// Adds memory over time.
    pub(crate) fn set_timeline(&mut self, timeline: Option<Timeline>) {
        let timeline = timeline.ok_or("no process could be read");
        self.circumstances.timeline = self.gaps.observe("memory over time", timeline);
    }

    /// Adds what is known of a kill for memory.
    pub(crate) fn set_oom(&mut self, evidence: Option<OomEvidence>) {
        if let Some(evidence) = evidence {
            self.circumstances.oom = Observed::Known(evidence);
        }
    }

    /// Adds to the limits what the signal says of them.
    pub(super) fn complete_resources(
        &mut self,
        alive: u32,
        ending: &Ending,
        registers: Option<&Registers>,
    ) {
        let Observed::Known(uses) = &mut self.circumstances.resources else {
            return;
        };
        let by_kernel = ending.code.as_deref() == Some("SI_KERNEL");
        match (ending.signal, registers) {
            (Some(Signal(libc::SIGXFSZ)), Some(registers)) => {
                resources::note_written_file(uses, alive, registers.first_argument().0);
            }
            (Some(Signal(libc::SIGXCPU)), _) if by_kernel => {
                resources::undo_raised_cpu_limit(uses);
            }
            _ => {}
        }
    }

    pub(super) fn maps(&self) -> Vec<Mapping> {
        self.facts.maps.known().cloned().unwrap_or_default()
    }

    /// Whether the address space could be read, as it cannot be of a process that has ended.
    pub(crate) fn has_maps(&self) -> bool {
        self.facts.maps.known().is_some_and(|maps| !maps.is_empty())
    }
}
