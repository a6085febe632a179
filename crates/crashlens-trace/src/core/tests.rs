//! What is kept of the words in a core.

use std::process::Command;
use std::sync::Arc;

use crashlens_core::{CrashCapture, EndingKind, Gaps, Observed, Signal, Testimony};
use crashlens_unwind::core_file::InitialStack;
use crashlens_unwind::{CoreFile, NoFiles, Stacks};

use super::{Masks, facts, read_core, read_core_with};

const MASKS: Masks = Masks {
    command: |arguments| {
        arguments
            .iter()
            .map(|word| word.replace("hunter2", "*"))
            .collect()
    },
    variables: |variables| {
        let kept = variables.iter().filter(|(name, _)| name == "API_KEY");
        kept.map(|(name, value)| (name.clone(), value.replace("hunter2", "*")))
            .collect()
    },
};

fn assert_masked(capture: &CrashCapture) {
    assert_eq!(
        capture.process.command,
        ["sh", "-c", "kill -SEGV $$", "--password", "*"]
    );
    assert_eq!(
        capture.environment.variables.known().unwrap()["API_KEY"],
        "*"
    );
    assert!(!serde_json::to_string(&capture).unwrap().contains("hunter2"));
}

#[test]
fn every_argument_and_variable_passes_the_masks() {
    let mut header = vec![0; 64];
    header[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    header[16..19].copy_from_slice(&[4, 0, 62]);
    let core = CoreFile::parse(Arc::new(header)).unwrap();
    let stacks = Stacks {
        threads: Vec::new(),
        modules: Vec::new(),
        python: Observed::Absent,
        testimony: Testimony::default(),
        signal: None,
        recording: Vec::new(),
    };
    let words = InitialStack {
        arguments: ["sh", "-c", "kill -SEGV $$", "--password", "hunter2"]
            .map(str::to_owned)
            .to_vec(),
        variables: [("API_KEY", "hunter2"), ("OTHER", "hunter2")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        skipped: 0,
    };
    let file = facts::capture(
        &core,
        core.snapshot(),
        stacks,
        Ok(words),
        &MASKS,
        &NoFiles,
        Gaps::default(),
    );
    assert_masked(&file.capture);
}

#[test]
fn the_core_of_a_real_process_keeps_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let script = "ulimit -c unlimited; exec sh -c 'kill -SEGV $$' --password hunter2";
    let mut shell = Command::new("sh");
    shell
        .args(["-c", script])
        .env("API_KEY", "hunter2")
        .current_dir(&folder)
        .output()
        .unwrap();
    let mut found = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    // Where a collector takes the cores, nothing is there to read; the test above asks the same of made-up words.
    if let Some(path) = found.next() {
        let capture = read_core_with(&path, &NoFiles, &MASKS, true)
            .unwrap()
            .capture;
        assert_masked(&capture);
        let ending = &capture.ending;
        assert_eq!(
            (ending.kind, ending.signal),
            (EndingKind::Signal, Some(Signal::SEGV))
        );
        assert_eq!(ending.code.as_deref(), Some("SI_USER"));
        let strict = read_core(&path, true).unwrap().capture;
        assert!(!serde_json::to_string(&strict).unwrap().contains("hunter2"));
    }
}
