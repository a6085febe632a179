//! Signals sent to crashlens, to the program, and to both.

use std::os::unix::process::CommandExt;

use nix::sys::signal::{self, Signal, kill};
use nix::unistd::Pid;

use crate::support::{Supervised, python, start_python};

/// Says when it is ready, reports each SIGTERM, and ends with their number at SIGWINCH. It waits for a pipe that every signal
/// writes to: one that came just before `pause` would not end the pause.
const COUNTER: &str = "import os, select, signal\n\
    count = 0\n\
    def term(*_):\n\
    \x20   global count\n\
    \x20   count += 1; os.write(1, b'TERM\\n')\n\
    signal.signal(signal.SIGTERM, term)\n\
    signal.signal(signal.SIGWINCH, lambda *_: os._exit(count))\n\
    woken, wake = os.pipe()\n\
    os.set_blocking(wake, False)\n\
    signal.set_wakeup_fd(wake)\n\
    print('ready', os.getpid(), flush=True)\n\
    while True: select.select([woken], [], []); os.read(woken, 1)";

#[test]
fn a_request_to_end_reaches_the_program() {
    let mut running = start_python(COUNTER);
    running.line();
    kill(running.pid(), Signal::SIGTERM).unwrap();
    assert_eq!(running.line(), "TERM");
    kill(running.pid(), Signal::SIGWINCH).unwrap();
    assert_eq!(running.finish().code, Some(1));
}

#[test]
fn without_a_handler_the_request_ends_the_program_and_so_crashlens() {
    let mut running = start_python("import signal; print('ready', flush=True); signal.pause()");
    running.line();
    kill(running.pid(), Signal::SIGTERM).unwrap();
    let finished = running.finish();
    assert_eq!(finished.code, Some(128 + 15));
    assert!(finished.deaths.is_empty());
}

#[test]
fn a_signal_to_the_whole_group_reaches_the_program_once() {
    for _ in 0..10 {
        let mut supervised = Supervised::new(["run", python(), "-c", COUNTER]);
        supervised.command.process_group(0);
        let mut running = supervised.start();
        running.line();
        signal::killpg(running.pid(), Signal::SIGTERM).unwrap();
        assert_eq!(running.line(), "TERM");
        // Answered by crashlens after the SIGTERM, which has the lower number.
        kill(running.pid(), Signal::SIGWINCH).unwrap();
        assert_eq!(running.finish().code, Some(1), "one SIGTERM, not two");
    }
}

#[test]
fn signals_to_the_program_itself_arrive_in_number() {
    let mut running = start_python(COUNTER);
    let ready = running.line();
    let program = Pid::from_raw(ready.split(' ').nth(1).unwrap().parse().unwrap());
    for _ in 0..5 {
        kill(program, Signal::SIGTERM).unwrap();
        assert_eq!(running.line(), "TERM");
    }
    kill(program, Signal::SIGWINCH).unwrap();
    assert_eq!(running.finish().code, Some(5));
}

#[test]
fn a_program_in_a_flood_of_signals_still_receives_those_that_are_sent_to_crashlens() {
    let mut running = start_python(
        "import os, signal\n\
         signal.signal(signal.SIGTERM, lambda *_: os._exit(9))\n\
         count = 0\n\
         def on(*_):\n\
         \x20   global count\n\
         \x20   count += 1\n\
         \x20   if count == 5000: print('flooded', flush=True)\n\
         signal.signal(signal.SIGUSR1, on)\n\
         while True: os.kill(os.getpid(), signal.SIGUSR1)",
    );
    assert_eq!(running.line(), "flooded");
    kill(running.pid(), Signal::SIGTERM).unwrap();
    assert_eq!(running.finish().code, Some(9));
}

#[test]
fn a_signal_to_the_whole_group_in_a_flood_ends_the_program_and_not_crashlens() {
    for _ in 0..5 {
        let mut supervised = Supervised::new([
            "run",
            python(),
            "-c",
            "import os, signal\n\
             signal.signal(signal.SIGTERM, lambda *_: os._exit(7))\n\
             signal.signal(signal.SIGUSR1, lambda *_: None)\n\
             for _ in range(2000): os.kill(os.getpid(), signal.SIGUSR1)\n\
             print('flooded', flush=True)\n\
             while True: os.kill(os.getpid(), signal.SIGUSR1)",
        ]);
        supervised.command.process_group(0);
        let mut running = supervised.start();
        assert_eq!(running.line(), "flooded");
        signal::killpg(running.pid(), Signal::SIGTERM).unwrap();
        assert_eq!(running.finish().code, Some(7));
    }
}

#[test]
fn a_stopped_program_stays_stopped_until_it_is_continued() {
    let mut running = start_python(COUNTER);
    let ready = running.line();
    let program = Pid::from_raw(ready.split(' ').nth(1).unwrap().parse().unwrap());
    kill(program, Signal::SIGSTOP).unwrap();
    kill(program, Signal::SIGTERM).unwrap();
    kill(program, Signal::SIGCONT).unwrap();
    assert_eq!(running.line(), "TERM");
    kill(program, Signal::SIGWINCH).unwrap();
    assert_eq!(running.finish().code, Some(1));
}
