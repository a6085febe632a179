//! Asks a real loader.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use crashlens_core::survey::OpenedBefore;
use serde::Serialize;

const SCRIPT: &str = include_str!("open.py");

/// Files that are opened after the same libraries.
#[derive(Debug, Serialize)]
struct Group<'a> {
    before: Vec<(&'a str, bool)>,
    files: Vec<&'a Path>,
}

/// What the loader says of each file when it is opened after what the prediction takes to be there before it: nothing
/// where it opens it, or its words.
pub fn ask(python: &Path, files: &[(&Path, &[OpenedBefore])]) -> Result<Vec<Option<String>>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut places = Vec::new();
    for (file, before) in files {
        let before: Vec<_> = before
            .iter()
            .map(|one| (one.path.as_str(), one.globally))
            .collect();
        let group = groups.iter().position(|group| group.before == before);
        let group = group.unwrap_or_else(|| {
            let files = Vec::new();
            groups.push(Group { before, files });
            groups.len() - 1
        });
        places.push((group, groups[group].files.len()));
        groups[group].files.push(file);
    }
    let answers = run(python, &serde_json::to_vec(&groups)?)?;
    places
        .into_iter()
        .map(|(group, place)| {
            let answer = answers.get(group).and_then(|group| group.get(place));
            answer.cloned().context("an answer is missing")
        })
        .collect()
}

fn run(python: &Path, groups: &[u8]) -> Result<Vec<Vec<Option<String>>>> {
    // Neither packages nor variables may load anything by themselves.
    let mut child = Command::new(python)
        .args(["-I", "-S", "-c", SCRIPT])
        .env_remove("LD_LIBRARY_PATH")
        .env_remove("LD_PRELOAD")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {}", python.display()))?;
    let mut input = child.stdin.take().context("a pipe was asked for")?;
    input.write_all(groups)?;
    drop(input);
    let output = child.wait_with_output()?;
    ensure!(
        output.status.success(),
        "the opening script failed: {}",
        output.status
    );
    // What a library prints when it is opened comes before the answers.
    let text = String::from_utf8_lossy(&output.stdout);
    let answers = text.lines().last().unwrap_or_default();
    serde_json::from_str(answers).context("the opening script gave no answers")
}
