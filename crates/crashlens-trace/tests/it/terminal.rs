//! At a terminal: Ctrl-C, Ctrl-Z and `fg`, as a person with a shell meets them.

use std::process::Command;

use serde_json::json;

use crate::support::{Finished, python, read_seen, supervisor};

/// Types `steps` (text to wait for, text to type) at a terminal where the supervised program is the foreground
/// job of a shell, and gives what appeared on the terminal and what the supervisor saw.
fn at_terminal(program: &str, steps: &[(&str, &str)]) -> (String, Finished) {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen.jsonl");
    let output = Command::new(python())
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/it/scripts/terminal.py"
        ))
        .arg(json!(steps).to_string())
        .arg(supervisor())
        .arg(&seen)
        .args(["run", python(), "-c", program])
        .output()
        .unwrap();
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        read_seen(&seen),
    )
}

#[test]
fn ctrl_c_interrupts_the_program_once() {
    let (screen, seen) = at_terminal(
        "import sys, time\n\
         try: print('ready', flush=True); time.sleep(1000)\n\
         except KeyboardInterrupt: print('interrupted', flush=True); input(); sys.exit(9)",
        &[("ready", "\x03"), ("interrupted", "on\n")],
    );
    assert!(screen.contains("code=9"), "{screen}");
    assert!(seen.deaths.is_empty());
}

#[test]
fn ctrl_z_stops_the_job_and_fg_continues_it() {
    let (screen, seen) = at_terminal(
        "import sys\n\
         print('ready', flush=True); print('got ' + input(), flush=True)\n\
         print('again', flush=True); print('got ' + input(), flush=True); sys.exit(4)",
        &[
            ("ready", "\x1a"),
            ("job stopped", "fg\n"),
            ("job continued", "hello\n"),
            ("got hello", ""),
            ("again", "\x1a"),
            ("job stopped", "fg\n"),
            ("job continued", "world\n"),
            ("got world", ""),
        ],
    );
    assert!(screen.contains("code=4"), "{screen}");
    assert!(seen.deaths.is_empty());
}

#[test]
fn a_program_that_stops_itself_gives_the_terminal_back_and_fg_continues_it() {
    let (screen, seen) = at_terminal(
        "import os, signal, sys\n\
         os.kill(os.getpid(), signal.SIGSTOP)\n\
         print('got ' + input(), flush=True); sys.exit(6)",
        &[
            ("job stopped", "fg\n"),
            ("job continued", "hello\n"),
            ("got hello", ""),
        ],
    );
    assert!(screen.contains("code=6"), "{screen}");
    assert!(seen.deaths.is_empty());
}

#[test]
fn a_program_that_catches_ctrl_z_is_not_stopped_and_neither_is_crashlens() {
    let (screen, _) = at_terminal(
        "import os, signal, sys\n\
         woken, wake = os.pipe(); os.set_blocking(wake, False)\n\
         signal.signal(signal.SIGTSTP, lambda *_: None); signal.set_wakeup_fd(wake)\n\
         print('ready', flush=True); os.read(woken, 1)\n\
         print('caught', flush=True); input(); sys.exit(7)",
        &[("ready", "\x1a"), ("caught", "on\n")],
    );
    assert!(
        screen.contains("code=7") && !screen.contains("job stopped"),
        "{screen}"
    );
}

#[test]
fn ctrl_z_stops_all_threads_of_the_program() {
    // A process outside the job waits until it has seen every thread of the program stand still. The program says that
    // it is ready only once that process has left the job, or Ctrl-Z would stop the watcher too.
    let (screen, _) = at_terminal(
        "import os, signal, sys, threading\n\
         begin, tell = os.pipe(); gone, left = os.pipe(); watcher = os.fork()\n\
         if watcher == 0:\n\
         \x20   os.setpgid(0, 0); os.write(left, b'x'); os.read(begin, 1)\n\
         \x20   tasks = f'/proc/{os.getppid()}/task'\n\
         \x20   def states():\n\
         \x20       return {open(f'{tasks}/{t}/stat').read().rsplit(')')[1].split()[0] for t in os.listdir(tasks)}\n\
         \x20   while states() - set('tT'): pass\n\
         \x20   os.write(1, b'all stand still\\n'); os._exit(0)\n\
         def spin():\n\
         \x20   while True: pass\n\
         threading.Thread(target=spin, daemon=True).start()\n\
         os.read(gone, 1); os.write(tell, b'x'); print('ready', flush=True); os.waitpid(watcher, 0); os._exit(5)",
        &[("ready", "\x1a"), ("all stand still", "fg\n")],
    );
    assert!(
        screen.contains("job stopped") && screen.contains("code=5"),
        "{screen}"
    );
}

#[test]
fn all_three_streams_are_the_terminal_itself() {
    let (screen, _) = at_terminal(
        "import os; print('same', len({os.ttyname(n) for n in range(3)}) == 1, os.tcgetpgrp(2) == os.getpgrp())",
        &[],
    );
    assert!(screen.contains("same True True"), "{screen}");
    assert!(screen.contains("code=0"), "{screen}");
}

#[test]
fn keys_reach_a_program_that_reads_them_from_standard_error() {
    let (screen, _) = at_terminal(
        "import os; print('ready', flush=True); print('got', os.read(2, 100))",
        &[("ready", "word\n")],
    );
    assert!(screen.contains("got b'word\\n'"), "{screen}");
}

#[test]
fn a_password_asked_for_on_standard_error_does_not_show() {
    let (screen, _) = at_terminal(
        "import os, termios\n\
         mode = termios.tcgetattr(2); mode[3] &= ~termios.ECHO; termios.tcsetattr(2, termios.TCSANOW, mode)\n\
         print('password', flush=True); print(len(input()), 'letters')",
        &[("password", "sesame\n")],
    );
    assert!(
        screen.contains("6 letters") && !screen.contains("sesame"),
        "{screen}"
    );
}

#[test]
fn what_goes_to_both_streams_appears_in_the_order_it_was_written() {
    let (screen, _) = at_terminal(
        "import os\nfor n in range(400): os.write(1 + n % 2, b'<%d>' % n)",
        &[],
    );
    let numbers: Vec<_> = (0..400).map(|n| n.to_string()).collect();
    assert!(
        screen.contains(&format!("<{}>", numbers.join("><"))),
        "{screen}"
    );
}
