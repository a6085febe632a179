//! `--labels` and `--classes`: labels are checked, or users are told why they were not.

use std::fs;
use std::process::Output;

use super::files::{array, base, check, folder, lines};
use crate::{stderr, stdout};

fn check_labels(files: &[(&str, &[u8])], args: &[&str]) -> Output {
    let place = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(place.path().join(name), bytes).unwrap();
    }
    check(place.path(), &["."]).args(args).output().unwrap()
}

#[test]
fn labels_in_arrays_and_columns_are_read_without_reading_everything() {
    let out_of_range = |output: &Output, expected: &str| {
        assert_eq!(output.status.code(), Some(1), "{}", stderr(output));
        let text = stdout(output);
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("[0, 10)"), "{text}");
    };
    let ten = ["--classes", "10"];
    let output = check_labels(&[("y.npy", &array(64))], &ten);
    out_of_range(&output, "labels `y` go from 0 to 63");
    let packed = fs::read(base("npz/packed.npz")).unwrap();
    let output = check_labels(&[("a.npz", &packed)], &ten);
    out_of_range(&output, "labels `y` go from 0 to 49");
    let table = b"x,label\n1,0\n2,-1\n3,9\n";
    let output = check_labels(&[("a.csv", table)], &ten);
    out_of_range(&output, "labels `label` go from -1 to 9");
    let bare = b"12,1\n2,1\n";
    let output = check_labels(&[("a.csv", bare)], &["--labels", "0", "--classes", "10"]);
    out_of_range(&output, "labels `0` go from 2 to 12");
    let sound = b"x,label\n100,0\n2,9\n";
    let output = check_labels(&[("a.csv", sound)], &ten);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
}

#[test]
fn a_name_that_nothing_has_is_no_clean_bill() {
    let table: &[u8] = b"x,label\n1,0\n2,1\n";
    let files = [("a.csv", table), ("b.npy", &array(8))];
    let args = ["--labels", "lable", "--classes", "10"];
    let output = check_labels(&files, &args);
    assert_eq!(output.status.code(), Some(2));
    let expected = "labels were not checked: no file has a feature, array or column `lable`; there are `b`, `label`, `x`";
    assert_eq!(stderr(&output), format!("crashlens: {expected}\n"));
    assert!(stdout(&output).contains("What could not be looked at"));
    let output = check_labels(&files, &[&args[..], &["--format", "jsonl"]].concat());
    let last = lines(&stdout(&output)).pop().unwrap();
    assert_eq!(last["schema"], "crashlens.gap/1");
    assert_eq!(last["part"], "labels");
}

#[test]
fn labels_that_are_not_read_are_told_beside_those_that_are() {
    let hdf5 = fs::read(base("hdf5/earliest.h5")).unwrap();
    let args = ["--labels", "group/labels", "--classes", "10"];
    let output = check_labels(&[("a.h5", &hdf5)], &args);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(
        text.contains("`group/labels` in ./a.h5: the values in HDF5 files are not read"),
        "{text}"
    );
    let table = b"group/labels\n1\n2\n";
    let output = check_labels(&[("a.h5", &hdf5), ("b.csv", table)], &args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output).replace("\n    ", " ");
    assert!(
        text.contains("the values in HDF5 files are not read"),
        "{text}"
    );
}

#[test]
fn a_feature_of_another_type_than_labels_have_is_told() {
    let records = fs::read(base("tfrecord/examples.tfrecord")).unwrap();
    let args = ["--labels", "image", "--classes", "10"];
    let output = check_labels(&[("a.tfrecord", &records)], &args);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(
        text.contains("`image` in ./a.tfrecord: it is a list of bytes, and labels are integers"),
        "{text}"
    );
}

#[test]
fn classes_that_there_cannot_be_and_labels_without_classes_are_refused() {
    let place = folder();
    for args in [&["--classes", "0"][..], &["--labels", "y"]] {
        let output = check(place.path(), &["."]).args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("--classes"), "{}", stderr(&output));
    }
}
