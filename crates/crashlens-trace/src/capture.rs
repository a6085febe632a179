//! A stopped process becomes a capture, in two steps.
//!
//! While the process stands still, everything is read that is gone when it is: stacks, mappings, limits,
//! command line. Names, packages and the last lines of output are found in a second step, which needs the files of the
//! process and not the process: it may have ended by then.

mod sample;

use std::time::{Duration, Instant};

use crashlens_core::{
    CaptureFile, CrashCapture, Ending, Environment, Gap, Gaps, Lineage, Observed, OomEvidence,
    Origin, Output, Parent, Registers, Role, Signal, Timeline,
};
use crashlens_unwind::{
    EarlierMapping, ProcessSnapshot, ReadMemory, Reading, SignalAtFault, ThreadState, Unreadable,
    Walked, read_sources, walk,
};

use crate::freeze::{freeze, list_threads};
use crate::live_files::LiveFiles;
use crate::live_memory::LiveMemory;
use crate::oom::OomLedger;
use crate::output::Relay;
use crate::resources::Baseline;
use crate::tracee::Tree;
use crate::watch::Watch;
use crate::{calls, packages, procfs, witness};

pub(crate) use sample::Sample;

/// How long threads are waited for that do not stop.
const FREEZE_LIMIT: Duration = Duration::from_millis(300);
/// How long a process is held in all.
const HOLD_LIMIT: Duration = Duration::from_secs(2);

/// What is known of a death before the process is looked at.
#[derive(Debug)]
pub(crate) struct Dying {
    pub(crate) process: u32,
    pub(crate) role: Role,
    pub(crate) ending: Ending,
    /// The thread that took the fatal signal, where one did.
    pub(crate) thread: Option<u32>,
    /// Its registers at the fault, where a handler ran since; otherwise those it is stopped with are taken.
    pub(crate) registers_at_fault: Option<Registers>,
    /// The mapping that held the faulting address earlier.
    pub(crate) earlier: Option<EarlierMapping>,
    /// Whether to read the values of variables.
    pub(crate) locals: bool,
    /// Memory up to now, where it was sampled.
    pub(crate) timeline: Option<Timeline>,
    /// What is known of a kill for memory, where it was killed.
    pub(crate) oom: Option<OomEvidence>,
    /// How the process came to be, where that was seen.
    pub(crate) lineage: Option<Lineage>,
    /// What could not be seen of the signal.
    pub(crate) gaps: Gaps,
}

/// A capture whose frames have no names yet.
pub(crate) struct Unnamed {
    sample: Sample,
    ending: Ending,
    crashed_thread: Option<u32>,
    registers: Observed<Registers>,
    walked: Walked,
    lineage: Option<Lineage>,
    /// The files of the parent, where its frames were read.
    parent_files: Option<LiveFiles>,
}

/// Freezes the process and reads it. The threads are let go by the main loop, which finds their stops
/// deferred in `watch`.
pub(crate) fn read_dying(
    tree: &mut Tree,
    watch: &mut Watch,
    before: &Baseline,
    dying: Dying,
) -> Unnamed {
    let stopped_at = Instant::now();
    freeze(tree, watch, dying.process, stopped_at + FREEZE_LIMIT);

    let Dying {
        process,
        role,
        ending,
        thread: crashed_thread,
        registers_at_fault,
        earlier,
        locals,
        timeline,
        oom,
        lineage,
        gaps,
    } = dying;
    // A first thread that has ended (`pthread_exit` in `main`) has no memory, files or mappings any more;
    // any living thread still shows those of the process.
    let alive = crashed_thread.unwrap_or(process);
    let mut sample = Sample::take(alive, role, before, gaps);
    sample.facts.process.pid = process;
    sample.set_timeline(timeline);
    sample.set_oom(oom);
    let threads = thread_states(tree, process, crashed_thread, &mut sample.gaps);
    let stopped_with = threads
        .iter()
        .find(|state| Some(state.id) == crashed_thread)
        .and_then(|state| state.registers);
    let registers = match (registers_at_fault.or(stopped_with), crashed_thread) {
        (Some(registers), _) => Observed::Known(registers),
        (None, None) => Observed::Absent,
        (None, Some(thread)) => Observed::Unknown(sample.gaps.add(
            format!("registers at the fault in thread {thread}"),
            "the thread's registers could not be read",
            None,
        )),
    };
    let maps = sample.maps();
    let witnessed = witness::around_fault(alive, &ending, &maps, &sample, earlier);
    sample.complete_resources(alive, &ending, registers.known());
    let snapshot = ProcessSnapshot {
        pid: process,
        threads,
        crashed_thread,
        maps,
        signal: ending.signal.map(|signal| SignalAtFault {
            signal,
            code: ending.code.clone(),
            address: ending.address,
            registers: registers.known().copied(),
            witnessed,
        }),
    };
    let reading = Reading {
        deadline: stopped_at + HOLD_LIMIT,
        locals,
    };
    let walked = walk(
        &snapshot,
        &LiveMemory::of(alive),
        &sample.files,
        reading,
        &mut sample.gaps,
    );
    Unnamed {
        sample,
        ending,
        crashed_thread,
        registers,
        walked,
        lineage,
        parent_files: None,
    }
}

