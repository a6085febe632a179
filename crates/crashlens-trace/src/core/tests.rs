//! What is kept of the words in a core.

use std::process::Command;

use crashlens_core::{EndingKind, Signal};
use crashlens_unwind::NoFiles;

use super::{Masks, read_core_with};

#[test]
fn every_argument_and_variable_passes_the_masks() {
    let folder = tempfile::tempdir().unwrap();
    let script = "ulimit -c unlimited; exec sh -c 'kill -SEGV $$' --password hunter2";
    Command::new("sh")
        .args(["-c", script])
        .env("API_KEY", "hunter2")
        .current_dir(&folder)
        .output()
        .unwrap();
    let found = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .next();
    // Where a collector takes the cores, there is no word to mask.
    let Some(path) = found else { return };
    let masks = Masks {
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
    let capture = read_core_with(&path, &NoFiles, &masks).unwrap().capture;
    assert_eq!(
        capture.process.command,
        ["sh", "-c", "kill -SEGV $$", "--password", "*"]
    );
    assert_eq!(
        capture.environment.variables.known().unwrap()["API_KEY"],
        "*"
    );
    assert_eq!(
        (capture.ending.kind, capture.ending.signal),
        (EndingKind::Signal, Some(Signal::SEGV))
    );
    assert_eq!(capture.ending.code.as_deref(), Some("SI_USER"));
    assert!(!serde_json::to_string(&capture).unwrap().contains("hunter2"));
    let hidden = super::read_core(&path).unwrap().capture;
    assert!(!serde_json::to_string(&hidden).unwrap().contains("hunter2"));
}
