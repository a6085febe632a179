//! Where a process cannot be watched, one line says why, and the program goes on.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::{PACKAGE, python, run, with_package};
use crate::{stderr, stdout};

const LAUNCHER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../crashlens-trace/tests/it/scripts/denied.py"
);
const PROGRAM: &str = env!("CARGO_BIN_EXE_crashlens");
const ENABLES: &str = "import crashlens, faulthandler\n\
    print(crashlens.enable(), crashlens.is_enabled(), faulthandler.is_enabled())\n\
    crashlens.disable()\n\
    print(faulthandler.is_enabled())\n";

/// Asserts that a program was not watched, said so in one line, and went on with faulthandler; gives the reason.
fn assert_refused(output: &Output) -> String {
    let said = stderr(output);
    assert_eq!(stdout(output), "False False True\nFalse\n", "{said}");
    assert!(output.status.success());
    let [line] = said.lines().collect::<Vec<_>>()[..] else {
        panic!("not one line: {said}");
    };
    let reason = line
        .strip_prefix("crashlens: cannot watch this process: ")
        .unwrap();
    let reason = reason
        .strip_suffix("; faulthandler is enabled instead")
        .unwrap();
    reason.to_owned()
}

fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

#[test]
fn a_process_that_strace_traces_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let strace = command(
        "strace",
        &["-f", "-o", "/dev/null", "python3", "-c", ENABLES],
    );
    let output = with_package(strace, folder.path()).output().unwrap();
    let reason = assert_refused(&output);
    assert!(reason.contains("is already traced by process"), "{reason}");
    assert!(reason.contains("(strace)"), "{reason}");
}

#[test]
fn a_debugger_is_kept_out_until_the_program_disables_crashlens() {
    let output = run(r"
import crashlens, os, subprocess
crashlens.enable()
def attach():
    batch = ['gdb', '-nx', '-batch', '-ex', 'detach', '-p', str(os.getpid())]
    done = subprocess.run(batch, capture_output=True, text=True)
    return 'Operation not permitted' in done.stdout + done.stderr
print(attach())
crashlens.disable()
print(attach())
");
    assert_eq!(stdout(&output), "True\nFalse\n", "{}", stderr(&output));
}

#[test]
fn a_process_to_which_ptrace_is_refused_says_so() {
    for errno in ["1", "38"] {
        let folder = tempfile::tempdir().unwrap();
        let interpreter = stdout(&run("import sys; print(sys.executable)"));
        let python = [LAUNCHER, "101", errno, interpreter.trim(), "-c", ENABLES];
        let denied = with_package(command("python3", &python), folder.path());
        let reason = assert_refused(&{ denied }.output().unwrap());
        assert!(
            reason.starts_with("not permitted to trace process"),
            "{reason}"
        );
    }
}

/// A shell script in place of the program.
fn script(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("script");
    std::fs::write(&path, format!("#!/bin/sh\n{text}")).unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    path
}

/// What an unprivileged user needs, where he can read it: an interpreter, the package and the program.
struct ForEverybody(tempfile::TempDir);

impl ForEverybody {
    /// Nothing where the tests are not run as root.
    fn new() -> Option<Self> {
        let has_python = Path::new("/usr/bin/python3").exists();
        if !nix::unistd::geteuid().is_root() || !has_python {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let all = folder.path().to_str().unwrap();
        let copy = "cp -r \"$0\" \"$1\" \"$2\" && mkdir \"$2/state\" && chmod -R a+rX \"$2\" && chmod a+w \"$2/state\"";
        let copied = command("sh", &["-c", copy, PACKAGE, PROGRAM, all]).status();
        assert!(copied.unwrap().success());
        Some(Self(folder))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, program: &str) -> Output {
        let setpriv = ["--reuid=65534", "--regid=65534", "--clear-groups"];
        let mut run = command("setpriv", &setpriv);
        run.args(["/usr/bin/python3", "-c", program]);
        with_package(run, &self.path("state"))
            .env("PYTHONPATH", self.path("python"))
            .env("CRASHLENS_BINARY", self.path("crashlens"))
            .output()
            .unwrap()
    }
}

#[test]
fn a_user_without_privileges_can_watch_his_own_processes() {
    let Some(room) = ForEverybody::new() else {
        return;
    };
    let output = room.run("import crashlens, os\nassert crashlens.enable()\nos.abort()");
    let said = stderr(&output);
    assert!(said.contains("died of SIGABRT"), "{said}");
}

#[test]
fn a_process_that_forbids_to_be_read_is_not_watched() {
    const PR_SET_DUMPABLE: u32 = 4;
    let Some(room) = ForEverybody::new() else {
        return;
    };
    let forbids = format!("import ctypes\nctypes.CDLL(None).prctl({PR_SET_DUMPABLE}, 0)\n");
    let reason = assert_refused(&room.run(&(forbids + ENABLES)));
    assert!(
        reason.starts_with("not permitted to trace process"),
        "{reason}"
    );
}

#[test]
fn a_missing_program_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let output = python(folder.path())
        .env("CRASHLENS_BINARY", folder.path().join("crashlens"))
        .args(["-c", ENABLES])
        .output()
        .unwrap();
    let reason = assert_refused(&output);
    assert_eq!(
        reason,
        "the crashlens program is missing; install the package again"
    );
}

#[test]
fn what_a_handler_of_the_program_raises_meanwhile_is_for_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let alarms = format!("kill -ALRM $PPID\nexec \"{PROGRAM}\" \"$@\"\n");
    let program = "import crashlens, signal\n\
        def handler(*_): raise TimeoutError('too late')\n\
        signal.signal(signal.SIGALRM, handler)\n\
        try: crashlens.enable()\n\
        except TimeoutError as error: print(error)\n\
        print(crashlens.is_enabled(), crashlens.enable())\n\
        print(signal.pthread_sigmask(signal.SIG_BLOCK, []))\n";
    let output = python(folder.path())
        .env("CRASHLENS_BINARY", script(folder.path(), &alarms))
        .args(["-c", program])
        .output()
        .unwrap();
    assert_eq!(
        (stdout(&output), stderr(&output)),
        ("too late\nTrue True\nset()\n".to_owned(), String::new())
    );
}