impl Sample {
    /// A capture of a process of which no more than this was seen; `registers` names the gap.
    pub(crate) fn into_capture(mut self, ending: Ending, why_no_stacks: &Gap) -> Unnamed {
        let Gap {
            part,
            reason,
            remedy,
        } = why_no_stacks;
        let gap = self.gaps.add(part, reason, remedy.as_deref());
        let pid = self.facts.process.pid;
        let snapshot = ProcessSnapshot {
            pid,
            threads: Vec::new(),
            crashed_thread: None,
            maps: self.maps(),
            signal: None,
        };
        let reading = Reading {
            deadline: Instant::now() + HOLD_LIMIT,
            locals: false,
        };
        let walked = walk(&snapshot, &NoMemory, &self.files, reading, &mut self.gaps);
        let registers = Observed::Unknown(gap);
        Unnamed {
            sample: self,
            ending,
            crashed_thread: None,
            registers,
            walked,
            lineage: Some(Lineage::new(Origin::Started)),
            parent_files: None,
        }
    }
}

/// Memory that is out of reach.
struct NoMemory;

impl ReadMemory for NoMemory {
    fn read(&self, address: u64, _: &mut [u8]) -> Result<(), Unreadable> {
        Err(Unreadable { address })
    }
}

/// The threads with their registers, the crashed one first.
fn thread_states(
    tree: &Tree,
    process: u32,
    crashed: Option<u32>,
    gaps: &mut Gaps,
) -> Vec<ThreadState> {
    let mut threads = list_threads(process).unwrap_or_else(|| tree.threads_of(process));
    threads.retain(|thread| !tree.is_exiting(*thread));
    threads.sort_by_key(|thread| (Some(*thread) != crashed, *thread));
    let mut not_stopped = 0_usize;
    let mut states = Vec::with_capacity(threads.len());
    for thread in threads {
        let registers = if tree.is_stopped(thread) {
            let part = format!("registers of thread {thread}");
            gaps.observe(
                &part,
                calls::registers(thread).map_err(nix::errno::Errno::desc),
            )
            .known()
            .copied()
        } else {
            not_stopped += 1;
            None
        };
        states.push(ThreadState {
            id: thread,
            name: procfs::thread_name(process, thread),
            registers,
        });
    }
    if not_stopped > 0 {
        gaps.add(
            format!("stacks of {not_stopped} of {} threads", states.len()),
            "they were in system calls that cannot be interrupted, and did not stop in time",
            None,
        );
    }
    states
}

impl Unnamed {
    /// Which signal and code the capture explains.
    pub(crate) fn ending_mut(&mut self) -> &mut Ending {
        &mut self.ending
    }

    /// The parent of the process when it was read; 0 when unknown.
    pub(crate) fn parent(&self) -> u32 {
        self.sample.facts.process.parent_pid
    }

    /// Adds what the parent was doing.
    pub(crate) fn set_parent(&mut self, parent: Option<(Parent, LiveFiles)>) {
        let (parent, files) = parent.unzip();
        if let Some(lineage) = &mut self.lineage {
            lineage.parent = parent;
            self.parent_files = files;
        }
    }

    /// Adds the source to frames that were read without.
    fn read_sources(&mut self) {
        let parent = self
            .lineage
            .as_mut()
            .and_then(|known| known.parent.as_mut());
        if let Some((parent, files)) = parent.zip(self.parent_files.as_ref()) {
            read_sources(&mut parent.frames, files);
        }
        if let Observed::Known(timeline) = &mut self.sample.circumstances.timeline {
            for glance in &mut timeline.on_top {
                read_sources(&mut glance.frames, &self.sample.files);
            }
        }
    }

    /// Adds what the kernel logged of the process, which it does not before the process ends. Of processes that
    /// are traced it logs only kills and broken memory: for other deaths a log that is closed is no loss.
    pub(crate) fn add_kernel_log(&mut self, ledger: &mut OomLedger) {
        let sample = &mut self.sample;
        let told = matches!(self.ending.signal, Some(Signal::KILL | Signal::BUS));
        sample.circumstances.kernel_log = match ledger.log_about(sample.facts.process.pid) {
            Ok(lines) => Observed::Known(lines),
            Err(reason) if told => Observed::Unknown(sample.gaps.add("kernel log", reason, None)),
            Err(_) => Observed::default(),
        };
    }

    /// Names the frames and completes the capture with what the program wrote last.
    pub(crate) fn name(mut self, relay: &Relay) -> CaptureFile {
        self.read_sources();
        let Sample {
            facts,
            host,
            mut circumstances,
            files,
            mut gaps,
        } = self.sample;
        let stderr = relay.tail(facts.process.pid, &mut gaps);
        let stacks = self.walked.name_frames(&files, &mut gaps);
        let mut modules = stacks.modules;
        packages::assign(&mut modules, &mut gaps);
        let modules = match facts.maps {
            Observed::Unknown(gap) => Observed::Unknown(gap),
            Observed::Known(_) | Observed::Absent => Observed::Known(modules),
        };
        let environment = Environment {
            python: stacks.python,
            variables: facts.variables,
            packages: Observed::default(),
            limits: facts.limits,
        };
        circumstances.lineage = gaps.observe(
            "how the process came to be",
            self.lineage.ok_or("the kernel could not be asked in time"),
        );
        let capture = CrashCapture {
            crashlens: env!("CARGO_PKG_VERSION").to_owned(),
            source: crashlens_core::CaptureSource::Process,
            process: facts.process,
            ending: self.ending,
            crashed_thread: self.crashed_thread,
            registers: self.registers,
            threads: stacks.threads,
            modules,
            maps: facts.maps,
            environment,
            host,
            output: Output { stderr },
            testimony: stacks.testimony,
            circumstances,
            gaps,
        };
        CaptureFile {
            capture,
            recording: Some(stacks.recording),
        }
    }
}
