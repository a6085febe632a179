//! From a stopped process to named, mixed stacks, in two steps: what needs the process, and what does not.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crashlens_core::{
    Address, FaultSite, Gaps, Module, NativeFrame, Observed, PythonRuntime, StackEnd, Testimony,
    Thread, ThreadRole,
};

use crate::image::Images;
use crate::merge::merge;
use crate::native::{RawFrame, RawStack};
use crate::python::{self, PythonState, PythonThread, SymbolLookup};
use crate::recording::{
    Answers, RecordedMemory, Recorder, Recording, RecordingError, RecordingLookup,
};
use crate::roles;
use crate::source::Sources;
use crate::symbols::{FileSymbols, FrameName};
use crate::testimony::{self, Answer, Confidences, Scene};
use crate::{Files, ProcessSnapshot, ReadMemory, SignalAtFault, fault};

mod room;
mod threads;
mod variables;

use room::Room;
use threads::{note_lost_threads, walk_threads};
use variables::{add_sources, keep_path};

/// The stacks of a stopped process, and what else was found while reading them.
#[derive(Debug, Clone, PartialEq)]
pub struct Stacks {
    /// All threads, the crashed one first.
    pub threads: Vec<Thread>,
    /// Loaded ELF files, without their packages.
    pub modules: Vec<Module>,
    /// The interpreter.
    pub python: Observed<PythonRuntime>,
    /// What memory tells beyond the stacks.
    pub testimony: Testimony,
    /// The signal that explains the death: the first, where the stack shows that a handler raised it again.
    pub signal: Option<SignalAtFault>,
    /// What was read, in a form that [`replay`] understands.
    pub recording: Vec<u8>,
}

/// How a process is read.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// When to stop, whatever is left.
    pub deadline: Instant,
    /// Whether to read the values of variables.
    pub locals: bool,
}

/// Whom to ask for what is not recorded.
enum Confidant<'a> {
    /// The process; its variables too, if so wanted.
    Process { locals: bool },
    /// The recording, which has the answers.
    Recording(&'a Confidences),
}

/// Addresses of frames, found while the process stood still, not yet named.
pub struct Walked {
    snapshot: ProcessSnapshot,
    images: Images,
    stacks: Vec<RawStack>,
    python: Option<PythonState>,
    runtime: Observed<PythonRuntime>,
    memory: RecordedMemory,
    answers: Answers,
    confidences: Confidences,
    fault: Answer<FaultSite>,
}

/// Reads all stacks. The process must stand still until this returns, which it does soon after the deadline.
pub fn walk(
    snapshot: &ProcessSnapshot,
    memory: &dyn ReadMemory,
    files: &dyn Files,
    reading: Reading,
    gaps: &mut Gaps,
) -> Walked {
    let symbols = FileSymbols::new(files);
    let confidant = Confidant::Process {
        locals: reading.locals,
    };
    let walked = walk_with(
        snapshot,
        memory,
        &symbols,
        &confidant,
        reading.deadline,
        gaps,
    );
    symbols.into_gaps().0.into_iter().for_each(|gap| {
        gaps.add(gap.part, gap.reason, gap.remedy.as_deref());
    });
    walked
}

