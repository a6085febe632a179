//! Reports and commands that come while the dead process is still there: before its parent, its shell or its container
//! can notice the death.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use crashlens_core::Report;
use nix::sys::signal::Signal;
use tempfile::TempDir;

use crate::{crashlens, output, stderr};

/// A Python program with standard error in a file, which does what its input says.
struct Program {
    folder: TempDir,
    child: Child,
    stdout: BufReader<ChildStdout>,
}

const OBEYS: &str = "import sys\nprint('ready', flush=True)\nfor line in sys.stdin: exec(line)";
const NULL_POINTER: &str = "import ctypes; ctypes.string_at(0)";

impl Program {
    fn start(program: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let errors = File::create(folder.path().join("errors")).unwrap();
        Self::start_in(
            folder,
            Command::new("python3").args(["-c", program]),
            errors,
        )
    }

    fn start_in(folder: TempDir, command: &mut Command, errors: impl Into<Stdio>) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut program = Self {
            folder,
            child,
            stdout,
        };
        assert_eq!(program.line(), "ready");
        program
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn say(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Has crashlens watch from the background.
    fn watch(&self, options: &[&str]) -> Output {
        let pid = self.child.id().to_string();
        let output = crashlens(&[&["attach", "--detach"], options, &[&pid]].concat())
            .env("XDG_STATE_HOME", self.folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!((output.stdout.len(), output.stderr.len()), (0, 0));
        output
    }

    /// What is in the file of standard error at the very moment at which the end of the program is known.
    fn errors_at_its_end(&mut self, signal: i32) -> String {
        assert_eq!(self.child.wait().unwrap().signal(), Some(signal));
        std::fs::read_to_string(self.path("errors")).unwrap()
    }
}

fn report(path: &Path) -> Report {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn whoever_waits_for_the_process_finds_the_report_written() {
    let mut program = Program::start(OBEYS);
    program.watch(&[]);
    program.say(NULL_POINTER);
    let errors = program.errors_at_its_end(Signal::SIGSEGV as i32);
    assert!(errors.contains("null pointer"), "{errors}");
}

#[test]
fn a_kill_is_reported_before_it_is_seen() {
    let mut program = Program::start(OBEYS);
    program.watch(&[]);
    program.child.kill().unwrap();
    let errors = program.errors_at_its_end(Signal::SIGKILL as i32);
    assert!(errors.contains("SIGKILL"), "{errors}");
}

#[test]
fn the_first_process_of_a_container_is_reported_before_the_container_ends() {
    let folder = tempfile::tempdir().unwrap();
    let errors = File::create(folder.path().join("errors")).unwrap();
    // The helper is in the container too, and is killed with it.
    let watched = format!(
        "import subprocess\nsubprocess.run([{:?}, 'attach', '--no-save', '--detach', '1'], check=True)\n{OBEYS}",
        env!("CARGO_BIN_EXE_crashlens")
    );
    let mut unshare = Command::new("unshare");
    unshare.args(["--pid", "--fork", "--mount-proc", "python3", "-c", &watched]);
    let mut program = Program::start_in(folder, &mut unshare, errors);
    let children = format!("/proc/{0}/task/{0}/children", program.child.id());
    let first = std::fs::read_to_string(children).unwrap();
    let killed = Command::new("kill").args(["-9", first.trim()]).status();
    assert!(killed.unwrap().success());
    program.child.wait().unwrap();
    let errors = std::fs::read_to_string(program.path("errors")).unwrap();
    assert!(errors.contains("SIGKILL"), "{errors}");
}

#[test]
fn the_report_of_a_worker_comes_before_what_its_parent_says_of_it() {
    let program = "import os, sys\n\
        child = os.fork()\n\
        if child == 0: os.abort()\n\
        os.waitpid(child, 0)\n\
        print('the worker is gone', file=sys.stderr)";
    let output = output(&["run", "--no-save", "--", "python3", "-c", program]);
    assert!(output.status.success());
    let said = stderr(&output);
    let report = said.find("SIGABRT").unwrap();
    assert!(report < said.find("the worker is gone").unwrap(), "{said}");
}

#[test]
fn last_words_are_read_from_a_file_also_when_its_name_is_gone() {
    for is_removed in [false, true] {
        let mut program = Program::start(OBEYS);
        let json = program.path("report.json");
        program.watch(&["--format", "json", "--output", json.to_str().unwrap()]);
        if is_removed {
            std::fs::remove_file(program.path("errors")).unwrap();
        }
        program.say("sys.stderr.write('the last words\\n'); sys.stderr.flush()");
        program.say(NULL_POINTER);
        assert_eq!(
            program.child.wait().unwrap().signal(),
            Some(Signal::SIGSEGV as i32)
        );
        let report = report(&json);
        let tail = report.deaths[0].output.stderr.as_ref().unwrap();
        assert_eq!(tail.lines.last().unwrap(), "the last words");
    }
}

#[test]
fn what_others_wrote_before_and_earlier_reports_are_not_last_words() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("errors"), "an older run\n").unwrap();
    let errors = File::options()
        .append(true)
        .open(folder.path().join("errors"));
    let mut python = Command::new("python3");
    let mut program = Program::start_in(folder, python.args(["-c", OBEYS]), errors.unwrap());
    program.watch(&["--save", program.path("saved").to_str().unwrap()]);
    program.say("import os; os.fork() or os.abort(); os.wait(); print('reaped', flush=True)");
    assert_eq!(program.line(), "reaped");
    program.say("sys.stderr.write('own words\\n'); sys.stderr.flush()");
    program.say(NULL_POINTER);
    let errors = program.errors_at_its_end(Signal::SIGSEGV as i32);
    assert!(
        errors.contains("SIGABRT") && errors.contains("SIGSEGV"),
        "{errors}"
    );
    let second = program.path("saved.2");
    let replayed = crashlens(&["diagnose", "--format", "json", second.to_str().unwrap()]);
    let replayed = { replayed }.output().unwrap();
    let report: Report = serde_json::from_slice(&replayed.stdout).unwrap();
    let tail = report.deaths[0].output.stderr.as_ref().unwrap();
    assert_eq!(tail.lines, ["own words"]);
}

#[test]
fn a_command_of_the_user_runs_while_the_process_is_held() {
    let mut program = Program::start(OBEYS);
    let seen = program.path("seen");
    let command = format!(
        "cat /proc/$CRASHLENS_PID/comm \"$CRASHLENS_REPORT\" > {}",
        seen.display()
    );
    program.watch(&["--on-death", &command]);
    program.say(NULL_POINTER);
    program.errors_at_its_end(Signal::SIGSEGV as i32);
    let seen = std::fs::read_to_string(seen).unwrap();
    let (name, json) = seen.split_once('\n').unwrap();
    assert!(name.starts_with("python"), "{name}");
    let report: Report = serde_json::from_str(json).unwrap();
    assert_eq!(report.deaths[0].pid, program.child.id());
}

#[test]
fn a_command_that_does_not_end_holds_nothing_up_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let program = "import os; os.abort()";
    // It ends when the test lets it: nothing else may wait for that.
    let command = format!("until test -e {}; do sleep 0.05; done", go.display());
    let options = ["run", "--no-save", "--on-death", &command, "--"];
    let mut run = crashlens(&[&options[..], &["python3", "-c", program]].concat());
    let status = run.stderr(Stdio::null()).status().unwrap();
    assert_eq!(status.signal(), Some(Signal::SIGABRT as i32));
    std::fs::write(go, "").unwrap();
}

