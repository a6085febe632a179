//! The page.

use super::denied_calls::{CALLS, Call, Effect};
use super::seen::Seen;
use crate::terminal;

const HEAD: &str = "\
# Reliability, measured

A program under `crashlens run` must do what it does alone, and must not be affected if crashlens fails. This page has what was
compared and counted. `cargo lab terminal --update` and `cargo lab reliability --update` write it. `cargo xtask test` runs both
without `--update`, and fails if anything differs.

## Programs at a terminal

Every case runs at the same time in two terminals of 80×24 characters (tmux): alone, and under `crashlens run --no-save`. The same
keys are typed at both. After each step the two screens must be the same: text, colors, position of the cursor, and whether the
alternate screen is in use. The exit status is the one that the shell shows as `$?`. Before the comparison, only the names of the two
working folders and the process ids of background jobs are replaced. Where a row says so, figures are replaced too.
";

const ENDINGS: &str = "
## Exit statuses and signals

`sh` writes a line to each stream and ends, alone and under crashlens. Both streams, the exit status, and the signal that
ended the process are compared. The 4 signals that stop a process are not in this table; the cases above have them.
";

const KILLS: &str = "
## Kills of crashlens

A program writes 40,000 lines (4 MB) to standard error, which is a pipe. Meanwhile one process of crashlens gets `SIGKILL`, each time
at another place of the output.

- *crashlens* is the process that traces. The program must finish, and every line must arrive in order.
- *the relay* is the process that carries standard error. Another one takes over. The program must finish, and crashlens must return
  its exit status. Lines that the killed relay had read and not yet written are lost.

Tests of both are in `crates/crashlens-trace/tests/it/processes.rs` and `crates/crashlens-trace/src/output/tests.rs`.
";

const DENIED: &str = "
## System calls that are refused

A seccomp filter refuses one system call to crashlens and to the program, with `EPERM` and with `ENOSYS`. `sh` writes a line, and then
exits with status 7 or crashes with `SIGSEGV`. Its standard output and its end are compared with the same program without crashlens
under the same filter. The limit of a run is 20 s, for every process that crashlens starts. The calls are those that `strace` shows of
crashlens on x86-64, and those that crashlens makes where one of them is refused.

Tests of calls that once made a difference are in `crates/crashlens/tests/cli/traced/denied.rs`.
";

const REST: &str = "
## Failures without figures

`cargo xtask test` runs these tests.

- `crates/crashlens-trace/tests/it/failures.rs` lets system calls of crashlens fail, one at a time and all of a kind. The program
  keeps its exit status. Only if crashlens can no longer wait for the program does crashlens end with status 125.
- `crates/crashlens-trace/tests/it/degraded.rs` refuses tracing: by an error of the system call, by a seccomp filter, and by another
  tracer. The program runs and ends as it does alone. A report of a crash has fewer facts and says which are missing.
- `crates/crashlens-trace/tests/it/signals.rs` sends signals to crashlens, to the program and to both at once. Each arrives once.

## What differs

- After a crash there is a report on standard error. `--output FILE` sends it elsewhere.
- If standard output and standard error are the same pipe, lines of the two can change places: only standard error is relayed.
- If the reader of a standard error that is a pipe goes away, the program notices it some writes later.

## Secrets

[docs/secrets.md](secrets.md) has the measurements of the masking of secrets.
";

pub fn page(seen: &Seen) -> String {
    let rows = terminal::rows(&seen.terminal);
    let same = seen.terminal.values().filter(|same| **same).count();
    let endings = [
        ("exit statuses", "exit statuses 0 to 255"),
        ("signals", "signals 1 to 64, without these 4"),
    ];
    let kills = [
        ("kills of crashlens", "crashlens"),
        ("kills of the relay", "the relay"),
    ];
    [
        HEAD,
        &format!("\n{same} of {} cases are the same.\n\n", rows.len()),
        "| case | shows | screens | exit status |\n|---|---|---|---|\n",
        &rows.concat(),
        ENDINGS,
        &counts(seen, endings, "same"),
        KILLS,
        &counts(seen, kills, "survived"),
        DENIED,
        &denied(seen),
        REST,
    ]
    .concat()
}

fn counts(seen: &Seen, names: [(&str, &str); 2], good: &str) -> String {
    let row = |(name, title): (&str, &str)| {
        let count = seen.counts.get(name).copied().unwrap_or_default();
        format!("| {title} | {} | {} |\n", count.of, count.good)
    };
    format!("\n| | runs | {good} |\n|---|---|---|\n") + &names.map(row).concat()
}

fn denied(seen: &Seen) -> String {
    let row = |(effect, calls): (Effect, &[Call])| {
        let names: Vec<_> = calls.iter().map(|(name, _)| format!("`{name}`")).collect();
        let count = seen.counts.get(effect.key()).copied().unwrap_or_default();
        format!(
            "| {} | {}: {} | {} | {} |\n",
            effect.title(),
            names.len(),
            names.join(", "),
            count.of,
            count.good
        )
    };
    "\n| expected | refused calls | runs | as expected |\n|---|---|---|---|\n".to_owned()
        + &CALLS.map(row).concat()
}
