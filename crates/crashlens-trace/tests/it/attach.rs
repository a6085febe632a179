//! Joining a program that runs already.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use crashlens_core::{EndingKind, Role, Signal};
use nix::sys::signal::{self, kill};

use crate::support::{Supervised, python, wait_until_traced};

/// A program of the test's own, its lines and its end known to the test.
struct Program {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Program {
    fn start(program: &str) -> Self {
        let mut child = Command::new(python())
            .args(["-c", program])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    fn say(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn pid(&self) -> String {
        self.child.id().to_string()
    }

    fn wait_until_traced(&self) {
        wait_until_traced(&self.pid());
    }
}

const THREADS_AND_CHILD: &str = "import ctypes, os, threading\n\
    never = threading.Event()\n\
    for _ in range(20): threading.Thread(target=never.wait, daemon=True).start()\n\
    child = os.fork()\n\
    if child == 0: input(); os.abort()\n\
    print(child, flush=True)\n\
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)\n\
    input(); ctypes.string_at(0)";

#[test]
fn deaths_in_a_running_tree_are_captured() {
    let mut program = Program::start(THREADS_AND_CHILD);
    let child = program.line();
    let running = Supervised::new(["attach", &program.pid()]).start();
    wait_until_traced(&child);
    program.say("child");
    assert_eq!(program.line(), "-6");
    program.say("parent");
    let finished = running.finish();
    program.child.wait().unwrap();
    assert_eq!(finished.code, Some(139));
    let seen: Vec<_> = finished
        .deaths
        .iter()
        .map(|death| (death.process.role, death.ending.signal))
        .collect();
    assert_eq!(
        seen,
        [
            (Role::Child, Some(Signal::ABRT)),
            (Role::Main, Some(Signal::SEGV))
        ]
    );
    assert_eq!(finished.deaths[1].threads.len(), 21);
}

#[test]
fn ctrl_c_leaves_the_program_running() {
    for request in [signal::SIGINT, signal::SIGTERM] {
        let mut program = Program::start("print('ready', flush=True); print(input(), flush=True)");
        program.line();
        let running = Supervised::new(["attach", &program.pid()]).start();
        program.wait_until_traced();
        kill(running.pid(), request).unwrap();
        let finished = running.finish();
        assert!(finished.detached.is_some() && finished.deaths.is_empty());
        program.say("still here");
        assert_eq!(program.line(), "still here");
        assert_eq!(program.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn a_look_shows_all_stacks_and_leaves_the_program_running() {
    let mut program = Program::start(
        "import threading\n\
         never = threading.Event()\n\
         for _ in range(3): threading.Thread(target=never.wait, daemon=True).start()\n\
         print('ready', flush=True); print(input(), flush=True)",
    );
    program.line();
    let finished = Supervised::new(["look", &program.pid()]).finish();
    assert_eq!(finished.code, Some(0), "{:?}", finished.failed);
    let look = finished.death();
    assert_eq!(look.ending.kind, EndingKind::Running);
    assert_eq!((look.crashed_thread, look.threads.len()), (None, 4));
    assert!(look.threads.iter().all(|thread| !thread.frames.is_empty()));
    program.say("on");
    assert_eq!(program.line(), "on");
    assert!(program.child.wait().unwrap().success());
}

#[test]
fn a_stopped_program_can_be_looked_at_and_stays_stopped() {
    let mut program = Program::start("print('ready', flush=True); print(input(), flush=True)");
    program.line();
    let pid = nix::unistd::Pid::from_raw(program.child.id() as i32);
    kill(pid, signal::SIGSTOP).unwrap();
    let finished = Supervised::new(["look", &program.pid()]).finish();
    assert_eq!(finished.death().threads.len(), 1);
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    assert_eq!(stat.split(' ').nth(2), Some("T"), "{stat}");
    kill(pid, signal::SIGCONT).unwrap();
    program.say("on");
    assert_eq!(program.line(), "on");
    assert!(program.child.wait().unwrap().success());
}

#[test]
fn what_cannot_be_joined_is_explained() {
    let finished = Supervised::new(["attach", "4194303"]).finish();
    assert_eq!(finished.code, Some(125));
    assert_eq!(
        finished.failed.unwrap()["error"],
        "there is no process 4194303"
    );

    let mut program = Program::start("print('ready', flush=True); input()");
    program.line();
    let mut first = Supervised::new(["attach", &program.pid()]).start();
    program.wait_until_traced();
    let second = Supervised::new(["attach", &program.pid()]).finish();
    let error = second.failed.unwrap()["error"].as_str().unwrap().to_owned();
    assert!(
        error.contains("already traced by process") && error.contains("supervise"),
        "{error}"
    );
    program.say("end");
    program.child.wait().unwrap();
    assert_eq!(first.child.wait().unwrap().code(), Some(0));
}
