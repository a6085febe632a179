//! Recorded deaths of one program under every interpreter: read again, they give the stacks they were saved with.

use std::fs;
use std::path::{Path, PathBuf};

use crashlens_core::{CaptureFile, Frame, FrameTrust, Gaps, PythonFrame, Thread};
use crashlens_unwind::replay;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Every recording, with the interpreter's version.
fn recordings() -> Vec<(String, CaptureFile)> {
    let folder = fs::read_dir(fixtures().join("snapshots")).unwrap();
    let recordings = folder.map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, CaptureFile::read(&fs::read(path).unwrap()).unwrap())
    });
    recordings.collect()
}

fn python_frames(thread: &Thread) -> Vec<&PythonFrame> {
    let frames = thread.frames.iter().filter_map(|frame| match frame {
        Frame::Python(python) => Some(python),
        Frame::Native(_) => None,
    });
    frames.collect()
}

#[test]
fn there_is_a_recording_of_every_version_that_is_supported() {
    let names: Vec<String> = recordings().into_iter().map(|(name, _)| name).collect();
    for version in [
        "2.7", "3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14",
    ] {
        assert!(
            names.contains(&format!("python-{version}")),
            "{version} in {names:?}"
        );
    }
    assert!(
        names.contains(&"python-3.11-system".to_owned()),
        "a static, stripped build in {names:?}"
    );
}

#[test]
fn a_replay_gives_the_stacks_that_were_saved() {
    for (name, file) in recordings() {
        let stacks = replay(&file.recording.unwrap(), &mut Gaps::default()).unwrap();
        assert_eq!(stacks.threads, file.capture.threads, "{name}");
        assert_eq!(stacks.python, file.capture.environment.python, "{name}");
    }
}

#[test]
fn every_version_shows_the_python_lines_that_led_to_the_fault() {
    let program = fs::read_to_string(fixtures().join("programs/deep.py")).unwrap();
    let path = [
        ("read_header", "return ctypes.string_at(address)"),
        ("headers", "yield read_header(address)"),
        ("load", "for header in headers(addresses):"),
        ("main", "load([0])"),
        ("<module>", "main()"),
    ];
    for (name, file) in recordings() {
        let crashed = &file.capture.threads[0];
        assert!(crashed.crashed, "{name}");
        let own: Vec<_> = python_frames(crashed)
            .into_iter()
            .filter(|frame| frame.file.ends_with("deep.py"))
            .collect();
        let shown: Vec<_> = own
            .iter()
            .map(|frame| {
                (
                    frame.function.as_str(),
                    frame.source.as_deref().unwrap_or("?"),
                )
            })
            .collect();
        assert_eq!(shown, path, "{name}");
        for frame in own {
            let line = program.lines().nth(frame.line.unwrap() as usize - 1);
            assert_eq!(line.map(str::trim), frame.source.as_deref(), "{name}");
            assert_eq!(
                frame.trust,
                FrameTrust::Interpreter,
                "{name}: {}",
                frame.function
            );
        }
    }
}

#[test]
fn every_version_shows_the_thread_that_waited() {
    for (name, file) in recordings() {
        let waits = |thread: &Thread| {
            python_frames(thread)
                .iter()
                .any(|frame| frame.function == "wait_for_work")
                && !thread.crashed
        };
        assert!(file.capture.threads.iter().any(waits), "{name}");
    }
}
