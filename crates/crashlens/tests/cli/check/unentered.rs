//! What users learn of folders that a scan does not enter.

use std::fs;
use std::os::unix::fs::symlink;

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
    assert_eq!(first[0]["part"], deepest);
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

#[test]
fn a_link_to_proc_or_sys_does_not_lead_a_scan_over_the_whole_machine() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    for folder in ["train", "elsewhere"] {
        fs::create_dir(path(folder)).unwrap();
    }
    fs::write(path("elsewhere/cut.npy"), &array(64)[..150]).unwrap();
    let links = [
        ("/proc/self", "train/a"),
        ("/sys/kernel", "train/b"),
        ("/proc/self/maps", "train/c.csv"),
        ("../elsewhere", "train/d"),
    ];
    for (target, link) in links {
        symlink(target, path(link)).unwrap();
    }
    let gaps = |named: &str| {
        let args = [named, "--format", "json"];
        let output = check(place.path(), &args).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let inspection = &report["inspections"][0];
        let gaps = inspection["gaps"].as_array().unwrap().iter();
        let parts: Vec<String> = gaps.map(|gap| gap["part"].to_string()).collect();
        let files = inspection["looked_at"][0]["count"].clone();
        (output.status.code(), parts.join(" "), files)
    };
    // A link to an ordinary folder is followed as ever.
    let parts = r#""train/a" "train/b" "train/c.csv""#;
    assert_eq!(gaps("train"), (Some(1), parts.to_owned(), 1.into()));
    assert_eq!(
        gaps("train/**/*.npy"),
        (Some(1), parts.to_owned(), 1.into())
    );
    // So it is where the link itself is named, or met inside of such a file system.
    let named = (Some(2), r#""train/a""#.to_owned(), 0.into());
    assert_eq!(gaps("train/a"), named);
    let (_, parts, _) = gaps("/proc/self/task");
    assert!(parts.contains("/root\""), "{parts}");
}
