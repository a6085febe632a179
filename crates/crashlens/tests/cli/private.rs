//! Who can read what crashlens writes: its owner alone, whatever the umask.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use crate::stderr;

/// Runs crashlens in a folder with this umask.
fn with_umask(umask: &str, folder: &Path, args: &[&str]) -> Output {
    Command::new("sh")
        .args(["-c", "umask $0; exec \"$@\"", umask])
        .arg(env!("CARGO_BIN_EXE_crashlens"))
        .args(args)
        .current_dir(folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .output()
        .unwrap()
}

/// The modes of all files that were written beside `input`.
fn modes(folder: &Path) -> Vec<(String, u32)> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    let modes = files.map(|entry| {
        let name = entry.file_name().into_string().unwrap();
        (name, entry.metadata().unwrap().permissions().mode() & 0o777)
    });
    let mut modes: Vec<_> = modes.filter(|(name, _)| name != "input.csv").collect();
    modes.sort();
    modes
}

/// Asserts that a command writes these files, and all of them for their owner alone.
pub(crate) fn assert_private(args: &[&str], written: &[&str]) {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    let expected: Vec<_> = written
        .iter()
        .map(|&name| (name.to_owned(), 0o600))
        .collect();
    for umask in ["000", "022", "277"] {
        fs::write(at("input.csv"), "x,y\n1,2\nAborted\n").unwrap();
        let output = with_umask(umask, place.path(), args);
        let text = stderr(&output);
        assert_eq!(modes(place.path()), expected, "{args:?} {umask} {text}");
        for name in written {
            fs::remove_file(at(name)).unwrap();
        }
    }
    // So is one that others could read when it is written again.
    for name in written {
        fs::write(at(name), "").unwrap();
        fs::set_permissions(at(name), fs::Permissions::from_mode(0o644)).unwrap();
    }
    let output = with_umask("022", place.path(), args);
    let text = stderr(&output);
    assert_eq!(modes(place.path()), expected, "{args:?} {text}");
}

#[test]
fn reports_and_manifests_are_for_their_owner_alone_whatever_the_umask() {
    let report = ["diagnose", "input.csv", "--output", "report"];
    assert_private(&report, &["report"]);
    let data = ["check", "data", "input.csv", "--output", "report"];
    let lists = ["--manifest", "manifest", "--quarantine", "bad"];
    let all = [&data[..], &lists].concat();
    assert_private(&all, &["bad", "manifest", "report"]);
    let lines = [&data[..], &["--format", "jsonl"]].concat();
    assert_private(&lines, &["report"]);
}
