//! `diagnose` on input that is not there yet.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStderr, Command, Stdio};

use crate::{crashlens, stdout};

/// A command that has said what it waits for.
struct Waiting {
    child: Child,
    said: String,
    /// Where it may say more.
    _stderr: BufReader<ChildStderr>,
}

impl Waiting {
    fn on(path: &str) -> Self {
        let mut child = crashlens(&["diagnose", path])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        stderr.read_line(&mut said).unwrap();
        Self {
            child,
            said,
            _stderr: stderr,
        }
    }
}

fn pipe() -> (tempfile::TempDir, String) {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("pipe").to_str().unwrap().to_owned();
    let made = Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    (place, path)
}

#[test]
fn a_pipe_without_a_writer_is_named_and_read_when_there_is_one() {
    let (_place, path) = pipe();
    let waiting = Waiting::on(&path);
    assert_eq!(
        waiting.said,
        format!(
            "crashlens: waiting for {path}, which is read to its end; Ctrl-C stops crashlens\n"
        )
    );
    let mut writer = fs::OpenOptions::new().write(true).open(&path).unwrap();
    writer.write_all(b"Segmentation fault\n").unwrap();
    drop(writer);
    let output = waiting.child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(text.contains("died of SIGSEGV"), "{text}");
}

#[test]
fn ctrl_c_ends_the_waiting_as_it_ends_any_program() {
    let (_place, path) = pipe();
    for path in [&path, "-"] {
        let mut waiting = Waiting::on(path);
        assert!(waiting.said.contains("waiting for"), "{}", waiting.said);
        let pid = waiting.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().unwrap();
        assert!(sent.success());
        assert_eq!(waiting.child.wait().unwrap().signal(), Some(2));
    }
}

#[test]
fn a_core_dump_from_a_pipe_is_read_like_one_from_standard_input() {
    let (_place, path) = pipe();
    let child = crashlens(&["diagnose", &path])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut core = vec![0; 64];
    core[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    core[16..21].copy_from_slice(&[4, 0, 62, 0, 1]);
    fs::write(&path, &core).unwrap();
    let from_pipe = child.wait_with_output().unwrap();
    let mut child = crashlens(&["diagnose", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&core).unwrap();
    let from_stdin = child.wait_with_output().unwrap();
    assert_eq!(from_pipe.status, from_stdin.status);
    assert_eq!(stdout(&from_pipe), stdout(&from_stdin));
}
