//! Programs that make no progress, and programs that do.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use crashlens_core::{Death, EndingKind, Report};

use crate::{crashlens, output, stderr, stdout};

fn start(options: &[&str], program: &str) -> Child {
    let mut args = vec!["run", "--no-save"];
    args.extend(options);
    args.extend(["--", "python3", "-c", program]);
    crashlens(&args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Two threads that wait for each other, and one that ends the program when told to.
const DEADLOCK: &str = "import os, sys, threading\n\
    one, two = threading.Lock(), threading.Lock()\n\
    both = threading.Barrier(2)\n\
    def backwards():\n\
    \x20   with two: both.wait(); one.acquire()\n\
    def helper(): sys.stdin.readline(); os._exit(3)\n\
    threading.Thread(target=helper).start()\n\
    threading.Thread(target=backwards).start()\n\
    with one: both.wait(); two.acquire()";

#[test]
fn a_deadlock_is_reported_with_all_stacks_and_the_program_lives_on() {
    let mut child = start(&["--hang-after", "1s"], DEADLOCK);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut text = String::new();
    while !text.contains("no progress") {
        text += &lines.next().unwrap().unwrap();
        text.push('\n');
    }
    writeln!(child.stdin.as_mut().unwrap(), "end").unwrap();
    for line in lines {
        text += &line.unwrap();
        text.push('\n');
    }
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert_eq!(text.matches("no progress").count(), 1, "{text}");
    for function in ["backwards", "helper", "<module>"] {
        assert!(text.contains(function), "{function}: {text}");
    }
}

#[test]
fn a_hang_is_no_death_and_ends_when_the_program_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.json");
    let options = ["--hang-after", "1s", "--format", "json", "--output"];
    let options = [&options[..], &[file.to_str().unwrap()]].concat();
    let mut child = start(&options, "print(input().upper())");
    while !file.exists() {
        std::thread::yield_now();
    }
    writeln!(child.stdin.as_mut().unwrap(), "done").unwrap();
    let mut said = String::new();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_to_string(&mut said).unwrap();
    assert_eq!(said, "DONE\n");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let report: Report = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert!(report.deaths.is_empty());
    assert_eq!(report.run.exit_code, Some(0));
    assert_eq!(report.hangs.len(), 1);
    let hang = &report.hangs[0];
    assert!(hang.idle_seconds >= 1.0);
    assert_eq!(hang.processes[0].ending.kind, EndingKind::Running);
    let python = hang.processes[0].culprit.python.as_ref();
    assert_eq!(python.map(|line| line.function.as_str()), Some("<module>"));
}

#[test]
fn a_program_that_makes_progress_is_left_alone() {
    // It never waits: where it gets no processor for a while, it is still ready to run.
    let program = "import os, time\n\
        file = os.open('/dev/null', os.O_WRONLY)\n\
        end = time.monotonic() + 5\n\
        while time.monotonic() < end: os.write(file, b'.')";
    let child = start(&["--hang-after", "2s"], program);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_time_that_is_none_is_refused() {
    let refused = output(&["run", "--hang-after", "soon", "--", "true"]);
    assert_eq!(refused.status.code(), Some(125));
    assert!(stderr(&refused).contains("such as 90s, 10m or 1h30m"));
}

#[test]
fn the_report_of_a_process_that_was_joined_names_its_command() {
    let mut program = Command::new("sh")
        .args(["-c", "read line; exit 4"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    // A process has no command line yet at the very moment when it becomes another program.
    let command = format!("/proc/{}/cmdline", program.id());
    while std::fs::read(&command).unwrap().is_empty() {
        std::thread::yield_now();
    }
    let attach = crashlens(&["attach", &program.id().to_string(), "--format", "json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", program.id());
    while std::fs::read_to_string(&status)
        .unwrap()
        .contains("TracerPid:\t0\n")
    {
        std::thread::yield_now();
    }
    writeln!(program.stdin.as_mut().unwrap(), "go").unwrap();
    let output = attach.wait_with_output().unwrap();
    program.wait().unwrap();
    let report: Report = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report.run.argv, ["sh", "-c", "read line; exit 4"]);
    assert!(report.deaths.is_empty());
}

#[test]
fn a_process_that_a_signal_has_stopped_is_not_said_to_be_running() {
    let mut program = Command::new("sh")
        .args(["-c", "kill -STOP $$; exit 4"])
        .spawn()
        .unwrap();
    let pid = program.id().to_string();
    let status = || std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let is_stopped = || status().contains("State:\tT");
    while !is_stopped() {
        std::thread::yield_now();
    }
    let text = stdout(&output(&["attach", "--now", &pid]));
    assert!(text.contains(") is stopped"), "{text}");
    assert!(!text.contains("is running"), "{text}");
    // It stays so until the signal comes that ends it.
    while status().contains("State:\tt") {
        std::thread::yield_now();
    }
    assert!(is_stopped(), "{}", status());
    let resumed = Command::new("kill").args(["-CONT", &pid]).status().unwrap();
    assert!(resumed.success());
    assert_eq!(program.wait().unwrap().code(), Some(4));
}

#[test]
fn a_stopped_child_of_a_program_that_hangs_is_said_to_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.json");
    let options = ["--hang-after", "1s", "--format", "json", "--output"];
    let options = [&options[..], &[file.to_str().unwrap()]].concat();
    let program = "import subprocess; subprocess.run(['sh', '-c', 'kill -STOP $$'])";
    let child = start(&options, program);
    while !file.exists() {
        std::thread::yield_now();
    }
    let report: Report = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let kind = |process: &Death| process.ending.kind;
    let processes = &report.hangs[0].processes;
    let stopped = processes.iter().find(|it| kind(it) == EndingKind::Stopped);
    let stopped = stopped.unwrap();
    assert_eq!(stopped.command[0], "sh");
    let pid = stopped.pid.to_string();
    Command::new("kill").args(["-CONT", &pid]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}
