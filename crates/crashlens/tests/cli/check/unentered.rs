//! What users learn of folders that a scan does not enter.

use std::fs;

use serde_json::Value;

use super::files::{array, check};
use crate::{stderr, stdout};

#[test]
fn a_folder_too_deep_to_be_entered_is_named_and_alone_is_no_clean_bill() {
    let place = tempfile::tempdir().unwrap();
    let deepest = format!("train/{}", ["d"; 65].join("/"));
    fs::create_dir_all(place.path().join(&deepest)).unwrap();
    fs::write(
        place.path().join(&deepest).join("cut.npy"),
        &array(64)[..150],
    )
    .unwrap();
    let args = ["train", "--format", "json"];
    let gaps = || {
        let output = check(place.path(), &args).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let gaps = report["inspections"][0]["gaps"].clone();
        (output.status.code(), gaps, stderr(&output))
    };
    let (status, first, text) = gaps();
    assert_eq!(status, Some(2), "{text}");
    assert_eq!(first[0]["part"], format!("folder {deepest}"));
    assert_eq!(
        first[0]["reason"],
        "more than 64 folders below the path that was named"
    );
    // A file that holds no data does not make it one.
    fs::write(place.path().join("train/notes.txt"), "nothing of interest").unwrap();
    let (status, gaps_with_text, text) = gaps();
    assert_eq!((status, &gaps_with_text), (Some(2), &first), "{text}");
    // What is beside it is looked at, and counts.
    fs::write(place.path().join("train/sound.npy"), array(64)).unwrap();
    let (status, gaps_with_data, text) = gaps();
    assert_eq!((status, &gaps_with_data), (Some(0), &first), "{text}");
    // The remedy helps.
    let output = check(place.path(), &[&deepest]).output().unwrap();
    assert!(stdout(&output).contains("cut.npy"), "{}", stdout(&output));
}
