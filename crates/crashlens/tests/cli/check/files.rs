//! `check data` and `check model`: what users see of files, sound and broken.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{crashlens, stderr, stdout};

/// A folder with a sound array, one that is cut short, an empty picture and a text.
pub(super) fn folder() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(place.path().join(name), bytes).unwrap();
    write("sound.npy", &array(64));
    write("cut.npy", &array(64)[..150]);
    write("empty.jpg", b"");
    write("notes.txt", b"nothing of interest");
    place
}

/// An `.npy` file of as many bytes as asked for.
pub(super) fn array(length: u8) -> Vec<u8> {
    let mut header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({length},), }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(0..length);
    bytes
}

pub(super) fn check(place: &Path, args: &[&str]) -> Command {
    let mut command = crashlens(&["check", "data"]);
    command.args(args).current_dir(place);
    command
}

/// A sound file of the corpus.
pub(super) fn base(name: &str) -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
    crates.join("../../corpus/files/base").join(name)
}

pub(super) fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().unwrap()
}

#[test]
fn broken_files_are_named_and_sound_ones_are_not() {
    let place = folder();
    let output = check(place.path(), &["."]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.contains("cut.npy is cut short"), "{text}");
    assert!(text.contains("empty.jpg is empty"), "{text}");
    assert!(!text.contains("sound.npy"), "{text}");
    let output = check(place.path(), &["sound.npy"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
}

#[test]
fn each_file_is_one_line_of_json_in_the_order_of_the_names() {
    let place = folder();
    let output = check(place.path(), &[".", "--format", "jsonl"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let lines = lines(&stdout(&output));
    let paths: Vec<_> = lines
        .iter()
        .map(|line| line["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        paths,
        ["./cut.npy", "./empty.jpg", "./notes.txt", "./sound.npy"]
    );
    assert_eq!(lines[0]["findings"][0]["name"], "cut-short");
    assert_eq!(lines[3]["findings"].as_array().unwrap().len(), 0);
}

#[test]
fn the_report_names_files_and_what_tensorflow_does() {
    let place = folder();
    let output = check(place.path(), &[".", "--format", "json"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let inspection = &report["inspections"][0];
    assert_eq!(inspection["kind"], "data");
    let findings = inspection["findings"].as_array().unwrap();
    let cut = findings
        .iter()
        .find(|it| it["name"] == "cut-short")
        .unwrap();
    assert_eq!(cut["files"][0], "./cut.npy");
    assert_eq!(cut["effects"][0]["does"], "raises");
}

#[test]
fn patterns_and_lists_say_what_is_checked() {
    let place = folder();
    let output = check(place.path(), &["*.npy", "--format", "jsonl"])
        .output()
        .unwrap();
    assert_eq!(lines(&stdout(&output)).len(), 2);
    fs::write(place.path().join("list"), "sound.npy\n\nempty.jpg\r\n").unwrap();
    let listed = ["--files-from", "list", "--format", "jsonl"];
    let output = check(place.path(), &listed).output().unwrap();
    assert_eq!(lines(&stdout(&output)).len(), 2);
    let list = fs::File::open(place.path().join("list")).unwrap();
    let output = check(place.path(), &["--files-from", "-", "--format", "jsonl"])
        .stdin(Stdio::from(list))
        .output()
        .unwrap();
    assert_eq!(lines(&stdout(&output)).len(), 2);
}

#[cfg(not(feature = "object-storage"))]
#[test]
fn a_build_without_object_storage_says_so_and_how_to_get_it() {
    let place = folder();
    fs::write(place.path().join("list"), "sound.npy\ngs://bucket/a.npy\n").unwrap();
    for args in [&["s3://bucket/train/"][..], &["--files-from", "list"]] {
        let output = check(place.path(), args).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let text = stderr(&output);
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains("--features object-storage"), "{text}");
    }
}

#[test]
fn what_is_not_there_is_no_finding_but_a_failure() {
    let place = folder();
    for path in ["no/such/file", "*.tfrecord"] {
        let output = check(place.path(), &[path]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{path}");
        assert!(stderr(&output).contains(path), "{path}");
    }
}

#[test]
fn bad_files_are_listed_and_moved_only_when_that_is_asked_for() {
    let place = folder();
    let output = check(place.path(), &[".", "--quarantine", "bad.txt"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let bad = fs::read_to_string(place.path().join("bad.txt")).unwrap();
    assert_eq!(bad, "./cut.npy\n./empty.jpg\n");
    assert!(place.path().join("cut.npy").exists());
    let away = tempfile::tempdir_in(place.path()).unwrap();
    let folder = away.path().to_str().unwrap();
    let output = check(place.path(), &["cut.npy", "sound.npy", "--move-to", folder])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(away.path().join("cut.npy").exists());
    assert!(!place.path().join("cut.npy").exists());
    assert!(place.path().join("sound.npy").exists());
}

#[test]
fn a_file_whose_name_is_not_utf_8_is_read_listed_and_moved() {
    let place = folder();
    let name = OsStr::from_bytes(b"caf\xe9.npy");
    fs::write(place.path().join(name), array(64)).unwrap();
    let output = check(place.path(), &["--format", "jsonl"])
        .arg(name)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    fs::write(place.path().join(name), &array(64)[..150]).unwrap();
    let list = [name.as_bytes(), b"\n"].concat();
    fs::write(place.path().join("list"), &list).unwrap();
    let bad = [
        "--files-from",
        "list",
        "--quarantine",
        "bad",
        "--move-to",
        "moved",
    ];
    let output = check(place.path(), &bad).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert_eq!(fs::read(place.path().join("bad")).unwrap(), list);
    assert!(place.path().join("moved").join(name).exists());
}

#[test]
fn a_file_that_another_process_writes_is_told() {
    let place = folder();
    let mut writer = Command::new("python3")
        .args([
            "-c",
            "f = open('sound.npy', 'ab'); print('open', flush=True); input()",
        ])
        .current_dir(place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = [0; 5];
    std::io::Read::read_exact(writer.stdout.as_mut().unwrap(), &mut said).unwrap();
    let output = check(place.path(), &["sound.npy"]).output().unwrap();
    drop(writer.stdin.take());
    writer.wait().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(
        text.contains("is being written by another process"),
        "{text}"
    );
    assert!(text.contains("python3"), "{text}");
}

#[test]
fn copies_are_worth_knowing() {
    let place = folder();
    fs::copy(
        place.path().join("sound.npy"),
        place.path().join("again.npy"),
    )
    .unwrap();
    let output = check(place.path(), &["again.npy", "sound.npy"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("its bytes are those of again.npy"));
}

#[test]
fn pictures_beside_a_model_are_nobodys_business() {
    let place = folder();
    let output = crashlens(&["check", "model", "."])
        .current_dir(place.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.contains("cut.npy"), "{text}");
    assert!(!text.contains("empty.jpg"), "{text}");
}
