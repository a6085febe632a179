//! How a program ends, and that it goes on when its helper ends.

use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Output, Stdio};

use super::{ALONE, WATCHED, assert_alike, python, run};
use crate::{stderr, stdout};

/// Asserts that a program ends in the same way alone and watched, whatever is said; gives both.
fn assert_ends_alike(program: &str) -> [Output; 2] {
    let both = [ALONE, WATCHED].map(|prelude| run(&format!("{prelude}{program}")));
    assert_eq!(both[1].status.into_raw(), both[0].status.into_raw());
    assert_eq!(stdout(&both[1]), stdout(&both[0]));
    both
}

#[test]
fn exit_statuses_are_those_of_the_program() {
    for (end, status) in [
        ("import os; os._exit(3)", 3),
        ("import sys; sys.exit(4)", 4),
        ("import atexit; atexit.register(print, 'bye')", 0),
        (
            "import threading; threading.Thread(target=print).start()",
            0,
        ),
    ] {
        let [alone, watched] = assert_ends_alike(&format!("enable()\n{end}"));
        assert_eq!(alone.status.code(), Some(status), "{end}");
        assert_eq!(stderr(&watched), "", "{end}");
    }
}

#[test]
fn an_exception_ends_a_program_as_it_does_alone() {
    let [alone, watched] = assert_ends_alike("enable()\nraise ValueError('wrong')");
    let last = |output: &Output| stderr(output).lines().last().unwrap().to_owned();
    assert_eq!(alone.status.code(), Some(1));
    assert_eq!(last(&watched), last(&alone));
    assert!(!stderr(&watched).contains("crashlens:"));
}

#[test]
fn a_request_to_end_ends_a_program_without_a_word() {
    for signal in ["SIGTERM", "SIGHUP"] {
        let program = format!("import os, signal\nenable()\nos.kill(os.getpid(), signal.{signal})");
        let [alone, watched] = assert_ends_alike(&program);
        assert!(alone.status.signal().is_some());
        assert_eq!(stderr(&watched), "", "{signal}");
    }
}

#[test]
fn control_c_ends_a_program_as_it_does_alone() {
    // The shell that ran the tests may have them ignore the key.
    let [alone, watched] = assert_ends_alike(
        "import os, signal\n\
        signal.signal(signal.SIGINT, signal.default_int_handler)\n\
        enable()\n\
        os.kill(os.getpid(), signal.SIGINT)",
    );
    assert_eq!(alone.status.signal(), Some(2));
    assert!(stderr(&watched).ends_with("KeyboardInterrupt\n"));
}

#[test]
fn a_crash_ends_a_program_by_the_same_signal() {
    for (signal, end) in [
        (11, "import ctypes; ctypes.string_at(0)"),
        (6, "import os; os.abort()"),
        (11, "import os; os.kill(os.getpid(), 11)"),
        (9, "import os; os.kill(os.getpid(), 9)"),
    ] {
        let [alone, watched] = assert_ends_alike(&format!("enable()\n{end}"));
        assert_eq!(alone.status.signal(), Some(signal), "{end}");
        assert_eq!(stderr(&alone), "");
        assert!(stderr(&watched).contains(" died of "), "{end}");
    }
}

#[test]
fn the_end_of_the_helper_leaves_the_program_as_it_is() {
    for signal in ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"] {
        let said = run(&format!(
            r"
import crashlens, os, signal, subprocess, threading
from crashlens._status import tracer
threading.Thread(target=threading.Event().wait, daemon=True).start()
child = subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for _ in range(3):
    assert crashlens.enable()
    os.kill(tracer().pid, signal.{signal})
    while tracer(): pass
    assert not crashlens.is_enabled()
print(child.communicate(b'through')[0], child.returncode)
"
        ));
        assert_eq!(stderr(&said), "", "{signal}");
        assert_eq!(stdout(&said), "b'through' 0\n", "{signal}");
        assert!(said.status.success(), "{signal}");
    }
}

#[test]
fn what_is_disabled_is_not_watched_and_can_be_enabled_again() {
    let said = assert_alike(
        r"
import os
disable()
for _ in range(3):
    enable()
    disable()
    disable()
child = os.fork()
if child == 0: os.kill(os.getpid(), 11)
print(os.waitpid(child, 0)[1] & 127)
",
    );
    assert_eq!(said, "11\n");
}

#[test]
fn a_child_cannot_disable_what_its_parent_has_enabled() {
    let said = run(r"
import crashlens, os
crashlens.enable()
child = os.fork()
if child == 0:
    crashlens.disable()
    os._exit(crashlens.is_enabled())
print(os.waitpid(child, 0)[1], crashlens.is_enabled())
");
    assert_eq!(
        (stdout(&said), stderr(&said)),
        ("256 True\n".into(), String::new())
    );
}

#[test]
fn a_helper_ends_with_its_program_and_keeps_none_of_its_files_open() {
    let folder = tempfile::tempdir().unwrap();
    let program = r"
import crashlens, os
crashlens.enable()
helper = crashlens._status.tracer().pid
print([os.readlink('/proc/%d/fd/%d' % (helper, number)) for number in range(3)])
print(os.getsid(helper) == helper, os.getppid() != helper)
";
    let mut child = python(folder.path())
        .args(["-c", program])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let [mut said, mut errors] = [String::new(), String::new()];
    // Both end although the helper may still be there.
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    assert_eq!(errors, "");
    assert_eq!(
        said,
        format!("{:?}\nTrue True\n", ["/dev/null"; 3]).replace('"', "'")
    );
    assert!(child.wait().unwrap().success());
}
