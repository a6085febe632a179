//! Under a seccomp filter that refuses a system call, a program ends as it does alone under the same filter.
//! `cargo lab reliability` tries every call that crashlens makes; here are those that once made a difference.

use std::process::{Command, Output};

use crate::{stderr, stdout};

const LAUNCHER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../crashlens-trace/tests/it/scripts/denied.py"
);
const EPERM: &str = "1";
const ENOSYS: &str = "38";
/// Writes to both streams without a redirection, for which a shell needs calls that are refused here.
const WRITES: &str = "echo out; cd /nowhere; ";
const STDERR: &str = "can't cd to /nowhere\n";
/// Says which limits, ignored and blocked signals, and open descriptors it has.
const SHOWS_ITSELF: &str = "ulimit -Sn; exec grep -h -E 'SigBlk|SigIgn|FDSize' /proc/self/status";

/// Runs `program`, to which `call` is refused.
fn denied(call: u32, errno: &str, program: &[&str]) -> Output {
    Command::new("python3")
        .args(["-I", LAUNCHER, &call.to_string(), errno])
        .args(program)
        .output()
        .unwrap()
}

fn supervised(call: u32, errno: &str, script: &str) -> Output {
    let crashlens = env!("CARGO_BIN_EXE_crashlens");
    let program = [crashlens, "run", "--no-save", "--", "/bin/sh", "-c", script];
    denied(call, errno, &program)
}

/// Compares what a script does with and without crashlens; gives what crashlens said.
fn assert_same(name: &str, call: u32, errno: &str, script: &str) -> String {
    let alone = denied(call, errno, &["/bin/sh", "-c", script]);
    let supervised = supervised(call, errno, script);
    let said = stderr(&supervised);
    let place = format!("{name} {errno} {script}: {said}");
    assert_eq!(supervised.status, alone.status, "{place}");
    assert_eq!(stdout(&supervised), stdout(&alone), "{place}");
    assert!(said.contains(&stderr(&alone)), "{place}");
    said
}

/// The script ends as alone by an exit and by a crash.
fn assert_ends_the_same(name: &str, call: u32) -> [String; 2] {
    let [mut last, mut crash] = [String::new(), String::new()];
    for errno in [EPERM, ENOSYS] {
        last = assert_same(name, call, errno, &format!("{WRITES}exit 7"));
        crash = assert_same(name, call, errno, &format!("{WRITES}kill -SEGV $$"));
    }
    [last, crash]
}

#[test]
fn a_refused_call_costs_neither_the_status_nor_the_report() {
    let calls = [
        ("poll", 7),
        ("rt_sigaction", 13),
        ("dup2", 33),
        ("fcntl", 72),
        ("gettid", 186),
        ("tgkill", 234),
    ];
    for (name, call) in calls {
        let [exit, crash] = assert_ends_the_same(name, call);
        assert!(
            exit.ends_with(STDERR) && exit.lines().count() == 1,
            "{name}: {exit}"
        );
        assert!(crash.contains("SIGSEGV"), "{name}: {crash}");
    }
}

#[test]
fn where_no_program_can_be_supervised_it_runs_without_and_crashlens_says_so() {
    let calls = [
        ("rt_sigprocmask", 14),
        ("clone", 56),
        ("wait4", 61),
        ("signalfd4", 289),
        ("pipe2", 293),
    ];
    for (name, call) in calls {
        for said in assert_ends_the_same(name, call) {
            assert!(
                said.contains("cannot supervise /bin/sh") && said.contains("without supervision"),
                "{name}: {said}"
            );
        }
        // Limits and signals were changed for the supervision, and are as before.
        assert_same(name, call, EPERM, SHOWS_ITSELF);
    }
}

#[test]
fn without_write_a_program_that_writes_nothing_runs() {
    for script in ["exit 7", "kill -SEGV $$"] {
        assert_same("write", 1, EPERM, script);
    }
}

#[test]
fn where_no_program_can_be_started_crashlens_says_so() {
    let output = supervised(59, EPERM, "exit 7");
    assert_eq!(output.status.code(), Some(126));
    assert_eq!(
        stderr(&output),
        "crashlens: cannot execute /bin/sh: EPERM: Operation not permitted\n"
    );
}
