//! What a program sees and does under `crashlens run` is what it sees and does alone.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crashlens_core::Report;

use crate::{crashlens, stderr, stdout};

/// Waits in `epoll_wait` without a limit while a child ends, and then until a process that outlives the child has written
/// to the pipe. Calls the C library, because Python itself hides that a wait was cut short.
const WAITS_WHILE_CHILDREN_END: &str = r#"
import ctypes, os
c = ctypes.CDLL(None, use_errno=True)
r, w = os.pipe()
e = c.epoll_create1(0)
c.epoll_ctl(e, 1, r, (ctypes.c_uint32 * 3)(1, 0, 0))
parent = os.getpid()

def parent_waits():
    with open("/proc/%d/stat" % parent) as stat:
        return stat.read().rsplit(")")[1].split()[0] == "S"

if os.fork() == 0:
    while not parent_waits(): pass
    first = os.getpid()
    if os.fork() == 0:
        # Gone as soon as it is a zombie, or reaped by whoever has adopted the writer.
        while os.getppid() == first: pass
        while not parent_waits(): pass
        os.write(w, b"x")
        os._exit(0)
    os._exit(0)
result = c.epoll_wait(e, (ctypes.c_uint32 * 3)(), 1, -1)
print(result, os.strerror(ctypes.get_errno()) if result < 0 else "")
"#;

/// A shell with one job, the command it is given. When the job has said that it stops, Ctrl-Z is typed.
const SHELL_WITH_TERMINAL: &str = r#"
import os, pty, select, signal, sys
signal.alarm(60)
number, said = os.pipe()
os.set_inheritable(said, True)
shell, terminal = pty.fork()
if shell == 0:
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpgrp())
        # As an interactive shell does for its jobs: the tests may have been started in the background, without Ctrl-C.
        for key in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTOU:
            signal.signal(key, signal.SIG_DFL)
        os.dup2(said, 9)
        os.execvp(sys.argv[1], sys.argv[1:])
    _, status = os.waitpid(job, os.WUNTRACED)
    os.write(said, b"stopped\n" if os.WIFSTOPPED(status) else b"ended\n")
    os.tcsetpgrp(0, os.getpgrp())
    os.killpg(job, signal.SIGCONT)
    _, status = os.waitpid(job, 0)
    os.write(said, b"exit code %d\n" % os.WEXITSTATUS(status))
    os._exit(0)
os.close(said)
os.read(number, 1)
# Typed again until it is heeded: the job says that it stops before it does.
while not select.select([number], [], [], 0.1)[0]: os.write(terminal, b"\x1a")
with open(number) as lines: print(lines.read(), end="")
"#;

fn python(source: &str) -> Vec<&str> {
    vec!["python3", "-c", source]
}

/// Runs a program alone and under crashlens.
fn both(program: &[&str]) -> [Output; 2] {
    let alone = Command::new(program[0])
        .args(&program[1..])
        .output()
        .unwrap();
    let mut args = vec!["run", "--no-save", "--"];
    args.extend(program);
    [alone, crashlens(&args).output().unwrap()]
}

