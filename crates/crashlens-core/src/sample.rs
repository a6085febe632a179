//! Captures to test with.

use crate::capture::*;

pub(crate) fn native(function: &str) -> Frame {
    Frame::Native(NativeFrame {
        address: Address(0x1000),
        library: Some("libx.so".to_owned()),
        path: Some("/lib/libx.so".to_owned()),
        module_offset: None,
        function: Some(function.to_owned()),
        function_offset: None,
        source: None,
        inlined: false,
        trust: FrameTrust::CallFrameInfo,
    })
}

pub(crate) fn python(file: &str, function: &str, source: &str) -> Frame {
    Frame::Python(PythonFrame {
        file: file.to_owned(),
        line: Some(1),
        function: function.to_owned(),
        source: Some(source.to_owned()),
        trust: FrameTrust::Interpreter,
        locals: Vec::new(),
    })
}

/// The first thread is the main one.
pub(crate) fn thread(id: u32, frames: Vec<Frame>) -> Thread {
    Thread {
        id,
        name: "python".to_owned(),
        role: if id == 1 {
            ThreadRole::Main
        } else {
            ThreadRole::Pool
        },
        crashed: false,
        holds_gil: None,
        waits_for_crashed: false,
        frames,
        end: StackEnd::Complete,
    }
}

/// A process that aborted; the first of `threads` did it.
pub(crate) fn capture(mut threads: Vec<Thread>, stderr: &[&str]) -> CrashCapture {
    if let Some(first) = threads.first_mut() {
        first.crashed = true;
    }
    let lines = stderr.iter().map(|line| (*line).to_owned()).collect();
    CrashCapture {
        crashlens: "0.1.0".to_owned(),
        source: CaptureSource::Process,
        process: Process {
            pid: 1,
            parent_pid: 0,
            role: Role::Main,
            command: Vec::new(),
            executable: Observed::Absent,
            working_directory: Observed::Absent,
        },
        ending: Ending {
            kind: EndingKind::Signal,
            signal: Some(Signal::ABRT),
            code: None,
            address: None,
            sender_pid: None,
            wait_status: None,
            exit_code: None,
            earlier_faults: Vec::new(),
            raised_again: false,
        },
        crashed_thread: threads.first().map(|thread| thread.id),
        registers: Observed::Absent,
        threads,
        modules: Observed::Absent,
        maps: Observed::Absent,
        environment: Environment {
            python: Observed::Absent,
            variables: Observed::Absent,
            packages: Observed::default(),
            limits: Observed::Absent,
        },
        host: Host {
            system: Observed::default(),
            cpu_model: Observed::Absent,
            cpu_flags: Observed::Absent,
            kernel: Observed::Absent,
            glibc: Observed::Absent,
            memory_total: Observed::Absent,
            memory_available: Observed::Absent,
            memory_group: Observed::Absent,
        },
        output: Output {
            stderr: Observed::Known(Tail {
                lines,
                truncated: false,
            }),
        },
        testimony: Testimony::default(),
        circumstances: Circumstances::default(),
        gaps: Gaps::default(),
    }
}