#[test]
fn a_reader_of_standard_error_sees_its_end_while_the_program_is_watched() {
    let folder = tempfile::tempdir().unwrap();
    let mut python = Command::new("python3");
    let mut program = Program::start_in(folder, python.args(["-c", OBEYS]), Stdio::piped());
    program.watch(&[]);
    program.say("import os; os.close(2)");
    let mut errors = String::new();
    let mut reader = program.child.stderr.take().unwrap();
    reader.read_to_string(&mut errors).unwrap();
    assert_eq!(errors, "");
    program.say("print('alive', flush=True)");
    assert_eq!(program.line(), "alive");
    drop(program.child.stdin.take());
    assert!(program.child.wait().unwrap().success());
}

#[test]
fn a_reader_that_does_not_read_holds_nothing_up_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let mut python = Command::new("python3");
    let mut program = Program::start_in(folder, python.args(["-c", OBEYS]), Stdio::piped());
    program.watch(&[]);
    program.say("import os; os.set_blocking(2, False)");
    program.say("try:\r while True: os.write(2, b'x' * 4096)\rexcept BlockingIOError: pass");
    program.say(NULL_POINTER);
    // The pipe is still full.
    let signal = program.child.wait().unwrap().signal();
    assert_eq!(signal, Some(Signal::SIGSEGV as i32));
    let mut errors = String::new();
    let mut reader = program.child.stderr.take().unwrap();
    reader.read_to_string(&mut errors).unwrap();
    assert!(errors.contains("null pointer"), "the report comes later");
}

#[test]
fn a_fifo_that_nobody_reads_holds_nothing_up_for_ever() {
    let mut program = Program::start(OBEYS);
    let fifo = program.path("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let fifo = fifo.to_str().unwrap();
    program.watch(&["--output", fifo, "--save", fifo]);
    program.say(NULL_POINTER);
    program.errors_at_its_end(Signal::SIGSEGV as i32);
}

#[test]
fn crashlens_does_not_try_to_watch_itself() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("report.json");
    let program = format!(
        "import ctypes, os, subprocess\n\
        subprocess.run([{:?}, 'attach', '--no-save', '--detach', '--format', 'json', '-o', {json:?}, str(os.getpid())], check=True)\n\
        ctypes.string_at(0)",
        env!("CARGO_BIN_EXE_crashlens")
    );
    let status = Command::new("python3").args(["-c", &program]).status();
    assert_eq!(status.unwrap().signal(), Some(Signal::SIGSEGV as i32));
    let report = report(&json);
    assert!(report.run.gaps.is_empty(), "{:?}", report.run.gaps);
}

#[test]
fn what_cannot_be_watched_is_said_before_the_command_returns() {
    let output = output(&["attach", "--detach", "4194304"]);
    assert_eq!(output.status.code(), Some(125));
    assert!(
        stderr(&output).starts_with("crashlens: there is no process"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_process_with_many_threads_is_held_until_its_report_is_written() {
    for _ in 0..10 {
        let mut program = Program::start(OBEYS);
        program.watch(&["--no-save", "--no-check"]);
        program.say("import threading");
        program.say("wait = threading.Event().wait");
        program.say("for _ in range(20): threading.Thread(target=wait, daemon=True).start()");
        program.say("import ctypes; threading.Thread(target=ctypes.string_at, args=(0,)).start()");
        let errors = program.errors_at_its_end(Signal::SIGSEGV as i32);
        assert!(errors.contains("null pointer"), "{errors}");
    }
}
