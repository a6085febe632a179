//! Limits that are meant for the program, and apply to crashlens too.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::stderr;

/// Dies of a null pointer, with as little memory as Python can do with.
const DIES: [&str; 4] = ["python3", "-S", "-c", "import ctypes; ctypes.string_at(0)"];

/// Runs the words under a limit that cannot be raised again.
fn limited(limit: &str, folder: &Path, words: &[&str]) -> Output {
    let script = format!("ulimit {limit}; exec \"$@\"");
    let mut command = if nix::unistd::geteuid().is_root() {
        // Root may raise its limits, unless this capability is gone.
        let mut command = Command::new("setpriv");
        command.args(["--bounding-set", "-sys_resource", "--", "sh"]);
        command
    } else {
        Command::new("sh")
    };
    command
        .args(["-c", &script, "sh"])
        .args(words)
        .env("XDG_STATE_HOME", folder)
        .output()
        .unwrap()
}

fn supervised(limit: &str, folder: &Path, words: &[&str]) -> Output {
    let crashlens = [env!("CARGO_BIN_EXE_crashlens"), "run", "--"];
    limited(limit, folder, &[&crashlens, words].concat())
}

#[test]
fn a_limit_on_memory_changes_no_ending() {
    let folder = tempfile::tempdir().unwrap();
    let version = [env!("CARGO_BIN_EXE_crashlens"), "--version"];
    let can_start = |kibibytes: &u32| {
        let output = limited(&format!("-v {kibibytes}"), folder.path(), &version);
        output.status.success()
    };
    let least = (10_000..500_000).step_by(1000).find(can_start).unwrap();
    // With a little more, memory runs out in every part of the work.
    let tight = (least..least + 16_000).step_by(1000);
    for kibibytes in tight.chain([100_000, 200_000]) {
        let limit = format!("-v {kibibytes}");
        for program in [&DIES[..], &["sh", "-c", "exit 7"]] {
            let alone = limited(&limit, folder.path(), program).status;
            let output = supervised(&limit, folder.path(), program);
            let text = stderr(&output);
            if output.status.code() == Some(125) {
                assert!(text.contains("out of memory"), "{limit} {text}");
                continue;
            }
            let ending = (output.status.code(), output.status.signal());
            assert_eq!(ending, (alone.code(), alone.signal()), "{limit} {text}");
        }
    }
}

/// Asks for its end when it is watched, or cannot be.
const ENDS_ITSELF: &str = "import os, signal
print(os.getpid(), flush=True)
input()
os.kill(os.getpid(), signal.SIGSEGV)
os._exit(7)";

#[test]
fn a_program_that_is_watched_with_too_little_memory_gets_its_signals() {
    let folder = tempfile::tempdir().unwrap();
    for kibibytes in (20_000..34_000).step_by(1000) {
        let mut program = Command::new("python3")
            .args(["-Sc", ENDS_ITSELF])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(program.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let attach = [env!("CARGO_BIN_EXE_crashlens"), "attach", "--detach"];
        let report = folder.path().join("report").display().to_string();
        let words = [&attach[..], &["--output", &report, line.trim()]].concat();
        // It returns when the program is watched, or when that has failed.
        limited(&format!("-v {kibibytes}"), folder.path(), &words);
        program.stdin.take().unwrap().write_all(b"\n").unwrap();
        let status = program.wait().unwrap();
        assert_eq!(status.signal(), Some(11), "{kibibytes} KiB: {status}");
    }
}

#[test]
fn a_report_is_made_with_little_memory_and_says_what_was_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let output = supervised("-v 150000", folder.path(), &DIES);
    let text = stderr(&output);
    assert!(text.contains("died of SIGSEGV"), "{text}");
    assert!(text.contains("ulimit -v"), "{text}");
}

#[test]
fn a_limit_on_files_leaves_nothing_unfinished_behind() {
    let folder = tempfile::tempdir().unwrap();
    let output = supervised("-f 0", folder.path(), &DIES);
    let text = stderr(&output);
    assert_eq!(output.status.signal(), Some(11), "{text}");
    assert!(text.contains("died of SIGSEGV"), "{text}");
    let files = walk(folder.path());
    assert!(files.is_empty(), "{files:?}");
}

/// All files below a folder.
fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files
}
