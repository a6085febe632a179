//! Questions on the terminal, with and without echo, through each descriptor.

use super::super::case::Step::{See, Type};
use super::super::case::{CASE, Case, Need};

const PASSWORD: &str = "opensesame";

const GETPASS: &str = "\
import getpass
print('got', len(getpass.getpass()))
";
const READ_SECRET: &str = "read -rsp 'word? ' x; echo; echo got ${#x}\n";
const STTY: &str = "stty -echo; printf 'word? '; read -r x; stty echo; echo; echo got ${#x}\n";
const STTY_STDERR: &str =
    "stty -echo <&2; printf 'word? ' >&2; read -r x; stty echo <&2; echo; echo got ${#x}\n";
const READ_STDERR: &str = "printf 'name? ' >&2; read -r x <&2; echo \"got $x\"\n";
const TTY: &str = "\
for n in 0 1 2; do eval \"tty -s <&$n\" && echo $n is a terminal; done
[ \"$(tty <&0)\" = \"$(tty <&2)\" ] && echo one terminal
exit 7
";
const TPUT: &str = "\
echo columns $(tput cols) lines $(tput lines) colors $(tput colors)
tput setaf 1; echo red; tput bold; echo bold; tput sgr0; echo plain
tput setaf 2 >&2; echo green >&2; tput sgr0 >&2
ls --color=auto -d .
";

pub const CASES: &[Case] = &[
    Case {
        name: "getpass",
        shows: "`getpass.getpass()`: a typed password is not shown",
        needs: &[Need::Packages],
        files: &[("asks.py", GETPASS)],
        command: "run python3 asks.py",
        steps: &[See("Password: "), Type("opensesame\r"), See("got 10")],
        hidden: Some(PASSWORD),
        ..CASE
    },
    Case {
        name: "read -s",
        shows: "`read -s` in bash: a typed password is not shown",
        files: &[("asks.sh", READ_SECRET)],
        command: "run bash asks.sh",
        steps: &[See("word? "), Type("opensesame\r"), See("got 10")],
        hidden: Some(PASSWORD),
        ..CASE
    },
    Case {
        name: "stty -echo",
        shows: "`stty -echo` on standard input: a typed password is not shown",
        files: &[("asks.sh", STTY)],
        command: "run sh asks.sh",
        steps: &[See("word? "), Type("opensesame\r"), See("got 10")],
        hidden: Some(PASSWORD),
        ..CASE
    },
    Case {
        name: "stty -echo <&2",
        shows: "the same through standard error, which must be the real terminal",
        files: &[("asks.sh", STTY_STDERR)],
        command: "run sh asks.sh",
        steps: &[See("word? "), Type("opensesame\r"), See("got 10")],
        hidden: Some(PASSWORD),
        ..CASE
    },
    Case {
        name: "read x <&2",
        shows: "a line typed at the terminal is read through standard error",
        files: &[("asks.sh", READ_STDERR)],
        command: "run sh asks.sh",
        steps: &[See("name? "), Type("hello\r"), See("got hello")],
        ..CASE
    },
    Case {
        name: "tty <&2",
        shows: "all three standard streams are the same terminal",
        files: &[("asks.sh", TTY)],
        command: "run sh asks.sh",
        steps: &[See("one terminal")],
        ends: "2:7> ",
        ..CASE
    },
    Case {
        name: "tput",
        shows: "`tput cols` with standard output captured, and colors on both streams",
        needs: &[Need::Program("tput")],
        files: &[("colors.sh", TPUT)],
        command: "run sh colors.sh",
        ..CASE
    },
];
