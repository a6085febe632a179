//! Stops and continuations: the parent of crashlens sees of it what it would see of the program, and a
//! stop or continuation of one of them is one of the program.

use std::os::unix::process::CommandExt;
use std::path::Path;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::support::{Running, Supervised, python, words};

/// Reports each SIGCONT, stops itself at the word `stop`, and ends with the number of SIGCONT at the end of its input.
///
/// Signals wake it by a pipe: a handler of Python runs only after a system call has been interrupted, and would wait with
/// the program if the signal came just before the call.
const PROGRAM: &str = "import os, select, signal\n\
    signal.signal(signal.SIGCONT, lambda *_: None)\n\
    woken, wake = os.pipe()\n\
    os.set_blocking(wake, False)\n\
    signal.set_wakeup_fd(wake)\n\
    count = 0\n\
    def report():\n\
    \x20   global count\n\
    \x20   os.read(woken, 1); count += 1; os.write(1, b'CONT\\n')\n\
    print('ready', os.getpid(), flush=True)\n\
    while True:\n\
    \x20   for file in select.select([0, woken], [], [])[0]:\n\
    \x20       if file == woken: report(); continue\n\
    \x20       word = b''\n\
    \x20       while not word.endswith(b'\\n'):\n\
    \x20           part = os.read(0, 100)\n\
    \x20           if not part: os._exit(count)\n\
    \x20           word += part\n\
    \x20       if word == b'stop\\n': os.kill(os.getpid(), signal.SIGSTOP); report()\n\
    \x20       os.write(1, b'heard ' + word)";

/// The two ways of supervision, as words of the supervisor.
const TRACED: &[&str] = &["run"];
const NOT_TRACED: &[&str] = &["fail", "seize", "1", "1", "run"];

/// Starts a program as a job of its own, as a shell does, and gives its process.
fn start(how: &[&str], source: &str) -> (Running, Pid) {
    let mut command = words(how);
    command.extend(words(&[python(), "-c", source]));
    let mut supervised = Supervised::new(command);
    supervised.command.process_group(0);
    let mut running = supervised.start();
    let ready = running.line();
    let program = ready.split(' ').nth(1).unwrap().parse().unwrap();
    (running, Pid::from_raw(program))
}

/// What the parent of crashlens is informed of next.
fn next_change(running: &Running) -> WaitStatus {
    let all = WaitPidFlag::WUNTRACED | WaitPidFlag::WCONTINUED;
    waitpid(running.pid(), Some(all)).unwrap()
}

fn assert_stopped(running: &Running, program: Pid, signal: Signal) {
    assert_eq!(
        next_change(running),
        WaitStatus::Stopped(running.pid(), signal)
    );
    let stat = std::fs::read_to_string(format!("/proc/{program}/stat")).unwrap();
    let state = stat.rsplit(") ").next().unwrap();
    assert!(state.starts_with(['t', 'T']), "{stat}");
}

/// The process that continues crashlens if a tracee needs it: it has the status of crashlens open.
fn waker_of(crashlens: Pid) -> u32 {
    let status = format!("/proc/{crashlens}/status");
    let has_it_open = |process: &u32| {
        let files = std::fs::read_dir(format!("/proc/{process}/fd"));
        let mut files = files.into_iter().flatten().flatten();
        files.any(|file| std::fs::read_link(file.path()).is_ok_and(|it| it == Path::new(&status)))
    };
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.find(has_it_open).unwrap()
}