/// Runs a shell script in which `$CRASHLENS` stands for the command.
fn shell(folder: &Path, script: &str) -> Output {
    Command::new("bash")
        .args(["-c", script])
        .current_dir(folder)
        .env("CRASHLENS", env!("CARGO_BIN_EXE_crashlens"))
        .env("XDG_STATE_HOME", folder.join("state"))
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn a_program_started_with_sigchld_ignored_runs_to_its_end_and_still_ignores_it() {
    let folder = tempfile::tempdir().unwrap();
    let output = shell(
        folder.path(),
        "trap '' CHLD; exec $CRASHLENS run -- grep SigIgn /proc/self/status",
    );
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    let set = text.split_whitespace().last().unwrap();
    let set = u64::from_str_radix(set, 16).unwrap();
    assert_eq!(set >> 16 & 1, 1, "{text}");
}

#[test]
fn a_program_started_without_standard_error_has_none() {
    let folder = tempfile::tempdir().unwrap();
    let output = shell(
        folder.path(),
        "$CRASHLENS run -- sh -c 'test -e /proc/self/fd/2; echo $?' 2>&-",
    );
    assert_eq!(stdout(&output), "1\n");
}

#[test]
fn a_wait_without_limit_is_not_cut_short_by_a_child_that_ends() {
    let [alone, supervised] = both(&python(WAITS_WHILE_CHILDREN_END));
    assert_eq!(stdout(&alone).trim(), "1", "{}", stderr(&alone));
    assert_eq!(stdout(&supervised), stdout(&alone));
}

#[test]
fn a_wait_is_still_cut_short_by_a_signal_the_program_handles() {
    let source = r#"
import ctypes, os, signal
c = ctypes.CDLL(None, use_errno=True)
signal.signal(signal.SIGCHLD, lambda *_: None)
parent = os.getpid()
e = c.epoll_create1(0)
if os.fork() == 0:
    while open("/proc/%d/stat" % parent).read().rsplit(")")[1].split()[0] != "S": pass
    os._exit(0)
result = c.epoll_wait(e, (ctypes.c_uint32 * 3)(), 1, -1)
print(result, ctypes.get_errno())
"#;
    let [alone, supervised] = both(&python(source));
    assert_eq!(stdout(&alone), "-1 4\n", "{}", stderr(&alone));
    assert_eq!(stdout(&supervised), stdout(&alone));
}

#[test]
fn the_first_process_of_a_container_ends_of_its_own_fault() {
    let fault = [
        "unshare",
        "--user",
        "--pid",
        "--fork",
        "python3",
        "-c",
        "import ctypes; ctypes.string_at(0)",
    ];
    let alone = Command::new(fault[0]).args(&fault[1..]).output().unwrap();
    if stderr(&alone).contains("unshare failed") {
        // No namespaces for this user here; nothing to compare with.
        return;
    }
    let mut args = vec!["run", "--no-save", "--format", "json", "--"];
    args.extend(fault);
    let supervised = crashlens(&args).output().unwrap();
    assert_eq!(supervised.status, alone.status);
    let report: Report = serde_json::from_slice(&supervised.stderr).unwrap();
    let commands: Vec<_> = report
        .deaths
        .iter()
        .map(|death| death.command[0].as_str())
        .collect();
    assert!(commands[0].ends_with("python3"), "{commands:?}");
}

#[test]
fn an_abort_in_a_container_is_not_blamed_on_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let script = "unshare --user --pid --fork true || { echo skipped; exit; }
        $CRASHLENS run -- unshare --user --pid --fork sh -c '
            python3 -c \"import os; os.abort()\"; true'";
    let output = shell(folder.path(), script);
    if stdout(&output) == "skipped\n" {
        return;
    }
    let text = stderr(&output);
    assert!(text.contains("died of SIGABRT: it gave up"), "{text}");
}

#[test]
fn a_report_that_its_file_does_not_take_is_shown_instead_of_lost() {
    let folder = tempfile::tempdir().unwrap();
    let output = shell(
        folder.path(),
        "$CRASHLENS run -o /dev/full -- sh -c 'kill -SEGV $$'",
    );
    assert_eq!(output.status.signal(), Some(11));
    let text = stderr(&output);
    assert!(
        text.contains("cannot write the report to /dev/full"),
        "{text}"
    );
    assert!(text.contains("died of SIGSEGV"), "{text}");
}

#[test]
fn a_program_whose_privileges_the_kernel_withheld_is_named() {
    let folder = tempfile::tempdir().unwrap();
    // Only root can make such a program and then run crashlens as somebody else.
    let script = r#"
        test "$(id -u)" = 0 || { echo skipped; exit; }
        chmod 755 . && cp /usr/bin/id . && chmod 4755 id && cp $CRASHLENS crashlens
        as_nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
        program=$(python3 -c 'import sys; print(sys.executable)')
        $as_nobody test -x $program || program=/usr/bin/python3
        $as_nobody test -x $program || { echo skipped; exit; }
        test "$($as_nobody ./id -u)" = 0 || { echo skipped; exit; }
        $as_nobody ./crashlens run --format json -- $program -c 'import os; os.execv("./id", ["id", "-u"])'"#;
    let output = shell(folder.path(), script);
    if stdout(&output) == "skipped\n" {
        return;
    }
    let text = stderr(&output);
    let report: Report = serde_json::from_str(&text).expect(&text);
    let part = &report.run.gaps[0].part;
    assert!(part.starts_with("the privileges of "), "{part}");
}

#[test]
fn ctrl_z_gives_the_terminal_back_also_from_a_program_that_stopped_itself() {
    let job = "trap '' TSTP; echo >&9; kill -STOP $$; exit 4";
    let mut args = python(SHELL_WITH_TERMINAL);
    args.extend([env!("CARGO_BIN_EXE_crashlens"), "run", "--"]);
    args.extend(["sh", "-c", job]);
    let output = Command::new(args[0]).args(&args[1..]).output().unwrap();
    let text = stdout(&output);
    assert_eq!(text, "stopped\nexit code 4\n", "{}", stderr(&output));
}

#[test]
fn bytes_pass_through_a_program_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let script = "head -c 3000000 /dev/urandom > in
        $CRASHLENS run -- sh -c 'tee /dev/stderr' < in > out 2> err
        cmp in out && cmp in err && echo same";
    let output = shell(folder.path(), script);
    assert_eq!(stdout(&output), "same\n");
}
