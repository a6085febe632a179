//! The facts of a core, in the form every capture has.

use crashlens_core::capture::System;
use crashlens_core::{
    CaptureFile, Circumstances, CrashCapture, Ending, EndingKind, Environment, Fault, Gaps, Host,
    Mapping, Observed, Output, Process, Role, secrets,
};
use crashlens_unwind::core_file::{InitialStack, InitialStackError, SignalFacts};
use crashlens_unwind::{CoreFile, Files, ProcessSnapshot, SignalAtFault, Stacks};

use super::Masks;
use crate::{arch, host};

/// Why most of what surrounds a process is unknown here.
const NEVER_RECORDED: &str = "not recorded in a core file";
/// A glibc is about 2 MB.
const MAX_C_LIBRARY_BYTES: usize = 16 << 20;
const REMEDY: &str = "Run the program under `crashlens run` to record it.";

/// Puts the capture together.
pub(super) fn capture(
    core: &CoreFile,
    snapshot: ProcessSnapshot,
    stacks: Stacks,
    words: Result<InitialStack, InitialStackError>,
    masks: &Masks,
    files: &dyn Files,
    mut gaps: Gaps,
) -> CaptureFile {
    let at_fault = stacks.signal.as_ref().and_then(|signal| signal.registers);
    let at_end = snapshot.threads.first().and_then(|thread| thread.registers);
    let registers = at_fault.or(at_end);
    let registers = gaps.observe("registers", registers.ok_or("the core holds no thread"));
    let words = gaps.observe("environment variables and full command line", words);
    let process = process(core, snapshot.pid, words.known(), masks, &mut gaps);
    let ending = ending(core, &stacks, &mut gaps);
    let environment = Environment {
        python: stacks.python,
        variables: match words {
            Observed::Known(words) => Observed::Known((masks.variables)(&words.variables)),
            Observed::Absent => Observed::Absent,
            Observed::Unknown(gap) => Observed::Unknown(gap),
        },
        packages: Observed::default(),
        limits: unrecorded("resource limits", &mut gaps),
    };
    let glibc = glibc_version(&snapshot.maps, files);
    let capture = CrashCapture {
        crashlens: env!("CARGO_PKG_VERSION").to_owned(),
        source: crashlens_core::CaptureSource::Core,
        process,
        ending,
        crashed_thread: snapshot.crashed_thread,
        registers,
        threads: stacks.threads,
        modules: Observed::Known(stacks.modules),
        maps: Observed::Known(snapshot.maps),
        environment,
        host: host(core, glibc, &mut gaps),
        output: Output {
            stderr: unrecorded("standard error", &mut gaps),
        },
        testimony: stacks.testimony,
        circumstances: Circumstances::default(),
        gaps,
    };
    CaptureFile {
        capture,
        recording: Some(stacks.recording),
    }
}

fn process(
    core: &CoreFile,
    pid: u32,
    words: Option<&InitialStack>,
    masks: &Masks,
    gaps: &mut Gaps,
) -> Process {
    let noted = core.process();
    if noted.is_none() {
        gaps.add("name and parent of the process", NEVER_RECORDED, None);
    }
    let command = match words {
        Some(words) if !words.arguments.is_empty() => words.arguments.clone(),
        // The note has the arguments joined by spaces and cut at 79 bytes.
        _ => noted.map_or_else(Vec::new, |process| {
            process
                .command_line
                .split_whitespace()
                .map(str::to_owned)
                .collect()
        }),
    };
    let executable = core
        .executable()
        .map(|path| secrets::mask_line(path).into_owned())
        .ok_or("the core does not name it");
    Process {
        pid,
        parent_pid: noted.map_or(0, |process| process.parent_pid),
        role: Role::Main,
        command: (masks.command)(&command),
        executable: gaps.observe("path of the executable", executable),
        working_directory: unrecorded("working directory", gaps),
    }
}

fn ending(core: &CoreFile, stacks: &Stacks, gaps: &mut Gaps) -> Ending {
    let last = core.signal();
    if last.is_some_and(|signal| signal.code.is_none()) {
        gaps.add(
            "code and address of the signal",
            "the core has no note about the signal",
            None,
        );
    }
    let named = |facts: SignalFacts| facts.code.map(|code| facts.signal.code_name(code));
    let last_code = last.and_then(named);
    let first = stacks.signal.as_ref();
    let first_code = first.map_or(last_code.clone(), |first| first.code.clone());
    let raised_again = first_code != last_code;
    let sender = last.and_then(|facts| facts.sender_pid);
    Ending {
        kind: match (last, stacks.threads.is_empty()) {
            (Some(_), _) => EndingKind::Signal,
            // A thread without a signal: a tool wrote the core of a process that was alive.
            (None, false) => EndingKind::Running,
            (None, true) => EndingKind::Unknown,
        },
        signal: last.map(|facts| facts.signal),
        address: first.and_then(|first| first.address),
        sender_pid: sender.filter(|_| !raised_again),
        wait_status: None,
        exit_code: None,
        earlier_faults: earlier_faults(first.filter(|_| raised_again), stacks),
        raised_again,
        code: first_code,
    }
}

/// The fault that a handler of the program received and raised again.
fn earlier_faults(first: Option<&SignalAtFault>, stacks: &Stacks) -> Vec<Fault> {
    let thread = stacks.threads.iter().find(|thread| thread.crashed);
    let fault = first.zip(thread).and_then(|(first, thread)| {
        Some(Fault {
            thread: thread.id,
            signal: first.signal,
            code: first.code.clone()?,
            address: first.address,
            instruction_pointer: first.registers?.pc(),
            count: 1,
        })
    });
    fault.into_iter().collect()
}

fn host(core: &CoreFile, glibc: Option<String>, gaps: &mut Gaps) -> Host {
    let kernel = match core.kernel_version() {
        Some(version) => Observed::Known(format!("Linux {version} {}", arch::MACHINE)),
        None => unrecorded("version of the kernel", gaps),
    };
    Host {
        system: Observed::Known(System::Linux),
        kernel,
        glibc: match glibc {
            Some(version) => Observed::Known(version),
            None => unrecorded("version of the C library", gaps),
        },
        cpu_model: unrecorded("the processor", gaps),
        cpu_flags: unrecorded("the processor", gaps),
        memory_total: unrecorded("memory of the machine", gaps),
        memory_available: unrecorded("memory of the machine", gaps),
        memory_group: unrecorded("memory control group", gaps),
    }
}

/// From the C library's own file, where it is the one the process had mapped.
fn glibc_version(maps: &[Mapping], files: &dyn Files) -> Option<String> {
    let paths = maps.iter().filter_map(|map| map.path.as_deref());
    let path = paths.into_iter().find(|path| host::is_glibc(path))?;
    let library = files.open(path).ok()?;
    let bytes = (*library).as_ref();
    host::banner_version(bytes.get(..MAX_C_LIBRARY_BYTES).unwrap_or(bytes))
}

fn unrecorded<T>(part: &str, gaps: &mut Gaps) -> Observed<T> {
    Observed::Unknown(gaps.add(part, NEVER_RECORDED, Some(REMEDY)))
}
