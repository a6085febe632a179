//! What users learn of sets: of none, of several formats, of what is known only when all files were read.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;

use super::files::{array, base, check, folder, lines};
use crate::{stderr, stdout};

#[test]
fn a_folder_or_list_without_files_is_no_clean_bill() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("train")).unwrap();
    fs::write(place.path().join("list"), "\n").unwrap();
    for (args, place_named) in [
        (&["train"][..], "train"),
        (&["--files-from", "list"], "the list list"),
    ] {
        let output = check(place.path(), args).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let text = stdout(&output);
        let expected = format!("There was no file to check in {place_named}.");
        assert!(text.contains(&expected), "{text}");
        assert!(!text.contains("Nothing found"), "{text}");
        let output = check(place.path(), args)
            .args(["--format", "json"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["inspections"][0]["looked_at"][0]["count"], 0);
        let expected = format!("crashlens: there was no file to check in {place_named}\n");
        assert_eq!(stderr(&output), expected);
    }
}

#[test]
fn a_file_has_one_line_and_what_is_known_of_the_set_has_lines_of_its_own() {
    let place = folder();
    fs::write(place.path().join("cut2.npy"), &array(64)[..150]).unwrap();
    fs::write(place.path().join("y.npy"), array(20)).unwrap();
    let args = [".", "--format", "jsonl", "--classes", "3"];
    let output = check(place.path(), &args).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let lines = lines(&stdout(&output));
    let paths: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["path"].as_str())
        .collect();
    let once: BTreeSet<&str> = paths.iter().copied().collect();
    assert_eq!(paths.len(), once.len(), "{paths:?}");
    assert_eq!(paths.len(), 6);
    let of_set: Vec<&Value> = lines
        .iter()
        .filter(|it| it["schema"] == "crashlens.set/1")
        .collect();
    let names: Vec<&Value> = of_set.iter().map(|line| &line["name"]).collect();
    assert_eq!(names, ["duplicate-file", "labels-out-of-range"]);
    assert_eq!(of_set[0]["files"][0], "./cut2.npy");
    assert!(of_set.iter().all(|line| line.get("path").is_none()));
}

/// Two thirds of a file of the corpus.
fn cut(name: &str) -> Vec<u8> {
    let whole = fs::read(base(name)).unwrap();
    whole[..whole.len() * 2 / 3].to_vec()
}

#[test]
fn what_tensorflow_does_is_said_of_each_format_where_there_are_several() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("a.bmp"), cut("bmp/rgb24.bmp")).unwrap();
    let output = check(place.path(), &["."]).output().unwrap();
    assert!(!stdout(&output).contains("BMP: "), "{}", stdout(&output));
    fs::write(place.path().join("b.npy"), &array(64)[..150]).unwrap();
    let output = check(place.path(), &["."]).output().unwrap();
    let text = stdout(&output);
    assert!(text.contains("2 files are cut short"), "{text}");
    assert!(text.contains("BMP: TensorFlow"), "{text}");
    assert!(text.contains("NumPy array: TensorFlow"), "{text}");
}

#[test]
fn links_and_pipes_are_called_what_they_are() {
    let place = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("gone.jpg", place.path().join("a.jpg")).unwrap();
    let made = Command::new("mkfifo")
        .arg(place.path().join("b.jpg"))
        .status();
    assert!(made.unwrap().success());
    let output = check(place.path(), &["."]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(
        text.contains("a.jpg: the link leads nowhere: gone.jpg is not there"),
        "{text}"
    );
    assert!(text.contains("b.jpg: this is a pipe, not a file"), "{text}");
    assert!(!text.contains("permissions"), "{text}");
    // Asked for by its name it is told no other way.
    let output = check(place.path(), &["a.jpg"]).output().unwrap();
    assert!(
        stdout(&output).contains("leads nowhere"),
        "{}",
        stdout(&output)
    );
}
