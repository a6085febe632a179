//! `--quarantine` and `--move-to`: what users learn of files that were listed or moved, and of those that were not.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use super::files::{array, check, folder, lines};
use crate::{stderr, stdout};

#[test]
fn what_stands_in_the_way_of_one_file_costs_neither_the_report_nor_the_other_files() {
    let place = folder();
    let path = |name: &str| place.path().join(name);
    fs::create_dir(path("away")).unwrap();
    fs::write(path("away/cut.npy"), "somebody's").unwrap();
    let args = [".", "--move-to", "away", "--format", "json"];
    let output = check(place.path(), &args).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        report["inspections"][0]["findings"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        stderr(&output),
        "crashlens: cannot move ./cut.npy: away/cut.npy is there already\n\
         Moved 1 file to away/, with the same paths below it.\n"
    );
    assert_eq!(fs::read(path("away/cut.npy")).unwrap(), b"somebody's");
    assert!(path("cut.npy").exists());
    assert!(path("away/empty.jpg").exists());
}

#[test]
fn who_moves_files_is_told_how_many_and_where_they_are_now() {
    let place = folder();
    let output = check(place.path(), &[".", "--move-to", "away/"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        stderr(&output),
        "Moved 2 files to away/, with the same paths below it.\n"
    );
    // Those are not looked at again, unless they are asked for.
    fs::write(place.path().join("new.npy"), &array(64)[..140]).unwrap();
    let again = check(place.path(), &[".", "--move-to", "away"])
        .output()
        .unwrap();
    assert_eq!(again.status.code(), Some(1));
    assert!(!stdout(&again).contains("cut.npy"), "{}", stdout(&again));
    assert!(place.path().join("away/new.npy").exists());
    let asked = check(place.path(), &["away"]).output().unwrap();
    assert!(stdout(&asked).contains("cut.npy"), "{}", stdout(&asked));
}

#[test]
fn only_what_is_really_below_the_named_folder_is_moved_and_no_link() {
    let place = folder();
    let path = |name: &str| place.path().join(name);
    for folder in ["elsewhere", "train/inner"] {
        fs::create_dir_all(path(folder)).unwrap();
    }
    let cut = &array(64)[..150];
    for file in ["elsewhere/theirs.npy", "train/inner/own.npy"] {
        fs::write(path(file), cut).unwrap();
    }
    let links = [
        ("../elsewhere", "train/more"),
        ("../elsewhere/theirs.npy", "train/one.npy"),
        ("inner", "train/same"),
    ];
    for (target, link) in links {
        symlink(target, path(link)).unwrap();
    }
    for named in ["train", "train/**/*.npy"] {
        let output = check(place.path(), &[named, "--move-to", "away"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        let text = stderr(&output);
        let real = path("elsewhere/theirs.npy").canonicalize().unwrap();
        for told in [
            format!(
                "cannot move train/more/theirs.npy: a link leads to it, outside of what was named: {}",
                real.display()
            ),
            "cannot move train/one.npy: it is a link to ../elsewhere/theirs.npy; links are left where they are"
                .to_owned(),
        ] {
            assert!(text.contains(&told), "{text}");
        }
        assert!(real.exists());
        assert!(path("train/one.npy").exists(), "the link still leads there");
        assert!(path("away/train/inner/own.npy").exists(), "{text}");
        fs::rename(
            path("away/train/inner/own.npy"),
            path("train/inner/own.npy"),
        )
        .unwrap();
    }
    // Who names the folder itself, by a link or not, means what is in it.
    let output = check(place.path(), &["train/more", "--move-to", "away"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(path("away/train/more/theirs.npy").exists());
}

#[test]
fn a_name_with_a_line_end_is_never_two_names() {
    let place = tempfile::tempdir().unwrap();
    let [odd, plain] = ["a\nb.npy", "c.npy"];
    for name in [odd, plain] {
        fs::write(place.path().join(name), &array(64)[..150]).unwrap();
    }
    let listed = || fs::read_to_string(place.path().join("bad")).unwrap();
    let output = check(place.path(), &[".", "--quarantine", "bad"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(listed(), "./c.npy\n");
    let text = stderr(&output);
    assert!(text.contains("./a\\nb.npy is not in bad"), "{text}");
    assert!(text.contains("--null"), "{text}");
    let output = check(place.path(), &[".", "--quarantine", "bad", "-0"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert_eq!(listed(), "./a\nb.npy\0./c.npy\0");
    // What was listed so is read so.
    let args = ["--files-from", "bad", "--null", "--format", "jsonl"];
    let output = check(place.path(), &args).output().unwrap();
    let lines = lines(&stdout(&output));
    assert_eq!(lines[0]["path"], "./a\nb.npy");
    assert_eq!(lines[0]["findings"][0]["name"], "cut-short");
    assert_eq!(lines[1]["path"], "./c.npy");
}
