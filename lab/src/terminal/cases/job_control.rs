//! Jobs: stopped, continued, in the background, and shells that have jobs of their own.

use super::super::case::Step::{Press, See, Type};
use super::super::case::{CASE, Case, Need};

const ASKS: (&str, &str) = (
    "asks.sh",
    "echo ready; read -r x; echo \"got $x\"; exit 4\n",
);
const READY: (&str, &str) = ("ready.sh", "echo ready; exec sleep 1000\n");

/// Lets a job in the background go on, which waits with `until_go` until the shell has written its prompt, and waits until
/// the shell knows that the job has stopped.
const UNTIL_STOPPED: &str = "touch go; until jobs | grep -q Stopped; do sleep 0.1; done; jobs\r";

macro_rules! until_go {
    ($then:literal) => {
        concat!("until [ -e go ]; do sleep 0.1; done; ", $then, "\n")
    };
}

/// Goes on when there is a file `go`. It ends a second later: a shell that is not yet in `wait` when a job ends writes a line
/// about it.
const WAITS: (&str, &str) = (
    "waits.sh",
    concat!("echo ready; ", until_go!("sleep 1; echo finished; exit 3")),
);

pub const CASES: &[Case] = &[
    Case {
        name: "Ctrl-Z and fg",
        shows: "the job stops, `fg` continues it, and it reads from the terminal again",
        files: &[ASKS],
        command: "run sh asks.sh",
        steps: &[
            See("ready"),
            Press("C-z"),
            See("2:148> "),
            Type("jobs\r"),
            See("3:0> "),
            Type("fg\r"),
            See("fg\nrun sh asks.sh"),
            Type("hello\r"),
            See("got hello"),
        ],
        ends: "4:4> ",
        ..CASE
    },
    Case {
        name: "Ctrl-Z and bg",
        shows: "the job stops, `bg` continues it in the background, and `wait` gives its exit status",
        files: &[WAITS],
        command: "run sh waits.sh",
        steps: &[
            See("ready"),
            Press("C-z"),
            See("2:148> "),
            Type("bg\r"),
            See("3:0> "),
            // A redirection and no `touch`, for which the shell would wait first.
            Type(">go; wait %1\r"),
            See("finished"),
        ],
        ends: "4:3> ",
        ..CASE
    },
    Case {
        name: "SIGSTOP to itself",
        shows: "a program that stops itself is a stopped job, and `fg` continues it",
        files: &[("stops.sh", "echo one; kill -STOP $$; echo two; exit 5\n")],
        command: "run sh stops.sh",
        steps: &[See("2:147> "), Type("fg\r"), See("\ntwo")],
        ends: "3:5> ",
        ..CASE
    },
    Case {
        name: "stty tostop",
        shows: "a background job that writes to standard error is stopped if the terminal asks for it",
        files: &[("writes.sh", until_go!("echo hello >&2; exit 5"))],
        command: "stty tostop; run sh writes.sh &",
        steps: &[
            See("2:0> "),
            Type(UNTIL_STOPPED),
            See("3:0> "),
            Type("fg\r"),
            See("hello"),
        ],
        ends: "4:5> ",
        ..CASE
    },
    Case {
        name: "background read",
        shows: "a background job that reads from the terminal is stopped by `SIGTTIN`, and reads after `fg`",
        files: &[("asks.sh", until_go!("read -r x; echo \"got $x\"; exit 4"))],
        command: "run sh asks.sh &",
        steps: &[
            See("2:0> "),
            Type(UNTIL_STOPPED),
            See("3:0> "),
            Type("fg\r"),
            See("fg\nrun sh asks.sh"),
            Type("hello\r"),
            See("got hello"),
        ],
        ends: "4:4> ",
        ..CASE
    },
    Case {
        name: "bash -i",
        shows: "a supervised shell has job control: Ctrl-Z, `jobs`, `bg`, `fg`, Ctrl-C",
        files: &[READY],
        command: "PS1='in \\#:$?> ' run bash --norc --noprofile -i",
        steps: &[
            See("in 1:0> "),
            Type("sh ready.sh\r"),
            See("\nready"),
            Press("C-z"),
            See("in 2:148> "),
            Type("bg\r"),
            See("in 3:0> "),
            Type("jobs\r"),
            See("in 4:0> "),
            Type("fg\r"),
            See("fg\nsh ready.sh"),
            Press("C-c"),
            See("in 5:130> "),
            Type("exit 5\r"),
        ],
        ends: "\n2:5> ",
        ..CASE
    },
    Case {
        name: "zsh -i",
        shows: "the same in zsh",
        needs: &[Need::Program("zsh")],
        files: &[READY, (".zshrc", "PROMPT='in %h:%?> '\n")],
        command: "run zsh -d -i",
        steps: &[
            See("in 1:0> "),
            Type("sh ready.sh\r"),
            See("\nready"),
            Press("C-z"),
            See("in 2:148> "),
            Type("bg\r"),
            See("in 3:0> "),
            Type("jobs\r"),
            See("in 4:0> "),
            Type("fg\r"),
            See("fg\n[1]  + running"),
            Press("C-c"),
            See("in 5:130> "),
            Type("exit 5\r"),
        ],
        ends: "\n2:5> ",
        ..CASE
    },
];
