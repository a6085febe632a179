//! `--manifest`: what users learn of files that changed, came and went.

use std::fs;

use super::files::{array, check, folder};
use crate::{stderr, stdout};

#[test]
fn a_changed_byte_that_no_checksum_covers_is_seen_by_the_manifest() {
    let place = folder();
    let args = ["sound.npy", "--manifest", "manifest"];
    let output = check(place.path(), &args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let file = place.path().join("sound.npy");
    let mut bytes = fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&file, bytes).unwrap();
    let output = check(place.path(), &args).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("sound.npy has changed since the manifest was made"));
    fs::remove_file(&file).unwrap();
    let output = check(place.path(), &["cut.npy", "--manifest", "manifest"])
        .output()
        .unwrap();
    assert!(stdout(&output).contains("sound.npy is gone since the manifest was made"));
}

#[test]
fn an_interrupted_scan_goes_on_where_it_was() {
    let place = folder();
    let args = [
        "cut.npy",
        "sound.npy",
        "--manifest",
        "manifest",
        "--format",
        "jsonl",
    ];
    let whole = stdout(&check(place.path(), &args).output().unwrap());
    let manifest = place.path().join("manifest");
    let text = fs::read_to_string(&manifest).unwrap();
    let first = text.find('\n').unwrap() + 1;
    // Killed in the middle of the second line.
    fs::write(&manifest, &text[..first + 10]).unwrap();
    let again = stdout(&check(place.path(), &args).output().unwrap());
    assert_eq!(whole, again);
    assert_eq!(fs::read_to_string(&manifest).unwrap(), text);
}

#[test]
fn a_manifest_says_nothing_of_files_that_were_not_asked_for() {
    let place = folder();
    let elsewhere = tempfile::tempdir().unwrap();
    let manifest = elsewhere.path().join("m");
    let manifest = manifest.to_str().unwrap();
    check(place.path(), &[".", "--manifest", manifest])
        .output()
        .unwrap();
    let output = check(place.path(), &["sound.npy", "--manifest", manifest])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    fs::remove_file(place.path().join("sound.npy")).unwrap();
    let output = check(place.path(), &[".", "--manifest", manifest])
        .output()
        .unwrap();
    assert!(stdout(&output).contains("sound.npy"), "it is gone");
}

#[test]
fn a_scan_in_full_does_not_take_over_what_was_not_read_in_full() {
    let place = folder();
    let mut nan = array(64);
    let header = String::from_utf8_lossy(&nan[10..128]).replace("|u1", "<f4");
    nan[10..128].copy_from_slice(header.replace("(64,)", "(16,)").as_bytes());
    nan[128..132].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(place.path().join("nan.npy"), nan).unwrap();
    let args = ["nan.npy", "--manifest", "m"];
    check(place.path(), &args).output().unwrap();
    let manifest = fs::read_to_string(place.path().join("m")).unwrap();
    let first = manifest.lines().next().unwrap();
    fs::write(place.path().join("m"), format!("{first}\n")).unwrap();
    let output = check(place.path(), &args).arg("--full").output().unwrap();
    assert!(stdout(&output).contains("NaN"), "{}", stdout(&output));
}

#[test]
fn a_manifest_a_report_and_a_list_below_the_folder_are_no_files_of_it() {
    let place = folder();
    fs::remove_file(place.path().join("cut.npy")).unwrap();
    fs::remove_file(place.path().join("empty.jpg")).unwrap();
    let args = [
        ".",
        "--manifest",
        "./m.json",
        "-o",
        "report.txt",
        "--quarantine",
        "../bad.txt",
    ];
    fs::create_dir(place.path().join("inner")).unwrap();
    let inner = place.path().join("inner");
    for _ in 0..3 {
        let args = args.map(|arg| if arg == "." { ".." } else { arg });
        let output = check(&inner, &args).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let report = fs::read_to_string(inner.join("report.txt")).unwrap();
        assert!(report.contains("2 files (1 NumPy array"), "{report}");
        assert!(!report.contains("manifest"), "{report}");
    }
}

#[test]
fn a_new_file_is_not_called_damaged_for_being_new() {
    let place = folder();
    let args = ["*.npy", "--manifest", "m"];
    fs::remove_file(place.path().join("cut.npy")).unwrap();
    check(place.path(), &args).output().unwrap();
    fs::write(place.path().join("new.npy"), array(32)).unwrap();
    let output = check(place.path(), &args).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(
        text.contains("worth knowing  new.npy is not in the manifest"),
        "{text}"
    );
    assert!(!text.contains("wrong values"), "{text}");
    assert!(!text.contains("Restore"), "{text}");
}
