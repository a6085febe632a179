//! Folders that mean harm, or had some done to them.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use super::*;

fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn told(gaps: &Gaps, words: &str) -> bool {
    let mut parts = gaps
        .0
        .iter()
        .map(|gap| format!("{}: {}", gap.part, gap.reason));
    parts.any(|text| text.contains(words))
}

#[test]
fn pipes_in_the_place_of_files_are_gaps_and_do_not_hang() {
    let folder = Folder::new();
    pipe(&folder.site().join("a-1.dist-info/METADATA"));
    pipe(&folder.site().join("b-1.dist-info/RECORD"));
    folder.write("b-1.dist-info/METADATA", "Name: b\nVersion: 1\n");
    pipe(&folder.site().join("c/x.so"));
    pipe(&folder.site().join("d-1.dist-info/direct_url.json"));
    folder.write("d-1.dist-info/METADATA", "Name: d\nVersion: 1\n");
    let (installed, gaps) = folder.read();
    assert!(
        told(&gaps, "a-1.dist-info/METADATA: it is not a regular file"),
        "{gaps:?}"
    );
    assert!(
        told(&gaps, "list of the files of b: it is not a regular file"),
        "{gaps:?}"
    );
    assert!(told(&gaps, "c/x.so: it is not a regular file"), "{gaps:?}");
    assert!(installed.native.is_empty());
    let b = installed
        .distributions
        .iter()
        .find(|of| of.name == "b")
        .unwrap();
    assert!(matches!(b.files, Observed::Unknown(_)));
}

#[test]
fn metadata_and_lists_of_gigabytes_are_gaps() {
    let folder = Folder::new();
    folder.install("a", "1", &[]);
    folder.install("b", "1", &[]);
    folder.install("c", "1", &[("c.py", "")]);
    for path in ["a-1.dist-info/METADATA", "b-1.dist-info/RECORD"] {
        let file = File::create(folder.site().join(path)).unwrap();
        file.set_len(8 << 30).unwrap();
    }
    let header = "X: ".to_owned() + &"y".repeat(300 << 10);
    folder.write("d-1.dist-info/METADATA", &header);
    let (installed, gaps) = folder.read();
    let names: Vec<_> = installed
        .distributions
        .iter()
        .map(|of| of.name.as_str())
        .collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    assert!(
        told(
            &gaps,
            "list of the files of b: all lists together are larger"
        ),
        "{gaps:?}"
    );
    assert!(
        told(&gaps, "d-1.dist-info/METADATA: its headers are longer"),
        "{gaps:?}"
    );
    assert_eq!(files(&installed, "c").missing_count, 0);
}

#[test]
fn a_list_of_a_million_lines_that_lead_anywhere_is_a_gap() {
    let folder = Folder::new();
    folder.install("a", "1", &[]);
    let lines = [
        "../../../../etc/x.so,,1\n",
        "/dev/zero.so,,1\n",
        "a/../../b.py,,1\n",
        "\"\"\",,\n",
    ];
    let record: String = lines.iter().cycle().take(1_000_000).copied().collect();
    folder.write("a-1.dist-info/RECORD", &record);
    let (_, gaps) = folder.read();
    assert!(
        told(
            &gaps,
            "list of the files of a: all lists together have more lines"
        ),
        "{gaps:?}"
    );
}

#[test]
fn links_in_circles_and_deep_folders_end() {
    let folder = Folder::new();
    folder.install("a", "1", &[("a/x.so", "")]);
    symlink("..", folder.site().join("a/up")).unwrap();
    symlink("a", folder.site().join("again")).unwrap();
    symlink("self", folder.site().join("self")).unwrap();
    symlink("/", folder.site().join("a/self.so")).unwrap();
    let deep: String = "d/".repeat(60);
    folder.write(&format!("{deep}x.so"), "");
    fs::remove_file(folder.site().join("a/self.so")).unwrap();
    let (installed, gaps) = folder.read();
    assert_eq!(files(&installed, "a").missing_count, 0);
    assert!(installed.native.len() <= 2, "{:?}", installed.native);
    assert!(told(&gaps, "folders in each other"), "{gaps:?}");
}

#[test]
fn names_of_any_bytes_are_carried_along() {
    let folder = Folder::new();
    let name = OsStr::from_bytes(b"bad\xff\x1b[2J.so");
    fs::write(folder.site().join(name), "").unwrap();
    folder.write(
        "e\u{1b}[31m-1.dist-info/METADATA",
        "Name: e\u{7}\nVersion: 1\u{1b}[0m\n",
    );
    folder.write("e\u{1b}[31m-1.dist-info/RECORD", "\u{1b}]0;x.py,,1\n");
    let (installed, _) = folder.read();
    assert_eq!(installed.native.len(), 1);
    let shown = &installed.distributions[0];
    assert!(!shown.name.contains(char::is_control) && !shown.version.contains(char::is_control));
    assert!(!files(&installed, &shown.name).missing[0].contains(char::is_control));
}

#[test]
fn what_may_not_be_read_is_not_called_missing() {
    let folder = Folder::new();
    folder.install("a", "1", &[("a/x.py", ""), ("b/y.py", "")]);
    let closed = folder.site().join("a");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let is_refused = fs::read_dir(&closed).is_err();
    let (installed, gaps) = folder.read();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(files(&installed, "a").missing_count, 0);
    // Root may read everything.
    assert_eq!(gaps.0.len(), usize::from(is_refused), "{gaps:?}");
}