fn walk_with(
    snapshot: &ProcessSnapshot,
    memory: &dyn ReadMemory,
    symbols: &dyn SymbolLookup,
    confidant: &Confidant<'_>,
    deadline: Instant,
    gaps: &mut Gaps,
) -> Walked {
    let recorder = Recorder::new(memory, deadline);
    let images = Images::find(snapshot, &recorder);
    let mut snapshot = snapshot.clone();
    // The crashed thread first: if time runs out, it is the others that are missing.
    snapshot
        .threads
        .sort_by_key(|thread| Some(thread.id) != snapshot.crashed_thread);
    let lookup = RecordingLookup {
        files: symbols,
        answers: RefCell::default(),
    };
    let known_gaps = gaps.0.len();
    let confidential = recorder.confidential();
    let reads_locals = matches!(confidant, Confidant::Process { locals: true });
    let mut python = python::read(
        &recorder,
        &images.modules(),
        &lookup,
        &snapshot,
        reads_locals.then_some(&confidential as &dyn ReadMemory),
        gaps,
    );
    let runtime = match (&python, gaps.0.len() > known_gaps) {
        (Some(state), _) => Observed::Known(state.runtime.clone()),
        (None, true) => Observed::Unknown(crashlens_core::GapId(known_gaps)),
        (None, false) => Observed::Absent,
    };
    note_lost_threads(python.as_ref(), gaps);
    let stacks = walk_threads(&snapshot, &recorder, &images);
    if recorder.is_expired() {
        gaps.add(
            "some stacks",
            "reading the process took longer than it may be held",
            None,
        );
    }
    let scene = Scene {
        snapshot: &snapshot,
        memory: &recorder,
        confidential: &confidential,
        images: &images,
        stacks: &stacks,
        python: python.as_ref(),
        symbols: &lookup,
        locals: reads_locals,
    };
    let first_chance = fault::first_chance(&scene).map(|signal| ProcessSnapshot {
        signal: Some(signal),
        ..snapshot.clone()
    });
    let scene = Scene {
        snapshot: first_chance.as_ref().unwrap_or(&snapshot),
        ..scene
    };
    let fault = fault::examine(&scene);
    let confidences = match confidant {
        Confidant::Process { .. } => Confidences::hear(&scene, &|| recorder.is_expired()),
        Confidant::Recording(told) => {
            if let Some(python) = &mut python {
                python.restore_locals(&told.locals);
            }
            (*told).clone()
        }
    };
    if let Some(reason) = &confidences.locals_gap {
        gaps.add("values of variables", reason.clone(), None);
    }
    let answers = lookup.answers.into_inner();
    Walked {
        images,
        stacks,
        python,
        runtime,
        memory: recorder.into_memory(),
        answers,
        confidences,
        fault,
        snapshot: first_chance.unwrap_or(snapshot),
    }
}

impl Walked {
    /// Names the frames. The process need not exist any more.
    pub fn name_frames(self, files: &dyn Files, gaps: &mut Gaps) -> Stacks {
        let symbols = FileSymbols::new(files);
        let mut names = BTreeMap::new();
        for (module, addresses) in self.addresses_by_module() {
            let found = symbols.names(module, &addresses);
            names.extend(addresses.into_iter().zip(found));
        }
        for gap in symbols.into_gaps().0 {
            gaps.add(gap.part, gap.reason, gap.remedy.as_deref());
        }
        let mut sources = Sources::default();
        for (file, lines) in self.python_lines() {
            sources.read(files, file, &lines);
        }
        self.assemble(names, sources.into_lines(), gaps)
    }

    fn addresses_by_module(&self) -> Vec<(&Module, Vec<u64>)> {
        let mut by_start: BTreeMap<Address, (&Module, Vec<u64>)> = BTreeMap::new();
        let frames = self.stacks.iter().flat_map(|stack| &stack.frames);
        let told = self.confidences.unnamed_addresses();
        for address in frames.map(|frame| frame.lookup).chain(told) {
            if let Some(image) = self.images.at(address) {
                let (_, addresses) = by_start
                    .entry(image.module.start)
                    .or_insert_with(|| (&image.module, Vec::new()));
                addresses.push(address);
            }
        }
        by_start
            .into_values()
            .map(|(module, mut addresses)| {
                addresses.sort_unstable();
                addresses.dedup();
                (module, addresses)
            })
            .collect()
    }

    fn python_lines(&self) -> BTreeMap<&str, Vec<u32>> {
        let mut wanted: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        let threads = self.python.iter().flat_map(|state| &state.threads);
        for frame in threads.flat_map(|thread| &thread.frames) {
            if let Some(line) = frame.line {
                wanted.entry(&frame.file).or_default().push(line);
            }
        }
        wanted
    }

