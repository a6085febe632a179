//! What the caller of crashlens sees of the program: bytes and status, as without it.

use std::process::{Command, Stdio};

use crate::support::{Supervised, python, run, run_shell, words};

#[test]
fn output_and_status_are_those_of_the_program_alone() {
    let programs: [&[&str]; 6] = [
        &[
            "/bin/sh",
            "-c",
            "printf 'a\\0b\\n\\377'; echo err >&2; exit 5",
        ],
        &["/bin/sh", "-c", "cat; exit 0"],
        &[
            python(),
            "-c",
            "import os; print(os.environ.get('HOME'), os.getcwd(), os.isatty(2))",
        ],
        &[
            python(),
            "-c",
            "import signal; print([signal.getsignal(n) for n in range(1, 32)])",
        ],
        &[
            python(),
            "-c",
            "import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, []))",
        ],
        &[
            python(),
            "-c",
            "import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))",
        ],
    ];
    for program in programs {
        let alone = Command::new(program[0])
            .args(&program[1..])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let supervised = run(program);
        assert_eq!(
            supervised.stdout,
            String::from_utf8_lossy(&alone.stdout),
            "{program:?}"
        );
        assert_eq!(
            supervised.stderr,
            String::from_utf8_lossy(&alone.stderr),
            "{program:?}"
        );
        assert_eq!(supervised.code, alone.status.code(), "{program:?}");
    }
}

#[test]
fn a_signal_becomes_128_and_its_number_and_the_true_status_is_kept() {
    let finished = run_shell("kill -SEGV $$");
    assert_eq!(finished.code, Some(139));
    assert_eq!(finished.ended.unwrap()["wait_status"], 11);
}

#[test]
fn a_program_that_is_not_there_gives_127() {
    let finished = run(&["crashlens-no-such-program"]);
    assert_eq!(finished.code, Some(127));
    let failed = finished.failed.unwrap();
    assert_eq!(failed["error"], "cannot find crashlens-no-such-program");
    assert!(
        failed["help"]
            .as_str()
            .is_some_and(|help| help.contains("PATH"))
    );
}

#[test]
fn a_program_that_cannot_be_executed_gives_126() {
    let finished = run(&["/etc/passwd"]);
    assert_eq!(finished.code, Some(126));
    assert_eq!(
        finished.failed.unwrap()["error"],
        "cannot execute /etc/passwd"
    );
}

#[test]
fn without_a_program_crashlens_itself_fails() {
    assert_eq!(Supervised::new(["run"]).finish().code, Some(125));
}

#[test]
fn a_broken_pipe_ends_the_program_as_without_crashlens() {
    let mut supervised = Supervised::new(words(&[
        "run",
        "/bin/sh",
        "-c",
        "read go; echo x; echo y; exit 3",
    ]));
    let (reader, writer) = std::io::pipe().unwrap();
    supervised.command.stdout(writer);
    drop(reader);
    let mut child = supervised.command.spawn().unwrap();
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(128 + libc::SIGPIPE));
    drop(supervised);
}

#[test]
fn an_inherited_signal_mask_and_ignored_signals_reach_the_program() {
    let outer = "import os, signal, sys\n\
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGTERM])\n\
        signal.signal(signal.SIGHUP, signal.SIG_IGN); signal.signal(signal.SIGPIPE, signal.SIG_IGN)\n\
        os.execv(sys.argv[1], sys.argv[1:])";
    let inner = "grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status";
    let alone = Command::new(python())
        .args(["-c", outer, "/bin/sh", "-c", inner])
        .output()
        .unwrap();
    let seen = tempfile::NamedTempFile::new().unwrap();
    let supervised = Command::new(python())
        .args(["-c", outer])
        .arg(crate::support::supervisor())
        .arg(seen.path())
        .args(["run", "/bin/sh", "-c", inner])
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&supervised.stdout),
        String::from_utf8_lossy(&alone.stdout)
    );
}