/// Returns when a process has slept and woken up this many times more.
fn wait_for_looks(process: u32, number: u64) {
    let slept = || {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let count = status.split_once("\nvoluntary_ctxt_switches:").unwrap().1;
        count
            .split_whitespace()
            .next()
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    let before = slept();
    while slept() < before + number {
        std::thread::yield_now();
    }
}

fn assert_continued(running: &Running) {
    assert_eq!(next_change(running), WaitStatus::Continued(running.pid()));
}

#[test]
fn a_stop_and_a_continuation_sent_to_crashlens_reach_the_program() {
    for how in [TRACED, NOT_TRACED] {
        let (mut running, program) = start(how, PROGRAM);
        for _ in 0..3 {
            kill(running.pid(), Signal::SIGTSTP).unwrap();
            assert_stopped(&running, program, Signal::SIGTSTP);
            kill(running.pid(), Signal::SIGCONT).unwrap();
            assert_continued(&running);
            assert_eq!(running.line(), "CONT");
        }
        assert_eq!(running.finish().code, Some(3), "{how:?}");
    }
}

#[test]
fn a_continuation_of_the_whole_job_reaches_the_program_once() {
    let (mut running, program) = start(TRACED, PROGRAM);
    for _ in 0..10 {
        nix::sys::signal::killpg(running.pid(), Signal::SIGTSTP).unwrap();
        assert_stopped(&running, program, Signal::SIGTSTP);
        nix::sys::signal::killpg(running.pid(), Signal::SIGCONT).unwrap();
        assert_continued(&running);
        assert_eq!(running.line(), "CONT");
    }
    // Answered by crashlens after the last SIGCONT.
    running.say("on");
    assert_eq!(running.line(), "heard on");
    assert_eq!(running.finish().code, Some(10));
}

#[test]
fn a_program_that_stops_itself_is_seen_stopped_and_goes_on_with_crashlens() {
    for how in [TRACED, NOT_TRACED] {
        let (mut running, program) = start(how, PROGRAM);
        running.say("stop");
        assert_stopped(&running, program, Signal::SIGSTOP);
        kill(running.pid(), Signal::SIGCONT).unwrap();
        assert_continued(&running);
        assert_eq!(running.line(), "CONT");
        assert_eq!(running.line(), "heard stop");
        assert_eq!(running.finish().code, Some(1), "{how:?}");
    }
}

#[test]
fn a_stopped_job_stays_stopped() {
    for how in [TRACED, NOT_TRACED] {
        let (mut running, program) = start(how, PROGRAM);
        running.say("stop");
        assert_stopped(&running, program, Signal::SIGSTOP);
        wait_for_looks(waker_of(running.pid()), 5);
        let all = WaitPidFlag::WUNTRACED | WaitPidFlag::WCONTINUED | WaitPidFlag::WNOHANG;
        assert_eq!(
            waitpid(running.pid(), Some(all)).unwrap(),
            WaitStatus::StillAlive,
            "{how:?}"
        );
        kill(running.pid(), Signal::SIGCONT).unwrap();
        assert_eq!(running.line(), "CONT");
        assert_eq!(running.line(), "heard stop");
        assert_eq!(running.finish().code, Some(1), "{how:?}");
    }
}

#[test]
fn a_stopped_program_can_be_continued_directly() {
    for how in [TRACED, NOT_TRACED] {
        for stop in [Signal::SIGSTOP, Signal::SIGTSTP] {
            let (mut running, program) = start(how, PROGRAM);
            kill(program, stop).unwrap();
            assert_stopped(&running, program, stop);
            kill(program, Signal::SIGCONT).unwrap();
            assert_eq!(running.line(), "CONT");
            assert_continued(&running);
            assert_eq!(running.finish().code, Some(1), "{how:?} {stop}");
        }
    }
}

#[test]
fn a_stopped_program_can_be_killed() {
    for how in [TRACED, NOT_TRACED] {
        let (running, program) = start(how, PROGRAM);
        kill(program, Signal::SIGSTOP).unwrap();
        assert_stopped(&running, program, Signal::SIGSTOP);
        kill(program, Signal::SIGKILL).unwrap();
        assert_eq!(running.finish().code, Some(128 + 9), "{how:?}");
    }
}

#[test]
fn children_of_a_stopped_program_go_on() {
    let source = "import os, signal, sys\n\
        if os.fork() == 0:\n\
        \x20   sys.stdin.readline()\n\
        \x20   child = os.fork()\n\
        \x20   if child == 0: os._exit(0)\n\
        \x20   os.waitpid(child, 0); print('forked', flush=True); os._exit(0)\n\
        print('ready', os.getpid(), flush=True)\n\
        os.kill(os.getpid(), signal.SIGSTOP)\n\
        os.wait(); os._exit(5)";
    let (mut running, program) = start(TRACED, source);
    assert_stopped(&running, program, Signal::SIGSTOP);
    running.say("go");
    assert_eq!(running.line(), "forked");
    kill(program, Signal::SIGCONT).unwrap();
    assert_eq!(running.finish().code, Some(5));
}