#[test]
fn another_program_in_its_place_is_survived() {
    let folder = tempfile::tempdir().unwrap();
    for program in ["/bin/true", "/bin/false", "/bin/cat", "/bin/yes"] {
        let output = python(folder.path())
            .env("CRASHLENS_BINARY", program)
            .args(["-c", ENABLES])
            .output()
            .unwrap();
        assert_refused(&output);
    }
}

#[test]
fn wrong_arguments_are_said_and_raise_nothing() {
    for (arguments, reason) in [
        (
            "file='/nowhere/report'",
            "file='/nowhere/report' is in a folder that does not exist",
        ),
        (
            "save='/nowhere/kept'",
            "save='/nowhere/kept' is in a folder that does not exist",
        ),
        ("save='/'", "save='/' is a folder; name a file"),
        ("file=99", "file=99 is not open"),
        ("file=-1", "file=-1 is not open"),
        ("file='/dev/fd/99'", "file='/dev/fd/99' is not open"),
        (
            "file=True",
            "file=True is not a path, an open file or its descriptor",
        ),
        (
            "file=...",
            "file=Ellipsis is not a path, an open file or its descriptor",
        ),
        ("save=7", "save=7 is not a path"),
        ("save='nul\\0byte'", "save='nul\\x00byte' is not a path"),
        (
            "hang_after='soon'",
            "hang_after='soon' is not a usable number of seconds",
        ),
        (
            "hang_after=1e30",
            "hang_after=1e+30 is not a usable number of seconds",
        ),
        (
            "hang_after=float('inf')",
            "hang_after=inf is not a usable number of seconds",
        ),
        ("on_death=7", "on_death=7 is not a shell command"),
    ] {
        let program = ENABLES.replace("enable()", &format!("enable({arguments})"));
        assert_eq!(assert_refused(&run(&program)), reason);
    }
}

#[test]
fn a_helper_that_has_come_with_a_failure_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let failing = format!("\"{PROGRAM}\" \"$@\"\nexit 1\n");
    let output = python(folder.path())
        .env("CRASHLENS_BINARY", script(folder.path(), &failing))
        .args(["-c", ENABLES])
        .output()
        .unwrap();
    assert_refused(&output);
}

#[test]
fn a_program_that_has_its_own_faulthandler_keeps_it() {
    let enables = ENABLES.replace("enable()", "enable(file='/nowhere/report')");
    let output = run(&format!(
        "import faulthandler\nfaulthandler.enable()\n{enables}"
    ));
    assert_eq!(stdout(&output), "False False True\nTrue\n");
    assert!(!stderr(&output).contains("instead"));
}

#[test]
fn a_process_in_a_pid_namespace_without_its_own_proc_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let unshare = command("unshare", &["--pid", "--fork", "python3", "-c", ENABLES]);
    let output = with_package(unshare, folder.path()).output().unwrap();
    if stderr(&output).starts_with("unshare:") {
        return;
    }
    assert_eq!(
        assert_refused(&output),
        "/proc is that of another PID namespace"
    );
}