    fn assemble(
        mut self,
        names: BTreeMap<u64, Vec<FrameName>>,
        sources: BTreeMap<String, BTreeMap<u32, String>>,
        gaps: &mut Gaps,
    ) -> Stacks {
        let mut threads = Vec::with_capacity(self.stacks.len());
        let mut room = Room::default();
        for (thread, stack) in self.snapshot.threads.iter().zip(&self.stacks) {
            let mut native = Vec::new();
            let mut stack_pointers = Vec::new();
            let mut end = stack.end;
            for frame in &stack.frames {
                let Some(frames) = self.native_frames(*frame, &names, &mut room) else {
                    end = StackEnd::DepthLimit;
                    break;
                };
                native.extend(frames);
                stack_pointers.resize(native.len(), frame.stack);
            }
            let python = self
                .python_thread(thread.id)
                .filter(|python| room.takes_python(python, &sources));
            let version = self.python.as_ref().map_or((0, 0), |state| state.version);
            let mut frames = merge(native, &stack_pointers, python, version);
            add_sources(&mut frames, &sources);
            threads.push(Thread {
                id: thread.id,
                name: thread.name.clone(),
                role: ThreadRole::Other,
                crashed: Some(thread.id) == self.snapshot.crashed_thread,
                holds_gil: self.holds_gil(python),
                waits_for_crashed: false,
                frames,
                end,
            });
        }
        room.note_shortage(gaps);
        roles::assign(&mut threads, self.snapshot.pid);
        keep_path(&mut threads, &mut self.confidences.locals);
        let modules = self.images.modules();
        self.confidences.name(&names);
        let testimony = testimony::assemble(self.confidences.clone(), self.fault, &threads, gaps);
        let signal = self.snapshot.signal.clone();
        let recording = Recording::new(
            self.snapshot,
            self.memory,
            self.answers,
            names,
            sources,
            self.confidences,
        );
        Stacks {
            threads,
            modules,
            python: self.runtime,
            testimony,
            signal,
            recording: recording.encode(),
        }
    }

    /// A thread without Python state cannot hold the lock, if there is an interpreter at all.
    fn holds_gil(&self, thread: Option<&PythonThread>) -> Option<bool> {
        thread.map_or(self.python.as_ref().map(|_| false), |thread| {
            thread.holds_gil
        })
    }

    fn python_thread(&self, id: u32) -> Option<&PythonThread> {
        self.python
            .iter()
            .flat_map(|state| &state.threads)
            .find(|thread| thread.thread == Some(id))
    }

    /// One frame, or several where functions were inlined; innermost first. `None` if there is no room for them.
    fn native_frames(
        &self,
        frame: RawFrame,
        names: &BTreeMap<u64, Vec<FrameName>>,
        room: &mut Room,
    ) -> Option<Vec<NativeFrame>> {
        let module = self.images.at(frame.lookup).map(|image| &image.module);
        let unnamed = [FrameName::default()];
        let found = names
            .get(&frame.lookup)
            .filter(|found| !found.is_empty())
            .map_or(unnamed.as_slice(), Vec::as_slice);
        if !room.takes_native(module, found) {
            return None;
        }
        let frames = found
            .iter()
            .map(|name| NativeFrame {
                address: Address(frame.address),
                library: module.map(|module| module.name.clone()),
                path: module.map(|module| module.path.clone()),
                module_offset: module
                    .map(|module| Address(frame.address.wrapping_sub(module.bias.0))),
                function: name.function.clone(),
                function_offset: name.offset,
                source: name.source.clone(),
                inlined: name.inlined,
                trust: frame.trust,
            })
            .collect();
        Some(frames)
    }
}

/// Finds the stacks again from what was recorded: the same answer, without the process or its files.
pub fn replay(recording: &[u8], gaps: &mut Gaps) -> Result<Stacks, RecordingError> {
    // A recording is at most as large as what one process's stacks needed; reading it again takes milliseconds.
    let deadline = Instant::now() + Duration::from_secs(10);
    let (recording, memory) = Recording::decode(recording)?;
    let walked = walk_with(
        &recording.snapshot,
        &memory,
        &recording.answers,
        &Confidant::Recording(&recording.confidences),
        deadline,
        gaps,
    );
    Ok(walked.assemble(recording.names, recording.sources, gaps))
}
