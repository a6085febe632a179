//! Programs that show text page by page, most of which read keys from standard error or from the terminal itself.

use super::super::case::Step::{Gone, Press, See, Type};
use super::super::case::{CASE, Case, Need};

const LINES: &str = "i=1; while [ $i -le 100 ]; do echo \"line $i\"; i=$((i + 1)); done > text";

/// Dates and names are fixed, so that the commits have the same hashes in both folders.
const COMMITS: &str = "
    export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_AUTHOR_DATE='2020-01-01T00:00:00Z'
    export GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org GIT_COMMITTER_DATE='2020-01-01T00:00:00Z'
    git init -q -b main .
    i=1
    while [ $i -le 12 ]; do git commit -q --allow-empty -m \"change $i\"; i=$((i + 1)); done";

const PAGE: &str =
    ".TH HELLO 1\n.SH NAME\nhello \\- greets\n.SH DESCRIPTION\n\\fBhello\\fR greets the reader.\n";

pub const CASES: &[Case] = &[
    Case {
        name: "less",
        shows: "paging, searching and quitting with `less FILE`",
        needs: &[Need::Program("less")],
        setup: LINES,
        command: "run less text",
        steps: &[
            See("line 23"),
            Type(" "),
            See("line 46"),
            Type("/line 71"),
            See("/line 71"),
            Press("Enter"),
            See("line 93"),
            Type("q"),
        ],
        ..CASE
    },
    Case {
        name: "more",
        shows: "paging and quitting with `more FILE`, which reads keys from standard error",
        needs: &[Need::Program("more")],
        setup: LINES,
        command: "run more text",
        steps: &[See("--More--"), Type(" "), See("line 40"), Type("q")],
        ..CASE
    },
    Case {
        name: "less in a pipeline",
        shows: "`less` with text from a pipe and keys from the terminal",
        needs: &[Need::Program("less")],
        command: "seq 1000 1100 | run less",
        steps: &[See("1022"), Type("G"), See("(END)"), Type("q")],
        ..CASE
    },
    Case {
        name: "git log",
        shows: "`git log` with colors in its pager",
        needs: &[Need::Program("git"), Need::Program("less")],
        setup: COMMITS,
        command: "run git log",
        steps: &[See("change 12"), Type("G"), See("(END)"), Type("q")],
        ..CASE
    },
    Case {
        name: "man",
        shows: "a manual page with bold text in its pager",
        needs: &[Need::Program("man"), Need::Program("less")],
        files: &[("hello.1", PAGE)],
        command: "run man -l hello.1",
        steps: &[See("greets the reader"), Type("q")],
        ..CASE
    },
    Case {
        name: "help() in Python",
        shows: "`help(str)` in the interactive interpreter starts a pager and comes back",
        needs: &[Need::Packages, Need::Program("less")],
        command: "run python3 -q",
        steps: &[
            See(">>> "),
            Type("help(str)\r"),
            See("Help on class str"),
            Type("q"),
            Gone("Help on class str"),
            Type("6 * 7\r"),
            See("42"),
            Press("C-d"),
        ],
        ..CASE
    },
];
