//! Keys that send signals, and deaths.

use super::super::case::Step::{Press, See, Type};
use super::super::case::{CASE, Case, Need};

/// Says when it can be interrupted.
const READY: (&str, &str) = ("ready.sh", "echo ready; exec sleep 1000\n");

const CATCHES: &str = "\
import signal, sys
def caught(*_):
    print('caught', flush=True)
    sys.exit(9)
signal.signal(signal.SIGINT, caught)
print('waiting', flush=True)
while True: signal.pause()
";

pub const CASES: &[Case] = &[
    Case {
        name: "Ctrl-C",
        shows: "the program is interrupted, and the shell sees `SIGINT`",
        files: &[READY],
        command: "run sh ready.sh",
        steps: &[See("\nready"), Press("C-c")],
        ends: "2:130> ",
        ..CASE
    },
    Case {
        name: "Ctrl-C in Python",
        shows: "`KeyboardInterrupt` with its traceback, once",
        needs: &[Need::Packages],
        command: "run python3 -c 'import time; print(\"rea\" + \"dy\", flush=True); time.sleep(1000)'",
        steps: &[See("\nready"), Press("C-c"), See("KeyboardInterrupt")],
        ends: "2:130> ",
        ..CASE
    },
    Case {
        name: "Ctrl-C with a handler",
        shows: "the handler runs once, and the program chooses its exit status",
        needs: &[Need::Packages],
        files: &[("catches.py", CATCHES)],
        command: "run python3 catches.py",
        steps: &[See("waiting"), Press("C-c"), See("caught")],
        ends: "2:9> ",
        ..CASE
    },
    Case {
        name: "Ctrl-C in a loop",
        shows: "one Ctrl-C ends `for i in 1 2 3; do PROGRAM; done`",
        files: &[READY],
        command: "for i in 1 2 3; do run sh ready.sh; done",
        steps: &[See("\nready"), Press("C-c")],
        ends: "2:130> ",
        ..CASE
    },
    Case {
        name: "Ctrl-\\",
        shows: "the program ends by `SIGQUIT`; crashlens adds its report, which is not compared",
        files: &[READY],
        command: "run sh ready.sh",
        steps: &[See("\nready"), Press("C-\\")],
        ends: "2:131> ",
        report_until: Some("Quit"),
        ..CASE
    },
    Case {
        name: "crash",
        shows: "a program that dies by `SIGSEGV` after it wrote to both streams; the report, which is not compared, comes after them",
        files: &[("dies.sh", "echo out; echo err >&2; kill -SEGV $$\n")],
        command: "run sh dies.sh",
        ends: "2:139> ",
        report_until: Some("Segmentation fault"),
        ..CASE
    },
    Case {
        name: "end of input",
        shows: "Ctrl-D ends the input of `cat`",
        files: &[("copies.sh", "echo ready; exec cat\n")],
        command: "run sh copies.sh",
        steps: &[
            See("ready"),
            Type("hello\r"),
            See("hello\nhello"),
            Press("C-d"),
        ],
        ..CASE
    },
];
